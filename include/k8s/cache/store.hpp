#pragma once

#include <k8s/cache/object_name.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// The values of an object in an index. See AnyIndexFunc. Mirrors cache.IndexFunc.
template <class T>
using IndexFunc = std::function<std::vector<std::string>(const T& object)>;

/// Index functions by name. Mirrors cache.Indexers.
template <class T>
using Indexers = std::vector<std::pair<std::string, IndexFunc<T>>>;

/// Reads a store. Mirrors cache.Indexer, without the verbs that write: only the informer does that.
///
/// **Thread safety.** A cheap handle; copies may be used from any thread.
/// **Lifetime.** Keeps the store alive.
template <class T>
class Indexer {
 public:
  explicit Indexer(std::shared_ptr<ThreadSafeStore> store) : store_(std::move(store)) {}

  /// The object with a key ("namespace/name"), or null.
  [[nodiscard]] ObjectPtr<T> GetByKey(std::string_view key) const {
    return std::static_pointer_cast<const T>(store_->Get(key));
  }
  /// What is stored under the key of `object`, or null.
  [[nodiscard]] ObjectPtr<T> Get(const T& object) const {
    return GetByKey(MetaNamespaceKey(store_->type().meta(&object)));
  }
  /// A snapshot in arbitrary order.
  [[nodiscard]] std::vector<ObjectPtr<T>> List() const { return Typed(store_->List()); }
  [[nodiscard]] std::vector<std::string> ListKeys() const { return store_->ListKeys(); }
  [[nodiscard]] std::size_t size() const { return store_->size(); }

  /// Objects that share a value of index `name` with `object`. Errors: kInvalidArgument, no such
  /// index; the same for the next two.
  [[nodiscard]] Result<std::vector<ObjectPtr<T>>> Index(std::string_view name,
                                                        const T& object) const {
    return Typed(store_->Index(name, &object));
  }
  /// Objects with a value of an index.
  [[nodiscard]] Result<std::vector<ObjectPtr<T>>> ByIndex(std::string_view name,
                                                          std::string_view value) const {
    return Typed(store_->ByIndex(name, value));
  }
  /// The keys of the objects with a value of an index, sorted.
  [[nodiscard]] Result<std::vector<std::string>> IndexKeys(std::string_view name,
                                                           std::string_view value) const {
    return store_->IndexKeys(name, value);
  }
  /// The values of an index that are in use, sorted; empty for an unknown index.
  [[nodiscard]] std::vector<std::string> ListIndexFuncValues(std::string_view name) const {
    return store_->ListIndexFuncValues(name);
  }
  /// The names of the indices, sorted.
  [[nodiscard]] std::vector<std::string> GetIndexers() const { return store_->IndexNames(); }
  /// Adds indices, also while the store is in use; what is there is indexed. Errors:
  /// kInvalidArgument when a name is taken or a function empty; then none is added.
  Result<void> AddIndexers(Indexers<T> indexers) const {
    std::vector<std::pair<std::string, AnyIndexFunc>> erased;
    for (auto& [name, func] : indexers) {
      AnyIndexFunc any;
      if (func) {
        any = [func = std::move(func)](const void* object) {
          return func(*static_cast<const T*>(object));
        };
      }
      erased.emplace_back(std::move(name), std::move(any));
    }
    return store_->AddIndexers(std::move(erased));
  }

 protected:
  [[nodiscard]] ThreadSafeStore& store() const { return *store_; }

 private:
  static std::vector<ObjectPtr<T>> Typed(std::vector<runtime::AnyPtr> objects) {
    std::vector<ObjectPtr<T>> typed;
    typed.reserve(objects.size());
    for (auto& object : objects)
      typed.push_back(std::static_pointer_cast<const T>(std::move(object)));
    return typed;
  }
  static Result<std::vector<ObjectPtr<T>>> Typed(Result<std::vector<runtime::AnyPtr>> objects) {
    if (!objects) return std::move(objects).error();
    return Typed(std::move(*objects));
  }

  std::shared_ptr<ThreadSafeStore> store_;
};

namespace detail {
[[nodiscard]] Error NullObject();
}

/// A store of your own, with the index "namespace". Mirrors cache.NewIndexer(MetaNamespaceKeyFunc).
template <class T>
class Store : public Indexer<T> {
 public:
  Store() : Indexer<T>(New()) {}

  /// Adds or replaces. Errors: kInvalidArgument for a null object; then nothing is changed. The
  /// same for the next two.
  Result<void> Add(ObjectPtr<T> object) const {
    if (object == nullptr) return detail::NullObject();
    std::string key = KeyOf(*object);
    this->store().Set(std::move(key), std::move(object));
    return {};
  }
  Result<void> Update(ObjectPtr<T> object) const { return Add(std::move(object)); }
  /// Becomes exactly this.
  Result<void> Replace(std::vector<ObjectPtr<T>> objects,
                       std::string_view resource_version = {}) const {
    std::vector<ThreadSafeStore::Change> changes;
    for (auto& object : objects) {
      if (object == nullptr) return detail::NullObject();
      std::string key = KeyOf(*object);
      changes.push_back({std::move(key), std::move(object)});
    }
    this->store().Replace(std::move(changes), resource_version);
    return {};
  }
  /// Removes what is stored under the key of `object`; nothing there is fine.
  void Delete(const T& object) const { this->store().Remove(KeyOf(object)); }

 private:
  [[nodiscard]] std::string KeyOf(const T& object) const {
    return MetaNamespaceKey(this->store().type().meta(&object));
  }
  static std::shared_ptr<ThreadSafeStore> New() {
    std::shared_ptr<const runtime::ObjectType> type(std::shared_ptr<const void>(),
                                                    &runtime::ObjectTypeOf<T>());
    auto store = std::make_shared<ThreadSafeStore>(type);
    (void)store->AddIndexers({{std::string(kNamespaceIndex), NamespaceIndexFunc(type)}});
    return store;
  }
};

}  // namespace k8s::inline v0::cache
