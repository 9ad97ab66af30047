#pragma once

#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>
#include <k8s/string_map.hpp>

#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace k8s::inline v0 {

/// An object of any kind, held as JSON. Mirrors unstructured.Unstructured.
///
/// Integers within 64 bits are exact; all other numbers are doubles. Keys and texts are UTF-8: what
/// is ill-formed in a decoded object has become U+FFFD. Include <nlohmann/json.hpp> to work on
/// `json()`.
/// **Thread safety.** Distinct objects: safe. Shared objects: safe while nobody writes.
class Unstructured {
 public:
  Unstructured();  ///< {}
  explicit Unstructured(nlohmann::json object);
  Unstructured(const Unstructured& other);
  Unstructured(Unstructured&& other) noexcept;
  Unstructured& operator=(const Unstructured& other);
  Unstructured& operator=(Unstructured&& other) noexcept;
  ~Unstructured();

  /// Reads one JSON object that has a `kind`. Errors: kDecode. Mirrors UnmarshalJSON.
  [[nodiscard]] static Result<Unstructured> Parse(std::string_view json);
  [[nodiscard]] std::string ToJson() const;

  [[nodiscard]] const nlohmann::json& json() const;
  [[nodiscard]] nlohmann::json& json();

  // Empty when absent or not a text.
  [[nodiscard]] std::string_view GetAPIVersion() const;
  [[nodiscard]] std::string_view GetKind() const;
  [[nodiscard]] std::string_view GetName() const;
  [[nodiscard]] std::string_view GetNamespace() const;
  [[nodiscard]] std::string_view GetUID() const;
  [[nodiscard]] std::string_view GetResourceVersion() const;
  [[nodiscard]] StringMap<std::string> GetLabels() const;
  [[nodiscard]] StringMap<std::string> GetAnnotations() const;

  void SetAPIVersion(std::string_view value);
  void SetKind(std::string_view value);
  void SetName(std::string_view value);
  void SetNamespace(std::string_view value);
  void SetResourceVersion(std::string_view value);
  void SetLabels(const StringMap<std::string>& labels);
  void SetAnnotations(const StringMap<std::string>& annotations);

  /// The value at a path of keys, or null when it is not there. `NestedField({"spec", "replicas"})`
  [[nodiscard]] const nlohmann::json* NestedField(
      std::initializer_list<std::string_view> path) const;
  /// The text at a path, or "" when it is not there or not a text.
  [[nodiscard]] std::string_view NestedString(std::initializer_list<std::string_view> path) const;

  friend bool operator==(const Unstructured& a, const Unstructured& b);

 private:
  friend struct UnstructuredAccess;
  struct Data;
  std::unique_ptr<Data> data_;  ///< Never null but in a moved-from object.
};

namespace runtime {

/// The ObjectType that holds objects of one resource as `Unstructured`. `info.kind` may be empty:
/// then any kind is accepted.
[[nodiscard]] std::shared_ptr<const ObjectType> UnstructuredType(ResourceInfo info);

}  // namespace runtime
}  // namespace k8s::inline v0
