#pragma once

#include <k8s/cache/index.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

struct KeyedObject {
  std::string key;
  runtime::AnyPtr object;
};

/// One write of a transaction.
struct StoreWrite {
  enum class Verb { kPut, kDelete };
  Verb verb = Verb::kPut;
  std::string key;
  /// kPut: what to store. kDelete: the last state, for its resource version; may be null.
  runtime::AnyPtr object;

  runtime::AnyPtr previous = nullptr;  ///< Answer: what was stored before, or null.
  bool refused = false;                ///< Answer: `admit` said no, nothing was changed.
};

/// Receives the objects of a list, under the store's read lock.
class ObjectSink {
 public:
  virtual ~ObjectSink() = default;
  /// At most `count` objects follow.
  virtual void Reserve(std::size_t count) = 0;
  virtual void Push(const runtime::AnyPtr& object) = 0;
};

/// Fills a vector of typed pointers.
template <class T>
class VectorSink final : public ObjectSink {
 public:
  void Reserve(std::size_t count) override { objects_.reserve(count); }
  void Push(const runtime::AnyPtr& object) override {
    objects_.push_back(std::static_pointer_cast<const T>(object));
  }
  [[nodiscard]] std::vector<ObjectPtr<T>> Take() { return std::move(objects_); }

 private:
  std::vector<ObjectPtr<T>> objects_;
};

/// The type-erased store under all caches: objects by key, and any number of indices over them.
/// Users work with `Indexer<T>`, `Store<T>` and listers. Mirrors cache.ThreadSafeStore.
///
/// **Thread safety.** All members from any thread. Writers run one after the other; a reader waits
/// at most for the short time in which a finished write is put in place, never for an index
/// function. Writers go before readers.
/// Cost: a lookup is one hash; a list one reference count per object; a key string is kept once.
class ThreadSafeStore {
 public:
  /// Whether a write is to be made, `write.previous` being what is stored now. Called under the
  /// lock.
  using AdmitFunc = bool (*)(const runtime::ObjectType& type, const StoreWrite& write);

  /// `type` may be null for objects that are no Kubernetes objects: then the store's resource
  /// version moves only with `Replace` and `Bookmark`. It must outlive the store.
  explicit ThreadSafeStore(const runtime::ObjectType* type, AnyIndexers indexers = {});
  ~ThreadSafeStore();
  ThreadSafeStore(const ThreadSafeStore&) = delete;
  ThreadSafeStore& operator=(const ThreadSafeStore&) = delete;

  // ---- Writing

  void Put(std::string key, runtime::AnyPtr object);
  /// Does nothing when there is no such key.
  void Delete(std::string_view key);
  /// Makes all writes in one step, in their order, and fills in their answers.
  void Transaction(std::span<StoreWrite> writes, AdmitFunc admit = nullptr);
  /// Makes `items` the whole content in one step. Of repeated keys the last counts. Returns what
  /// was stored under keys that are gone.
  std::vector<KeyedObject> Replace(std::vector<KeyedObject> items,
                                   std::string_view resource_version);
  /// All up to `resource_version` has been stored.
  void Bookmark(std::string_view resource_version);

  /// Adds indices over what is stored and what comes. Error: kInvalidArgument, and nothing added,
  /// if a name is taken.
  Result<void> AddIndexers(AnyIndexers indexers);

  // ---- Reading. Lists are snapshots in no particular order.

  /// Null when absent.
  [[nodiscard]] runtime::AnyPtr GetByKey(std::string_view key) const;
  [[nodiscard]] std::size_t Size() const;
  void List(ObjectSink& sink) const;
  /// The objects of a namespace, by its index if there is one. An empty `ns`: all.
  void ListNamespace(std::string_view ns, ObjectSink& sink) const;
  [[nodiscard]] std::vector<std::string> ListKeys() const;
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const;

  /// The objects that have an index value in common with `object`. Errors of these:
  /// kInvalidArgument for an unknown index.
  Result<void> Index(std::string_view index, const void* object, ObjectSink& sink) const;
  Result<void> ByIndex(std::string_view index, std::string_view value, ObjectSink& sink) const;
  /// Sorted.
  Result<std::vector<std::string>> IndexKeys(std::string_view index, std::string_view value) const;
  /// The values in use, sorted. None for an unknown index.
  [[nodiscard]] std::vector<std::string> ListIndexFuncValues(std::string_view index) const;
  [[nodiscard]] std::vector<std::string> IndexNames() const;

  [[nodiscard]] const runtime::ObjectType* type() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace k8s::inline v0::cache
