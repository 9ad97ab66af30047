#pragma once

#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// What listers do, type-erased. `namespace_` empty: all namespaces.
[[nodiscard]] std::vector<runtime::AnyPtr> ListMatching(const ThreadSafeStore& store,
                                                        std::string_view namespace_,
                                                        const labels::Selector& selector);
/// Errors: NotFound with the resource's group and plural, and the name.
[[nodiscard]] Result<runtime::AnyPtr> GetNamed(const ThreadSafeStore& store,
                                               std::string_view namespace_, std::string_view name);

/// Reads the objects of one namespace. Mirrors PodNamespaceLister and its like.
/// **Thread safety.** A cheap handle; copies may be used from any thread. **Lifetime.** Keeps the
/// store alive.
template <class T>
class NamespaceLister {
 public:
  NamespaceLister(std::shared_ptr<const ThreadSafeStore> store, std::string_view name_space)
      : store_(std::move(store)), namespace_(name_space) {}

  /// A snapshot of the objects whose labels match, in arbitrary order. A type without labels
  /// matches labels::Everything() alone.
  [[nodiscard]] std::vector<ObjectPtr<T>> List(const labels::Selector& selector) const {
    auto found = ListMatching(*store_, namespace_, selector);
    std::vector<ObjectPtr<T>> typed(found.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      typed[i] = std::static_pointer_cast<const T>(std::move(found[i]));
    return typed;
  }
  /// Errors: IsNotFound, with the resource and the name.
  [[nodiscard]] Result<ObjectPtr<T>> Get(std::string_view name) const {
    auto found = GetNamed(*store_, namespace_, name);
    if (!found) return std::move(found).error();
    return std::static_pointer_cast<const T>(std::move(*found));
  }

 private:
  std::shared_ptr<const ThreadSafeStore> store_;
  std::string namespace_;
};

/// Reads an informer's store by name and label. `List` and `Get` of all namespaces; `Get` is for
/// cluster-scoped types. Mirrors cache.GenericLister and PodLister and its like.
template <class T>
class Lister : public NamespaceLister<T> {
 public:
  explicit Lister(std::shared_ptr<const ThreadSafeStore> store)
      : NamespaceLister<T>(store, {}), store_(std::move(store)) {}

  [[nodiscard]] NamespaceLister<T> Namespace(std::string_view name_space) const {
    return NamespaceLister<T>(store_, name_space);
  }

 private:
  std::shared_ptr<const ThreadSafeStore> store_;
};

}  // namespace k8s::inline v0::cache
