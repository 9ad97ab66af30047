#pragma once

#include <k8s/apis/scheme.hpp>
#include <k8s/codec/codec.hpp>
#include <k8s/codec/type_info.hpp>
#include <k8s/result.hpp>

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

namespace k8s::inline v0::testing {

/// An object of a type that is only known by its TypeInfo.
class AnyObject {
 public:
  explicit AnyObject(const codec::TypeInfo& type) : type_(type), object_(type.ops.create()) {}
  AnyObject(const AnyObject& other)
      : type_(other.type_), object_(other.type_.ops.clone(other.object_)) {}
  AnyObject& operator=(const AnyObject&) = delete;
  ~AnyObject() { type_.ops.destroy(object_); }

  Result<void> Decode(std::string_view json) { return codec::Decode(json, type_, object_); }
  [[nodiscard]] std::string Encode() const {
    std::string out;
    codec::Encode(type_, object_, out);
    return out;
  }
  friend bool operator==(const AnyObject& left, const AnyObject& right) {
    return codec::Equal(left.type_, left.object_, right.object_);
  }

 private:
  const codec::TypeInfo& type_;
  void* object_;
};

/// The Go package of a group-version; empty if there is none.
inline std::string_view PackageOf(std::string_view api_version) {
  if (api_version == "meta.k8s.io/v1") return "meta/v1";
  for (const apis::PackageTypes* types : apis::BuiltinPackages()) {
    if (types->objectTypes.empty()) continue;
    if (types->objectTypes.front()().info.ApiVersion() == api_version) return types->package;
  }
  return {};
}

/// The type of a JSON object with apiVersion and kind; null if it is not a built-in one.
inline const codec::TypeInfo* TypeOfObject(const nlohmann::json& object) {
  return apis::FindType(PackageOf(object.at("apiVersion").get<std::string>()),
                        object.at("kind").get<std::string>());
}

/// Where two JSON values differ, for messages.
inline std::string Differences(const nlohmann::json& wanted, const nlohmann::json& found) {
  return nlohmann::json::diff(wanted, found)
      .dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace k8s::inline v0::testing
