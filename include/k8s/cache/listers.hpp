#pragma once

#include <k8s/cache/store.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0 {

namespace labels {
class Selector;
}

namespace cache {

/// Lists what `selector` matches in a namespace, or in all if `ns` is empty. Type-erased. Mirrors
/// cache.ListAllByNamespace.
void ListAllByNamespace(const ThreadSafeStore& store, const runtime::ObjectType& type,
                        std::string_view ns, const labels::Selector& selector, ObjectSink& sink);

/// Type-erased Get of the listers.
Result<runtime::AnyPtr> GetOrNotFound(const ThreadSafeStore& store, const runtime::ObjectType& type,
                                      std::string_view ns, std::string_view name);

/// Reads one namespace of a store. Mirrors PodNamespaceLister and its like.
/// **Thread safety.** A cheap handle. All members from any thread, handlers included.
template <class T>
class NamespaceLister {
 public:
  NamespaceLister(Indexer<T> indexer, const runtime::ObjectType& type, std::string ns)
      : indexer_(std::move(indexer)), type_(&type), namespace_(std::move(ns)) {}

  /// The objects of the namespace that the selector matches, in no particular order.
  [[nodiscard]] std::vector<ObjectPtr<T>> List(const labels::Selector& selector) const {
    VectorSink<T> sink;
    ListAllByNamespace(*indexer_.Erased(), *type_, namespace_, selector, sink);
    return sink.Take();
  }
  /// Error: NotFound (`IsNotFound`) with group, resource and name.
  Result<ObjectPtr<T>> Get(std::string_view name) const {
    auto found = GetOrNotFound(*indexer_.Erased(), *type_, namespace_, name);
    if (!found) return found.error();
    return std::static_pointer_cast<const T>(*std::move(found));
  }

 private:
  Indexer<T> indexer_;
  const runtime::ObjectType* type_;
  std::string namespace_;
};

/// Reads an informer's store: never asks the server. Empty before the informer has synced. Mirrors
/// PodLister and its like, and cache.GenericLister.
/// **Thread safety.** A cheap handle. All members from any thread, handlers included.
/// **Lifetime.** Keeps the store; it still answers after its informer has stopped. `type` must
/// outlive it.
template <class T>
class Lister {
 public:
  explicit Lister(Indexer<T> indexer, const runtime::ObjectType& type = runtime::ObjectTypeOf<T>())
      : indexer_(std::move(indexer)), type_(&type) {}

  /// The objects of all namespaces that the selector matches, in no particular order.
  [[nodiscard]] std::vector<ObjectPtr<T>> List(const labels::Selector& selector) const {
    return Namespace({}).List(selector);
  }
  /// One cluster-scoped object. Error: NotFound (`IsNotFound`) with group, resource and name.
  Result<ObjectPtr<T>> Get(std::string_view name) const { return Namespace({}).Get(name); }
  /// One namespace. An empty `ns` lists all namespaces and gets cluster-scoped objects.
  [[nodiscard]] NamespaceLister<T> Namespace(std::string ns) const {
    return {indexer_, *type_, std::move(ns)};
  }

 private:
  Indexer<T> indexer_;
  const runtime::ObjectType* type_;
};

}  // namespace cache
}  // namespace k8s::inline v0
