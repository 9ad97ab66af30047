#pragma once

#include <k8s/codec/codec.hpp>
#include <k8s/fields.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>
#include <k8s/runtime/object_type_of.hpp>

#include <exception>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

/// Lets a type that has nlohmann's from_json stand for a resource, without a field table. With
/// to_json it can be created and updated too:
///
///     struct Widget {
///       k8s::ObjectRef metadata;
///       int size = 0;
///       NLOHMANN_DEFINE_TYPE_INTRUSIVE_WITH_DEFAULT(Widget, metadata, size)
///     };
///     CLIENT_CPP_RESOURCE(Widget, .group = "example.com", .version = "v1", .kind = "Widget",
///                         .plural = "widgets");
///
/// It is slower than a field table, about ten times, as each object becomes a nlohmann::json first.
/// The only header for users that includes <nlohmann/json.hpp>, which costs a second of compile
/// time.
namespace k8s::inline v0::runtime {

/// Reads a top-level object as nlohmann::json. Its kind is checked as DecodeObject checks it.
Result<nlohmann::json> ParseObject(const ObjectType& type, std::string_view json);

/// Appends a top-level object with its type's kind and apiVersion.
void WriteObject(const ObjectType& type, nlohmann::json object, std::string& out);

template <class T>
requires(!codec::Described<T>) struct ObjectCodec<T> {
  static Result<void> Decode(const ObjectType& type, std::string_view json, T& object) {
    auto parsed = ParseObject(type, json);
    if (!parsed) return parsed.error();
    try {
      parsed->get_to(object);
    } catch (const std::exception& refusal) {
      return DecodeError(type.info.kind + ": " + refusal.what());
    }
    return {};
  }
  static void Encode(const ObjectType& type, const T& object,
                     std::string& out) requires std::is_constructible_v<nlohmann::json, const T&> {
    WriteObject(type, nlohmann::json(object), out);
  }
};

}  // namespace k8s::inline v0::runtime

/// Members of described types, ObjectRef or metav1::ObjectMeta for example, within such a type.
template <k8s::codec::Described T>
requires(std::is_aggregate_v<T> || k8s::codec::JsonScalar<T>) struct nlohmann::adl_serializer<T> {
  static void to_json(nlohmann::json& json, const T& value) {
    json = nlohmann::json::parse(k8s::codec::Encode(value));
  }
  static void from_json(const nlohmann::json& json, T& value) {
    value = k8s::codec::Decode<T>(json.dump()).value();
  }
};
