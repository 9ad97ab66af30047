#pragma once

#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/store.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

/// A local copy of a set of objects that follows the API server, and the source of its events.
/// Mirrors cache.SharedIndexInformer; several parts of a program share one.
///
/// What holds: the store eventually equals the server's state. A handler hears of every change of
/// the store after it was made, in its order; a handler that comes late first hears an add for all
/// that is there; nothing is missed or doubled. What vanished while the connection was down is
/// deleted with `finalStateUnknown`; what was deleted and made anew under the same name in the
/// meantime (another UID) is a delete and an add. An older resource version never replaces a newer
/// one, except by a new list.
/// Differs from client-go: an object that a new list shows unchanged is no update for anybody, and
/// a delete of an object that the store never had is no event.
///
/// **Thread safety.** A cheap handle; all members of all copies may be called from any thread, in
/// handlers too.
/// **Lifetime.** Handles keep the store alive; the last one must not be dropped inside a handler.
template <class T>
class SharedIndexInformer {
 public:
  explicit SharedIndexInformer(std::shared_ptr<SharedInformerCore> core) : core_(std::move(core)) {}

  /// Makes an informer that no factory knows. `Run` it on a thread of your own. Mirrors
  /// NewSharedIndexInformer.
  static SharedIndexInformer New(std::shared_ptr<ListerWatcher> lister_watcher,
                                 SharedInformerOptions options = {}) {
    std::shared_ptr<const runtime::ObjectType> type(std::shared_ptr<const void>(),
                                                    &runtime::ObjectTypeOf<T>());
    return SharedIndexInformer(std::make_shared<SharedInformerCore>(
        std::move(type), std::move(lister_watcher), std::move(options)));
  }

  /// Adds a handler; it stays until it is removed or the informer stops, whatever happens to the
  /// registration. Functions may be empty, all of them too: `{}` hears nothing. Errors: kClosed
  /// after the informer has stopped; kInvalidArgument for a null handler, an empty filter, or a
  /// bound of 0 in `options`.
  Result<ResourceEventHandlerRegistration> AddEventHandler(ResourceEventHandlerFuncs<T> handler,
                                                           HandlerOptions options = {}) const {
    return core_->AddEventHandler(
        std::make_unique<detail::HandlerFuncsAdapter<T>>(std::move(handler)), std::move(options));
  }
  // Templates, so that `{}` means the functions.
  template <int = 0>
  Result<ResourceEventHandlerRegistration> AddEventHandler(
      std::shared_ptr<ResourceEventHandler<T>> handler, HandlerOptions options = {}) const {
    if (handler == nullptr) return InvalidArgument("the event handler is null");
    return core_->AddEventHandler(std::make_unique<detail::HandlerAdapter<T>>(std::move(handler)),
                                  std::move(options));
  }
  template <int = 0>
  Result<ResourceEventHandlerRegistration> AddEventHandler(FilteringResourceEventHandler<T> handler,
                                                           HandlerOptions options = {}) const {
    if (!handler.filter) return InvalidArgument("the event handler's filter is empty");
    return core_->AddEventHandler(std::make_unique<detail::FilteringAdapter<T>>(std::move(handler)),
                                  std::move(options));
  }

  /// Removes a handler; what is pending for it is dropped. Returns when no callback of it runs any
  /// more. Called by a handler, this one or another, it does not wait: a callback that is running
  /// goes on, and none follows. Removing twice, or a registration of another informer, does
  /// nothing. Mirrors RemoveEventHandler and ShutDownEventHandler; unlike the former it waits.
  /// **Blocking.** As long as the running callback; hold no lock that the callback needs.
  void RemoveEventHandler(const ResourceEventHandlerRegistration& registration) const {
    core_->RemoveEventHandler(registration);
  }

  /// Replaces each received object before it is stored; return an object of your own making or the
  /// same one. An error or null leaves what is known of the object as it is until its next change,
  /// and is reported. Of several calls the last one counts, also against FactoryOptions::transform.
  /// Errors: kInvalidArgument for an empty function, and after `Run` began. Mirrors SetTransform;
  /// called once per object.
  Result<void> SetTransform(std::function<Result<ObjectPtr<T>>(ObjectPtr<T>)> transform) const {
    if (!transform) return InvalidArgument("the transform is empty");
    return core_->SetTransform(
        [transform = std::move(transform)](runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
          auto changed = transform(detail::Typed<T>(object));
          if (!changed) return std::move(changed).error();
          return runtime::AnyPtr(std::move(*changed));
        });
  }
  /// Told of every failure; the last call counts, an empty function means the log. Errors:
  /// kInvalidArgument after `Run` began.
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler) const {
    return core_->SetWatchErrorHandler(std::move(handler));
  }

  /// The store, read-only; indices may be added at any time.
  [[nodiscard]] Indexer<T> GetIndexer() const { return Indexer<T>(core_->store()); }
  [[nodiscard]] Indexer<T> GetStore() const { return GetIndexer(); }
  Result<void> AddIndexers(Indexers<T> indexers) const {
    return GetIndexer().AddIndexers(std::move(indexers));
  }

  /// Follows the server until `stop` is triggered; once only (kInvalidArgument the second time).
  /// Returns when all threads of the informer have ended. Factories call it; handlers must not.
  Result<void> Run(std::stop_token stop) const { return core_->Run(std::move(stop)); }

  /// Whether the first complete state is in the store and on its way to the handlers.
  [[nodiscard]] bool HasSynced() const { return core_->HasSynced(); }
  [[nodiscard]] bool IsStopped() const { return core_->IsStopped(); }
  /// The newest resource version received; the store may be behind it.
  [[nodiscard]] std::string LastSyncResourceVersion() const {
    return core_->LastSyncResourceVersion();
  }
  /// The newest resource version in the store.
  [[nodiscard]] std::string LastStoreSyncResourceVersion() const {
    return core_->store()->LastResourceVersion();
  }
  /// Reads your own writes: waits until the store has applied everything up to
  /// `resource_version`, that of an object that a client created, updated, patched or deleted.
  /// Afterwards listers show that write, or a later state. Bookmarks count, so that it does not
  /// matter whether the object belongs to this informer (a selector may hide it).
  ///
  /// Versions of another resource can be waited for only if the server keeps both in one etcd:
  /// built-in kinds usually (not events, where they have an etcd of their own), aggregated APIs
  /// not. Such a wait takes until the next event or bookmark of this informer, a minute maybe.
  ///
  /// Errors: kInvalidArgument for a version that is no number, and for a store whose version is
  /// none; kTimeout, which names the resource, both versions and the last failure; kCancelled when
  /// `stop` was triggered; kClosed when the informer stopped before. `timeout` 0 asks without
  /// waiting.
  /// **Blocking.** Not in a handler that blocks the informer (PendingPolicy::kBlock). No polling.
  Result<void> WaitForResourceVersion(std::string_view resource_version, Clock::Duration timeout,
                                      std::stop_token stop) const {
    return core_->WaitForResourceVersion(resource_version, timeout, std::move(stop));
  }

  [[nodiscard]] InformerStatus Status() const { return core_->Status(); }
  /// Whether the store is known to have followed the server until at most `max_age` ago.
  [[nodiscard]] Freshness CheckFreshness(Clock::Duration max_age = kDefaultMaxAge) const {
    return core_->CheckFreshness(max_age);
  }

  [[nodiscard]] const std::shared_ptr<SharedInformerCore>& core() const { return core_; }

 private:
  std::shared_ptr<SharedInformerCore> core_;
};

}  // namespace k8s::inline v0::cache
