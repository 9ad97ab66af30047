#pragma once

#include <k8s/cache/reflector_store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::cache {

class ThreadSafeStore;

/// What happened to an object. Mirrors cache.DeltaType.
enum class DeltaType { kAdded, kUpdated, kDeleted, kReplaced, kSync };

/// One change of one object. Mirrors cache.Delta.
struct Delta {
  DeltaType type = DeltaType::kAdded;
  std::string key;
  /// The new state; for kDeleted the last one, null if it was never known.
  runtime::AnyPtr object;
  /// kDeleted: the deletion was inferred from a list, so `object` may be out of date. Mirrors
  /// DeletedFinalStateUnknown.
  bool finalStateUnknown = false;
};

/// What one Pop hands out.
struct Deltas {
  enum class Kind {
    kChanges,   ///< `deltas`, in order of arrival; each key at most once, unless grouped by key.
    kReplaced,  ///< `deltas` is the complete state: all that is not in it is gone.
    kSync,      ///< Everything in the store is to be delivered once more.
    kBookmark,  ///< Nothing but a newer `resourceVersion`.
  };
  Kind kind = Kind::kChanges;
  std::vector<Delta> deltas = {};
  std::string resourceVersion = {};  ///< The newest one that came with these; may be empty.
  /// Whether they are part of what the first list brought.
  bool isInInitialList = false;
};

/// Changes an object before it is queued. Null or an error leaves the object out.
using AnyTransformFunc = std::function<Result<runtime::AnyPtr>(runtime::AnyPtr object)>;

struct DeltaFIFOOptions {
  /// false: strict order of arrival across keys; a list, a resync and a bookmark are one element
  /// each. true: the classic form, all deltas of one key at a time, at the place of its first one;
  /// a list becomes a kReplaced per object and a kDeleted per key that vanished.
  bool groupByKey = false;
  /// Most deltas of one Pop in strict order. Not 0.
  std::size_t maxBatch = 1000;
  AnyTransformFunc transform = {};
  /// What is in the consumer's store: asked for what vanished (grouped) and by `Known`. Null:
  /// nothing is. Must outlive the queue.
  const ThreadSafeStore* knownObjects = nullptr;
};

/// The queue between a Reflector and the store of an informer. Mirrors cache.RealFIFO, and with
/// `groupByKey` cache.DeltaFIFO. Unbounded; consumers are expected never to block for long.
///
/// Deltas that fail to be processed are not queued again.
/// **Thread safety.** Producers and one consumer may work at the same time.
class DeltaFIFO final : public ReflectorStore {
 public:
  explicit DeltaFIFO(std::shared_ptr<const runtime::ObjectType> type,
                     DeltaFIFOOptions options = {});
  ~DeltaFIFO() override;
  DeltaFIFO(const DeltaFIFO&) = delete;
  DeltaFIFO& operator=(const DeltaFIFO&) = delete;

  Result<void> Add(runtime::AnyPtr object) override;
  Result<void> Update(runtime::AnyPtr object) override;
  /// In grouped form a key that is neither queued nor known is ignored.
  Result<void> Delete(runtime::AnyPtr object) override;
  /// An object whose transform fails keeps the state that is known, or is left out; it is logged.
  Result<void> Replace(std::vector<runtime::AnyPtr> objects,
                       std::string_view resource_version) override;
  /// In grouped form: a kSync for every known key that has nothing queued.
  Result<void> Resync() override;
  Result<void> Bookmark(std::string_view resource_version) override;
  [[nodiscard]] runtime::AnyPtr Known(std::string_view key) const override;

  /// Waits for the next deltas and calls `process` with them, without a lock. Errors: kClosed once
  /// closed and empty, kCancelled.
  /// **Blocking.** Ends at once on `Close` (when empty) and when `stop` is triggered.
  Result<void> Pop(const std::function<void(Deltas&&)>& process, std::stop_token stop);
  /// The same for what is queued now: returns whether anything was, and does not wait.
  bool TryPop(const std::function<void(Deltas&&)>& process);

  /// Whether everything that was queued up to and with the first Replace has been processed; also
  /// true when the first call was an Add, Update or Delete.
  [[nodiscard]] bool HasSynced() const;
  /// Ends the queue: later additions fail with kClosed.
  void Close();
  [[nodiscard]] bool IsClosed() const;
  /// Elements queued: deltas, lists, resyncs and bookmarks.
  [[nodiscard]] std::size_t size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace k8s::inline v0::cache
