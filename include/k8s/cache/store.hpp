#pragma once

#include <k8s/cache/index.hpp>
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

/// Reads a store, an informer's for example, and adds indices to it. Objects are shared and
/// immutable; lists are snapshots in no particular order. Mirrors the reading half of
/// cache.Indexer: only the informer writes into its store.
///
/// **Thread safety.** A cheap handle. All members from any thread, handlers included.
/// **Lifetime.** Keeps the store; it still answers after its informer has stopped.
template <class T>
class Indexer {
 public:
  explicit Indexer(std::shared_ptr<ThreadSafeStore> store) : store_(std::move(store)) {}

  /// The object of a key ("namespace/name", or "name" without namespace), or null.
  [[nodiscard]] ObjectPtr<T> GetByKey(std::string_view key) const {
    return std::static_pointer_cast<const T>(store_->GetByKey(key));
  }
  [[nodiscard]] std::vector<ObjectPtr<T>> List() const {
    VectorSink<T> sink;
    store_->List(sink);
    return sink.Take();
  }
  [[nodiscard]] std::vector<std::string> ListKeys() const { return store_->ListKeys(); }
  [[nodiscard]] std::size_t Size() const { return store_->Size(); }

  /// The objects that share a value with `object`, stored or not, in an index. Error of these:
  /// kInvalidArgument for an unknown index.
  Result<std::vector<ObjectPtr<T>>> Index(std::string_view index, const T& object) const {
    VectorSink<T> sink;
    auto found = store_->Index(index, &object, sink);
    if (!found) return found.error();
    return sink.Take();
  }
  /// The objects of one value of an index.
  Result<std::vector<ObjectPtr<T>>> ByIndex(std::string_view index, std::string_view value) const {
    VectorSink<T> sink;
    auto found = store_->ByIndex(index, value, sink);
    if (!found) return found.error();
    return sink.Take();
  }
  /// Their keys, sorted.
  Result<std::vector<std::string>> IndexKeys(std::string_view index, std::string_view value) const {
    return store_->IndexKeys(index, value);
  }
  /// The values that an index has at present, sorted; none for an unknown index.
  [[nodiscard]] std::vector<std::string> ListIndexFuncValues(std::string_view index) const {
    return store_->ListIndexFuncValues(index);
  }
  /// Adds indices, over objects that are there already as well. Error: kInvalidArgument, and
  /// nothing added, if a name is taken.
  Result<void> AddIndexers(Indexers<T> indexers) const {
    return store_->AddIndexers(ToAnyIndexers<T>(std::move(indexers)));
  }

  /// The resource version up to which the store is known to be complete. After a write of one's own
  /// that returned version v, the store shows it once this is v or newer
  /// (`CompareResourceVersion`).
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return store_->LastStoreSyncResourceVersion();
  }

  /// The type-erased store.
  [[nodiscard]] const std::shared_ptr<ThreadSafeStore>& Erased() const { return store_; }

 protected:
  std::shared_ptr<ThreadSafeStore> store_;
};

/// Gives an object's key. An error is handed on to who stores the object.
template <class T>
using KeyFunc = std::function<Result<std::string>(const T& object)>;

/// A write of `Store::Transaction`.
template <class T>
struct StoreTransaction {
  StoreWrite::Verb verb = StoreWrite::Verb::kPut;
  ObjectPtr<T> object;
};

/// A store that its user fills. Mirrors cache.Store and cache.Indexer; see `NewStore`.
/// **Thread safety, lifetime.** As of Indexer: a handle, copies share the content.
template <class T>
class Store : public Indexer<T> {
 public:
  Store(std::shared_ptr<ThreadSafeStore> store, KeyFunc<T> key_func)
      : Indexer<T>(std::move(store)), key_func_(std::move(key_func)) {}

  // Errors of all: what the key function returned.

  Result<void> Add(ObjectPtr<T> object) const {
    auto key = key_func_(*object);
    if (!key) return key.error();
    this->store_->Put(*std::move(key), std::move(object));
    return {};
  }
  /// The same as Add, as in client-go.
  Result<void> Update(ObjectPtr<T> object) const { return Add(std::move(object)); }
  /// Does nothing when it is absent.
  Result<void> Delete(const T& object) const {
    auto key = key_func_(object);
    if (!key) return key.error();
    this->store_->Delete(*key);
    return {};
  }
  /// What is stored under the key of `object`, or null.
  Result<ObjectPtr<T>> Get(const T& object) const {
    auto key = key_func_(object);
    if (!key) return key.error();
    return this->GetByKey(*key);
  }
  /// Makes `objects` the whole content, in one step. Changes nothing on error.
  Result<void> Replace(std::vector<ObjectPtr<T>> objects, std::string_view resource_version) const {
    std::vector<KeyedObject> items;
    items.reserve(objects.size());
    for (auto& object : objects) {
      auto key = key_func_(*object);
      if (!key) return key.error();
      items.push_back({*std::move(key), std::move(object)});
    }
    this->store_->Replace(std::move(items), resource_version);
    return {};
  }
  /// Makes all writes in one step. Returns the positions of those that have no key; all others are
  /// made.
  std::vector<std::size_t> Transaction(std::vector<StoreTransaction<T>> transactions) const {
    std::vector<StoreWrite> writes;
    std::vector<std::size_t> failed;
    for (std::size_t i = 0; i < transactions.size(); ++i) {
      auto key = key_func_(*transactions[i].object);
      if (key) {
        writes.push_back(
            {transactions[i].verb, *std::move(key), std::move(transactions[i].object)});
      } else {
        failed.push_back(i);
      }
    }
    this->store_->Transaction(writes);
    return failed;
  }

 private:
  KeyFunc<T> key_func_;
};

/// A store of Kubernetes objects with the given indices, by "namespace/name".
template <class T>
[[nodiscard]] Store<T> NewIndexer(Indexers<T> indexers = {}) {
  const runtime::ObjectType& type = runtime::ObjectTypeOf<T>();
  return {std::make_shared<ThreadSafeStore>(&type, ToAnyIndexers<T>(std::move(indexers))),
          [&type](const T& object) -> Result<std::string> {
            return MetaNamespaceKeyFunc(type, &object);
          }};
}
/// A store of anything by a key of one's own.
template <class T>
[[nodiscard]] Store<T> NewIndexer(KeyFunc<T> key_func, Indexers<T> indexers = {}) {
  return {std::make_shared<ThreadSafeStore>(nullptr, ToAnyIndexers<T>(std::move(indexers))),
          std::move(key_func)};
}

/// The same without indices.
template <class T>
[[nodiscard]] Store<T> NewStore() {
  return NewIndexer<T>();
}
template <class T>
[[nodiscard]] Store<T> NewStore(KeyFunc<T> key_func) {
  return NewIndexer<T>(std::move(key_func));
}

}  // namespace k8s::inline v0::cache
