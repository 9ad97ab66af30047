#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// The index by namespace, which every informer has. Mirrors cache.NamespaceIndex.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// Gives the values under which an object is found in an index; none, one or several.
/// **Callbacks.** Once per stored object, on the thread that writes. Readers do not wait for it. It
/// must not write to the store it serves, and must give equal values for equal objects. When it
/// throws, the object has no values in this index, and that is logged.
template <class T>
using IndexFunc = std::function<std::vector<std::string>(const T& object)>;

/// Index functions by index name. Mirrors cache.Indexers.
template <class T>
using Indexers = std::map<std::string, IndexFunc<T>>;

/// The same for objects whose type only their ObjectType knows.
using AnyIndexFunc = std::function<std::vector<std::string>(const void* object)>;
using AnyIndexers = std::map<std::string, AnyIndexFunc>;

template <class T>
[[nodiscard]] AnyIndexers ToAnyIndexers(Indexers<T> indexers) {
  AnyIndexers result;
  for (auto& [name, func] : indexers) {
    result[name] = [func = std::move(func)](const void* object) {
      return func(*static_cast<const T*>(object));
    };
  }
  return result;
}

}  // namespace k8s::inline v0::cache
