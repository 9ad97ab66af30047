#pragma once

#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <compare>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

/// Names an object of one resource. Mirrors cache.ObjectName.
struct ObjectName {
  std::string namespace_ = {};  ///< Empty for cluster-scoped objects.
  std::string name = {};

  /// The key of stores and queues: "namespace/name", or "name" alone without a namespace.
  [[nodiscard]] std::string ToString() const;
  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// Reads a key. Error: kInvalidArgument for more than one "/". Mirrors ParseObjectName.
Result<ObjectName> ParseObjectName(std::string_view key);
/// client-go's other name of ParseObjectName.
inline Result<ObjectName> SplitMetaNamespaceKey(std::string_view key) {
  return ParseObjectName(key);
}

/// The key of a namespace and a name.
[[nodiscard]] std::string MakeKey(std::string_view ns, std::string_view name);

/// The key under which caches keep an object, "namespace/name" or "name".
[[nodiscard]] std::string MetaNamespaceKeyFunc(const runtime::ObjectType& type, const void* object);
template <class T>
[[nodiscard]] std::string MetaNamespaceKeyFunc(const T& object) {
  return MetaNamespaceKeyFunc(runtime::ObjectTypeOf<T>(), &object);
}

}  // namespace k8s::inline v0::cache
