#pragma once

#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <compare>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

/// What names an object within its resource. Mirrors cache.ObjectName.
struct ObjectName {
  std::string namespace_ = {};  ///< Empty for cluster-scoped objects.
  std::string name = {};

  /// The cache key: "namespace/name", or "name" without a namespace.
  [[nodiscard]] std::string ToString() const {
    return namespace_.empty() ? name : namespace_ + "/" + name;
  }
  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

/// The key of an object by its metadata. Mirrors MetaNamespaceKeyFunc.
[[nodiscard]] std::string MetaNamespaceKey(const runtime::ObjectMetaView& meta);

/// The key of a typed object.
template <class T>
[[nodiscard]] std::string MetaNamespaceKeyFunc(const T& object) {
  return MetaNamespaceKey(runtime::ObjectTypeOf<T>().meta(&object));
}

/// Takes a key apart. Errors: kInvalidArgument for more than one "/". Mirrors
/// SplitMetaNamespaceKey.
[[nodiscard]] Result<ObjectName> SplitMetaNamespaceKey(std::string_view key);

}  // namespace k8s::inline v0::cache
