#pragma once

#include <k8s/cache/reflector_store.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// What happened. Mirrors cache.DeltaType.
enum class DeltaType {
  kAdded,
  kUpdated,
  kDeleted,
  kReplaced,     ///< Grouping only: one object of a list.
  kSync,         ///< Grouping only: one object of a resync.
  kReplacedAll,  ///< A whole list at once.
  kSyncAll,      ///< A resync of all objects.
  kBookmark,     ///< Everything up to a resource version has been received.
};

/// One change. Mirrors cache.Delta.
struct AnyDelta {
  DeltaType type = DeltaType::kAdded;
  std::string key = {};  ///< Empty for kReplacedAll, kSyncAll and kBookmark.
  runtime::AnyPtr object = nullptr;
  /// kDeleted: the deletion was found by a list; `object` is the last known state, or null. Mirrors
  /// DeletedFinalStateUnknown.
  bool finalStateUnknown = false;
  std::vector<KeyedObject> items = {};  ///< kReplacedAll: each key once, in list order.
  std::string resourceVersion = {};     ///< kReplacedAll, kBookmark.
};

/// Changes an object on its way into the queue; returns it or another one of its type. An object
/// that is null or an error is skipped: its key keeps its last state. Must accept its own result.
using AnyTransformFunc = std::function<Result<runtime::AnyPtr>(runtime::AnyPtr object)>;

/// The typed form changes the object in place, to drop what is not needed for example. Mirrors
/// cache.TransformFunc.
template <class T>
using TransformFunc = std::function<Result<void>(T& object)>;

template <class T>
[[nodiscard]] AnyTransformFunc ToAnyTransform(TransformFunc<T> transform) {
  return [transform = std::move(transform)](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
    auto typed = std::static_pointer_cast<const T>(std::move(object));
    // Freshly decoded objects have one owner and can be changed in place.
    auto own = typed.use_count() == 1 ? std::const_pointer_cast<T>(std::move(typed))
                                      : std::make_shared<T>(*typed);
    if (auto done = transform(*own); !done) return done.error();
    return runtime::AnyPtr(std::move(own));
  };
}

struct DeltaFIFOOptions {
  /// What the consumer has stored. Gives `Known`, what is missing in a list, and what a resync
  /// delivers when grouping. May be null.
  std::shared_ptr<const ThreadSafeStore> knownObjects = nullptr;
  /// False: changes are popped in the order of their arrival. True: all changes of a key are popped
  /// together, at the place of the first; client-go's classic form.
  bool groupByKey = false;
  /// Grouping only: the objects of a list are kReplaced; false: kSync, the oldest form.
  bool emitDeltaTypeReplaced = true;
  /// Applied to added, updated, deleted and listed objects before they are queued, on the thread
  /// that queues them. Not applied to what `Known` has given out.
  AnyTransformFunc transform = {};
  /// Told of each object of a list that could not be transformed; it keeps its last known state.
  /// Empty: logged.
  std::function<void(const Error& error)> transformErrorHandler = {};
};

/// The type-erased queue between a reflector and an informer. See DeltaFIFO.
class DeltaFIFOCore final : public ReflectorStore {
 public:
  /// Gets a batch. `isInInitialList`: it belongs to what the queue held when it first got a
  /// complete state.
  using PopFunc = std::function<void(std::vector<AnyDelta> deltas, bool isInInitialList)>;

  explicit DeltaFIFOCore(const runtime::ObjectType& type, DeltaFIFOOptions options = {});
  ~DeltaFIFOCore() override;
  DeltaFIFOCore(const DeltaFIFOCore&) = delete;
  DeltaFIFOCore& operator=(const DeltaFIFOCore&) = delete;

  Result<void> Add(runtime::AnyPtr object) override;
  Result<void> Update(runtime::AnyPtr object) override;
  Result<void> Delete(runtime::AnyPtr object) override;
  Result<void> Replace(std::vector<runtime::AnyPtr> objects,
                       std::string_view resource_version) override;
  Result<void> Resync() override;
  Result<void> Bookmark(std::string_view resource_version) override;
  [[nodiscard]] runtime::AnyPtr Known(std::string_view key) const override;

  Result<void> Pop(const PopFunc& process, std::stop_token stop);
  [[nodiscard]] bool HasSynced() const;
  void Close();
  [[nodiscard]] std::size_t Size() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// A change, typed.
template <class T>
struct Delta {
  DeltaType type = DeltaType::kAdded;
  std::string key = {};  ///< Empty for kReplacedAll, kSyncAll and kBookmark.
  ObjectPtr<T> object = nullptr;
  bool finalStateUnknown = false;        ///< kDeleted: see AnyDelta.
  std::vector<ObjectPtr<T>> items = {};  ///< kReplacedAll: each key once, in list order.
  std::string resourceVersion = {};      ///< kReplacedAll, kBookmark.
};

/// Queues the changes that a reflector receives until they are popped. Mirrors cache.DeltaFIFO and,
/// without `groupByKey`, cache.RealFIFO.
///
/// In order of arrival (the default): nothing is merged or left out. A list, a resync and a
/// bookmark are one change each and are popped alone; all else is popped in batches of up to 1000.
/// Differs from RealFIFO: a batch may hold several changes of one key.
///
/// Grouping by key: a popped batch is all changes of one key. Two deletions in a row become one. A
/// list becomes kReplaced for each of its objects and kDeleted for each key that is known or
/// queued and not in the list; a resync becomes kSync for each known key with nothing queued.
/// The deletion of a key that is neither known nor queued is dropped.
///
/// There is no bound: the producer never waits. What is queued is what has not been applied to the
/// store yet; informers apply it faster than it can be decoded, `Size` shows whether that holds.
///
/// **Thread safety.** All members from any thread; one `Pop` at a time.
template <class T>
class DeltaFIFO {
 public:
  using PopFunc = std::function<void(std::vector<Delta<T>> deltas, bool isInInitialList)>;

  explicit DeltaFIFO(DeltaFIFOOptions options = {})
      : core_(runtime::ObjectTypeOf<T>(), std::move(options)) {}

  // Errors of these: kClosed; kInternal when the transform failed.
  Result<void> Add(ObjectPtr<T> object) { return core_.Add(std::move(object)); }
  Result<void> Update(ObjectPtr<T> object) { return core_.Update(std::move(object)); }
  Result<void> Delete(ObjectPtr<T> object) { return core_.Delete(std::move(object)); }
  Result<void> Replace(std::vector<ObjectPtr<T>> objects, std::string_view resource_version) {
    return core_.Replace({objects.begin(), objects.end()}, resource_version);
  }
  Result<void> Resync() { return core_.Resync(); }

  /// Waits for a batch and hands it to `process`, without a lock. Errors: kClosed, once the queue
  /// is closed and empty; kCancelled, at once, when `stop` is triggered.
  /// **Blocking.** Until something is queued.
  Result<void> Pop(const PopFunc& process, std::stop_token stop) {
    return core_.Pop(
        [&](std::vector<AnyDelta> deltas, bool initial) {
          std::vector<Delta<T>> typed;
          typed.reserve(deltas.size());
          for (AnyDelta& delta : deltas) typed.push_back(ToTyped(std::move(delta)));
          process(std::move(typed), initial);
        },
        std::move(stop));
  }

  /// Whether the first complete state, and all that was queued before it, has been popped and
  /// processed. True at once when single changes came first.
  [[nodiscard]] bool HasSynced() const { return core_.HasSynced(); }
  /// No more can be queued. A waiting `Pop` ends.
  void Close() { core_.Close(); }
  /// How many changes are queued; keys, when grouping.
  [[nodiscard]] std::size_t Size() const { return core_.Size(); }

  /// What a reflector writes into.
  [[nodiscard]] ReflectorStore& AsReflectorStore() { return core_; }

 private:
  static Delta<T> ToTyped(AnyDelta delta) {
    Delta<T> typed{delta.type,
                   std::move(delta.key),
                   Cast(std::move(delta.object)),
                   delta.finalStateUnknown,
                   {},
                   std::move(delta.resourceVersion)};
    for (KeyedObject& item : delta.items) typed.items.push_back(Cast(std::move(item.object)));
    return typed;
  }
  static ObjectPtr<T> Cast(runtime::AnyPtr object) {
    return std::static_pointer_cast<const T>(std::move(object));
  }

  DeltaFIFOCore core_;
};

}  // namespace k8s::inline v0::cache
