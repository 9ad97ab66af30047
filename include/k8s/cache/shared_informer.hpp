#pragma once

#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/index.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/status.hpp>
#include <k8s/cache/store.hpp>
#include <k8s/clock.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace k8s::inline v0::cache {

/// Keeps a local copy of one resource's objects, and tells handlers how it changes. Mirrors
/// cache.SharedIndexInformer.
///
/// What holds:
/// - The store eventually equals what the server has, whatever fails in between, and every handler
/// has
///   then been told of the final state of each object that was ever in the store. States in between
///   may be missed while the watch is interrupted.
/// - The store is changed first, handlers are told afterwards; each handler in exactly the order of
///   the changes. A handler that is added late is first told of all objects in the store.
/// - A deletion that was missed is delivered with the last known state (`finalStateUnknown`). An
///   object that was deleted and created anew in between is a deletion and an add.
/// - A cached object is never replaced by an older version of itself, except by a list: what the
///   server lists is the truth.
///
/// Deviations from client-go: an object that a list or an event shows unchanged (same uid and
/// resourceVersion) keeps its pointer and is no update; client-go delivers one, to some handlers. A
/// handler that throws goes on without a pause, and counts as synced. Removing a handler waits for
/// its running callback.
///
/// Threads: two while it runs (the caller of `Run`, and the reflector with its helper), and one per
/// handler.
///
/// **Thread safety.** A cheap handle. All members from any thread, handlers included.
/// **Lifetime.** Ends with the last handle and `Run`. A handler that keeps a handle to its own
/// informer keeps it alive until the informer has stopped or the handler is removed.
template <class T>
class SharedIndexInformer {
 public:
  /// Mirrors NewSharedIndexInformer.
  explicit SharedIndexInformer(std::shared_ptr<ListerWatcher> lister_watcher,
                               SharedInformerOptions options = {}, Indexers<T> indexers = {})
      : SharedIndexInformer(SharedInformerCore::New(runtime::ObjectTypeOf<T>(),
                                                    std::move(lister_watcher), std::move(options),
                                                    ToAnyIndexers<T>(std::move(indexers)))) {}
  /// Another handle to an informer of T.
  explicit SharedIndexInformer(std::shared_ptr<SharedInformerCore> core) : core_(std::move(core)) {}

  /// Adds a handler. It is called with all objects in the store (`isInInitialList` true), then with
  /// each change. The same handler may be added several times. Error: kClosed after the informer
  /// has stopped.
  Result<ResourceEventHandlerRegistration> AddEventHandler(ResourceEventHandlerFuncs<T> handler,
                                                           HandlerOptions options = {}) const {
    return core_->AddEventHandler(ToAnyEventHandler<T>(std::move(handler)), std::move(options));
  }
  Result<ResourceEventHandlerRegistration> AddEventHandler(
      std::shared_ptr<ResourceEventHandler<T>> handler, HandlerOptions options = {}) const {
    return AddEventHandler(
        {.onAdd = [handler](const ObjectPtr<T>& object,
                            bool initial) { handler->OnAdd(object, initial); },
         .onUpdate = [handler](const ObjectPtr<T>& before,
                               const ObjectPtr<T>& after) { handler->OnUpdate(before, after); },
         .onDelete = [handler](const DeletedObject<T>& gone) { handler->OnDelete(gone); }},
        std::move(options));
  }

  /// Removes a handler; what is pending for it is dropped. Returns when no callback of it runs any
  /// more. Called by a handler, this one or another, it does not wait: then one more callback may
  /// be running, and none follows. Does nothing for a handler that is gone or belongs to another
  /// informer.
  /// **Blocking.** For as long as the running callback takes. Hold no lock that a callback needs.
  Result<void> RemoveEventHandler(const ResourceEventHandlerRegistration& registration) const {
    return core_->RemoveEventHandler(registration);
  }
  /// The same, under client-go's name of the form that waits.
  Result<void> ShutDownEventHandler(const ResourceEventHandlerRegistration& registration) const {
    return core_->RemoveEventHandler(registration);
  }

  /// Adds indices, over objects that are there already as well. Errors: kInvalidArgument, and
  /// nothing added, if a name is taken; kClosed after the informer has stopped.
  Result<void> AddIndexers(Indexers<T> indexers) const {
    return core_->AddIndexers(ToAnyIndexers<T>(std::move(indexers)));
  }
  /// The store, for reading. It has the index kNamespaceIndex.
  [[nodiscard]] Indexer<T> GetIndexer() const { return Indexer<T>(core_->store()); }
  /// The same, as client-go calls it too.
  [[nodiscard]] Indexer<T> GetStore() const { return GetIndexer(); }

  /// Changes objects before they are stored, on the reflector's thread. An object that cannot be
  /// transformed is reported and skipped. The last call wins. Error: kInvalidArgument after start.
  Result<void> SetTransform(TransformFunc<T> transform) const {
    return core_->SetTransform(ToAnyTransform<T>(std::move(transform)));
  }
  /// Who is told of failures; the last call wins. Error: kInvalidArgument after start.
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler) const {
    return core_->SetWatchErrorHandler(std::move(handler));
  }

  /// Follows the server until `stop` is triggered. When it returns, all threads have ended, no
  /// handler is called any more and all are gone; the store still answers. An informer runs once.
  /// Error: kInvalidArgument if it was run before. Factories call this.
  /// **Blocking.** Ends at once on stop, save for a running callback. Must not be called by a
  /// handler.
  Result<void> Run(std::stop_token stop) const { return core_->Run(std::move(stop)); }

  /// Whether the store has the complete initial state. Stays true.
  [[nodiscard]] bool HasSynced() const { return core_->HasSynced(); }
  /// Waits for that. Errors: kTimeout; kCancelled; kClosed when it stopped before.
  /// **Blocking.** Ends at once on stop.
  Result<void> WaitForSync(Clock::Duration timeout, std::stop_token stop = {}) const {
    return core_->WaitForSync(timeout, std::move(stop));
  }
  /// Whether `Run` has returned, or is about to.
  [[nodiscard]] bool IsStopped() const { return core_->IsStopped(); }

  /// The newest resource version received; the store may be a little behind. Empty before the first
  /// complete state.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  /// The resource version up to which the store is complete.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return core_->store()->LastStoreSyncResourceVersion();
  }
  /// How fresh it is, and what failed last.
  [[nodiscard]] InformerStatus Status() const { return core_->Status(); }

  /// The type-erased informer.
  [[nodiscard]] const std::shared_ptr<SharedInformerCore>& Erased() const { return core_; }

 private:
  std::shared_ptr<SharedInformerCore> core_;
};

}  // namespace k8s::inline v0::cache
