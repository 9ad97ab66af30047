#pragma once

#include <k8s/cache/delta_fifo.hpp>
#include <k8s/cache/freshness.hpp>
#include <k8s/cache/handler_options.hpp>
#include <k8s/cache/reflector.hpp>
#include <k8s/cache/status.hpp>
#include <k8s/clock.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace k8s::inline v0::cache {

class InformerName;
class ListerWatcher;
class MetricsProvider;
class ThreadSafeStore;
namespace detail {
class AnyEventHandler;
class Listener;
}  // namespace detail

/// How an informer works.
struct SharedInformerOptions {
  /// Resync period of handlers that do not say one. Default 0: never; below 1 s counts as 1 s. 0
  /// also means that no handler of this informer is ever resynced. Mirrors defaultResync.
  Clock::Duration resyncPeriod{0};
  /// `resyncPeriod`, `shouldResync` and `metrics` are set by the informer.
  ReflectorOptions reflector = {};
  AnyTransformFunc transform = {};
  /// Asked once for the informer's metrics. Null: it is not measured, at no cost.
  std::shared_ptr<MetricsProvider> metrics = nullptr;
  /// The name for metrics; see InformerName for two informers of one resource. Null: none, and
  /// informers of one resource write the same series.
  std::shared_ptr<InformerName> name = nullptr;
};

/// Stands for a handler that was added. Dropping it leaves the handler in place. Mirrors
/// ResourceEventHandlerRegistration.
/// **Thread safety.** A cheap value; copies may be used from any thread.
class ResourceEventHandlerRegistration {
 public:
  ResourceEventHandlerRegistration() = default;  ///< Stands for nothing; never synced.
  explicit ResourceEventHandlerRegistration(std::shared_ptr<detail::Listener> listener);

  /// Whether the handler has returned from the adds of all objects that there were at its start.
  [[nodiscard]] bool HasSynced() const;
  /// Waits for `HasSynced`. Returns false when `stop` was triggered, or the handler removed,
  /// before.
  [[nodiscard]] bool WaitForSync(std::stop_token stop) const;
  /// The same, false after `timeout` too.
  [[nodiscard]] bool WaitForSync(Clock::Duration timeout, std::stop_token stop) const;
  [[nodiscard]] HandlerStats Stats() const;

 private:
  friend class SharedInformerCore;
  std::shared_ptr<detail::Listener> listener_;
};

/// The type-erased informer that SharedIndexInformer<T> is a view of. Threads: the caller of `Run`
/// (the reflector's), one per handler, and the reflector's timer while it is needed.
class SharedInformerCore {
 public:
  SharedInformerCore(std::shared_ptr<const runtime::ObjectType> type,
                     std::shared_ptr<ListerWatcher> lister_watcher, SharedInformerOptions options);
  /// Stops and joins what still runs.
  ~SharedInformerCore();
  SharedInformerCore(const SharedInformerCore&) = delete;
  SharedInformerCore& operator=(const SharedInformerCore&) = delete;

  // As in SharedIndexInformer. Errors of AddEventHandler also: kInvalidArgument for a bound of 0.
  Result<ResourceEventHandlerRegistration> AddEventHandler(
      std::unique_ptr<detail::AnyEventHandler> handler, HandlerOptions options);
  void RemoveEventHandler(const ResourceEventHandlerRegistration& registration);
  Result<void> SetTransform(AnyTransformFunc transform);
  Result<void> SetWatchErrorHandler(WatchErrorHandler handler);
  Result<void> Run(std::stop_token stop);
  [[nodiscard]] bool HasSynced() const;
  [[nodiscard]] bool IsStopped() const;
  [[nodiscard]] std::string LastSyncResourceVersion() const;
  [[nodiscard]] InformerStatus Status() const;
  [[nodiscard]] Freshness CheckFreshness(Clock::Duration max_age) const;
  Result<void> WaitForResourceVersion(std::string_view resource_version, Clock::Duration timeout,
                                      std::stop_token stop) const;
  [[nodiscard]] const std::shared_ptr<ThreadSafeStore>& store() const;
  [[nodiscard]] const runtime::ObjectType& type() const;
  /// Waits for `HasSynced`. Returns false when `stop` was triggered or the informer stopped before.
  [[nodiscard]] bool WaitForSync(std::stop_token stop) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Removes the handler when it goes out of scope. Requires: the informer outlives it.
class ScopedRegistration {
 public:
  ScopedRegistration(std::shared_ptr<SharedInformerCore> informer,
                     ResourceEventHandlerRegistration registration)
      : informer_(std::move(informer)), registration_(std::move(registration)) {}
  ~ScopedRegistration() {
    if (informer_) informer_->RemoveEventHandler(registration_);
  }
  ScopedRegistration(ScopedRegistration&&) noexcept = default;
  ScopedRegistration& operator=(ScopedRegistration&&) = delete;

 private:
  std::shared_ptr<SharedInformerCore> informer_;
  ResourceEventHandlerRegistration registration_;
};

}  // namespace k8s::inline v0::cache
