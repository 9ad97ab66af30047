#pragma once

#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/index.hpp>
#include <k8s/cache/reflector.hpp>
#include <k8s/cache/status.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/clock.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <stop_token>
#include <string>

namespace k8s::inline v0::cache {

class ListerWatcher;

/// How an informer works. The defaults suit production.
struct SharedInformerOptions {
  /// How often all cached objects are delivered again as updates, for handlers that do not name a
  /// period of their own. Default 0: never, and no handler of this informer has a resync then.
  Clock::Duration resyncPeriod{0};
  /// How the server is followed, and the clock. `resyncPeriod` and `shouldResync` in it are the
  /// informer's own business and ignored.
  ReflectorOptions reflector = {};
};

/// The type-erased informer behind all handles. See SharedIndexInformer.
class SharedInformerCore : public std::enable_shared_from_this<SharedInformerCore> {
 public:
  /// `type` must outlive the informer, its store and its listers.
  static std::shared_ptr<SharedInformerCore> New(const runtime::ObjectType& type,
                                                 std::shared_ptr<ListerWatcher> lister_watcher,
                                                 SharedInformerOptions options = {},
                                                 AnyIndexers indexers = {});
  ~SharedInformerCore();
  SharedInformerCore(const SharedInformerCore&) = delete;
  SharedInformerCore& operator=(const SharedInformerCore&) = delete;

  Result<ResourceEventHandlerRegistration> AddEventHandler(AnyEventHandlerFuncs handler,
                                                           HandlerOptions options);
  Result<void> RemoveEventHandler(const ResourceEventHandlerRegistration& registration);
  Result<void> AddIndexers(AnyIndexers indexers);
  Result<void> SetTransform(AnyTransformFunc transform);
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler);

  Result<void> Run(std::stop_token stop);
  [[nodiscard]] bool HasSynced() const;
  Result<void> WaitForSync(Clock::Duration timeout, std::stop_token stop) const;
  [[nodiscard]] bool IsStopped() const;
  [[nodiscard]] std::string LastSyncResourceVersion() const;
  [[nodiscard]] InformerStatus Status() const;

  [[nodiscard]] const std::shared_ptr<ThreadSafeStore>& store() const;
  [[nodiscard]] const runtime::ObjectType& type() const;

 private:
  class Impl;
  explicit SharedInformerCore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace k8s::inline v0::cache
