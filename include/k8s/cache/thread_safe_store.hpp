#pragma once

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

/// The index that every informer's store has: objects by namespace.
inline constexpr std::string_view kNamespaceIndex = "namespace";

/// The values under which an object is found in one index; none keeps it out. Must depend on the
/// object alone. Called on the thread that writes, while readers go on; it may read the store but
/// not write to it. What it throws keeps the object out of that index, and is logged.
using AnyIndexFunc = std::function<std::vector<std::string>(const void* object)>;

/// Objects by key with secondary indices: the type-erased store behind Store<T>, Indexer<T> and
/// every informer. Mirrors cache.ThreadSafeStore.
///
/// **Thread safety.** All members may be called from any thread. Readers do not wait for each
/// other, and for a writer only while it puts a finished change in place; writers go before new
/// readers. Cost. Get is one hash look-up; lists copy a shared_ptr per object.
class ThreadSafeStore {
 public:
  /// The change of one key in a batch.
  struct Change {
    std::string key;
    runtime::AnyPtr object;  ///< Null: remove the key.
  };

  explicit ThreadSafeStore(std::shared_ptr<const runtime::ObjectType> type);
  ~ThreadSafeStore();
  ThreadSafeStore(const ThreadSafeStore&) = delete;
  ThreadSafeStore& operator=(const ThreadSafeStore&) = delete;

  [[nodiscard]] const runtime::ObjectType& type() const { return *type_; }

  /// Adds or replaces. `object` is not null.
  void Set(std::string key, runtime::AnyPtr object);
  /// Removes; an unknown key is fine.
  void Remove(std::string_view key);
  /// Several changes, in order, in one step for readers. `resource_version` becomes
  /// `LastResourceVersion` unless it is empty.
  void Apply(std::vector<Change> changes, std::string_view resource_version);
  /// The complete content, in one step for readers. Rebuilds the indices. Of two objects with one
  /// key the later counts.
  void Replace(std::vector<Change> objects, std::string_view resource_version);
  void SetResourceVersion(std::string_view resource_version);

  /// Null when there is none.
  [[nodiscard]] runtime::AnyPtr Get(std::string_view key) const;
  [[nodiscard]] bool Contains(std::string_view key) const;
  /// A snapshot, in arbitrary order.
  [[nodiscard]] std::vector<runtime::AnyPtr> List() const;
  [[nodiscard]] std::vector<std::string> ListKeys() const;
  [[nodiscard]] std::size_t size() const;
  /// The resource version of the newest change that is in the store. Empty before the first.
  [[nodiscard]] std::string LastResourceVersion() const;

  /// Adds indices and fills them from what is there. Errors: kInvalidArgument when a name is taken
  /// or a function empty; then none is added.
  Result<void> AddIndexers(std::vector<std::pair<std::string, AnyIndexFunc>> indexers);
  [[nodiscard]] bool HasIndex(std::string_view name) const;
  /// Objects with that value, in arbitrary order. Errors: kInvalidArgument, unknown index.
  [[nodiscard]] Result<std::vector<runtime::AnyPtr>> ByIndex(std::string_view name,
                                                             std::string_view value) const;
  /// Objects that share a value with `object`, each once. Errors: as ByIndex.
  [[nodiscard]] Result<std::vector<runtime::AnyPtr>> Index(std::string_view name,
                                                           const void* object) const;
  /// Keys with that value, sorted. Errors: as ByIndex.
  [[nodiscard]] Result<std::vector<std::string>> IndexKeys(std::string_view name,
                                                           std::string_view value) const;
  /// The values in use, sorted. Empty for an unknown index.
  [[nodiscard]] std::vector<std::string> ListIndexFuncValues(std::string_view name) const;
  /// The indices' names, sorted.
  [[nodiscard]] std::vector<std::string> IndexNames() const;

  /// Calls `visit` for every object with that value of an index, or for all objects with an empty
  /// `index`, under the lock: `visit` must not call the store. Returns false for an unknown index.
  bool Visit(std::string_view index, std::string_view value,
             const std::function<void(const runtime::AnyPtr&)>& visit) const;

 private:
  struct Data;
  std::shared_ptr<const runtime::ObjectType> type_;
  std::unique_ptr<Data> data_;
};

/// The value of `kNamespaceIndex`.
[[nodiscard]] AnyIndexFunc NamespaceIndexFunc(std::shared_ptr<const runtime::ObjectType> type);

}  // namespace k8s::inline v0::cache
