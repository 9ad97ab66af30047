#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/metrics.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cache/delta_applier.hpp"
#include "cache/drained_queue.hpp"
#include "cache/listener.hpp"
#include "cache/reflector_status.hpp"
#include "cache/resource_version.hpp"
#include "util/deadline.hpp"

namespace k8s::inline v0::cache {

using detail::DrainedQueue;
using detail::Listener;
using detail::Notification;

namespace {

constexpr Clock::Duration kMinimumResync = std::chrono::seconds(1);

struct HandlerSlot {
  std::shared_ptr<Listener> listener;
  std::jthread thread;
  Clock::Duration requested{0};  ///< 0: never.
  Clock::Duration period{0};     ///< What `requested` comes to beside the informer's.
  Clock::TimePoint next = {};
  bool due = false;  ///< Gets the resync that is queued.
};

}  // namespace

class SharedInformerCore::Impl {
 public:
  Impl(std::shared_ptr<const runtime::ObjectType> type, std::shared_ptr<ListerWatcher> source,
       SharedInformerOptions options)
      : type_(std::move(type)),
        source_(std::move(source)),
        options_(std::move(options)),
        clock_(options_.reflector.clock ? options_.reflector.clock : RealClock()),
        store_(std::make_shared<ThreadSafeStore>(type_)),
        check_period_(options_.resyncPeriod > Clock::Duration::zero()
                          ? std::max(options_.resyncPeriod, kMinimumResync)
                          : Clock::Duration::zero()) {
    (void)store_->AddIndexers({{std::string(kNamespaceIndex), NamespaceIndexFunc(type_)}});
    if (options_.metrics) SetUpMetrics();
  }

  ~Impl() {
    StopListeners();
    ReapListeners();
  }

  Result<ResourceEventHandlerRegistration> AddHandler(
      std::unique_ptr<detail::AnyEventHandler> handler, HandlerOptions handler_options) {
    const bool bounded = handler_options.pending == PendingPolicy::kBlock ||
                         handler_options.pending == PendingPolicy::kDrop;
    if (bounded && handler_options.maxPending == 0) {
      return InvalidArgument("HandlerOptions::maxPending is 0");
    }
    const auto resync_period = handler_options.resyncPeriod.value_or(options_.resyncPeriod);
    auto listener = NewListener(std::move(handler), std::move(handler_options));
    std::vector<HandlerSlot> ended;  // Joined after the lock.
    const std::lock_guard lock(mutex_);
    if (stopped_) return StoppedError();
    TakeFinished(ended);
    HandlerSlot slot;
    slot.listener = listener;
    slot.requested = resync_period;
    Negotiate(slot);
    std::vector<Notification> initial = SyntheticAdds();
    if (synced_) initial.push_back({.kind = Notification::Kind::kSynced});
    listener->Notify(std::move(initial));
    handlers_need_care_ = handlers_need_care_ || listener->NeedsCare();
    slot.thread = std::jthread([listener] { listener->Run(); });
    slots_.push_back(std::move(slot));
    return ResourceEventHandlerRegistration(std::move(listener));
  }

  void RemoveHandler(const std::shared_ptr<Listener>& listener) {
    if (!listener) return;
    std::jthread ended;
    {
      const std::lock_guard lock(mutex_);
      const auto at = std::find_if(slots_.begin(), slots_.end(),
                                   [&](const auto& slot) { return slot.listener == listener; });
      if (at == slots_.end()) return;
      listener->Stop();
      // Handlers that remove themselves, or each other, must not wait; the slot stays, and its
      // thread is joined later.
      if (Listener::OnListenerThread()) return;
      ended = std::move(at->thread);
      slots_.erase(at);
    }
    if (ended.joinable()) ended.join();
  }

  Result<void> Configure(const std::function<void(SharedInformerOptions&)>& change) {
    const std::lock_guard lock(mutex_);
    if (started_) return InvalidArgument("the informer has already started");
    change(options_);
    return {};
  }

  Result<void> Run(std::stop_token stop) {
    DeltaFIFO queue(type_, {.knownObjects = store_.get()});
    DrainedQueue drained(
        queue, [this](Deltas&& deltas) { Process(std::move(deltas)); },
        [this] { CareForHandlers(); });
    {
      const std::lock_guard lock(mutex_);
      if (started_) return InvalidArgument("the informer has already started");
      started_ = true;
      stop_ = stop;
      reflector_ = std::make_unique<Reflector>(*type_, source_, drained, MakeReflectorOptions());
    }
    reflector_->Run(std::move(stop));
    StopListeners();
    ReapListeners();
    return {};
  }

  bool HasSynced() const {
    const std::lock_guard lock(mutex_);
    return synced_;
  }

  bool WaitForSync(std::stop_token stop) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return synced_ || stopped_; });
    return synced_;
  }

  bool IsStopped() const {
    const std::lock_guard lock(mutex_);
    return stopped_;
  }

  std::string LastSyncResourceVersion() const {
    const std::lock_guard lock(mutex_);
    return reflector_ ? reflector_->LastSyncResourceVersion() : std::string();
  }

  InformerStatus Status() const {
    const std::lock_guard lock(mutex_);
    InformerStatus status;
    if (reflector_) status = reflector_->Status();
    status.resource = NameOf(type_->info);
    status.synced = synced_;
    if (synced_) status.itemCount = store_->size();
    status.lastStoreSyncResourceVersion = store_->LastResourceVersion();
    status.handlers = static_cast<std::size_t>(
        std::count_if(slots_.begin(), slots_.end(),
                      [](const HandlerSlot& slot) { return !slot.listener->Stopped(); }));
    status.handlersDropped = handlers_dropped_;
    status.waitsForHandler = waiting_for_room_ > 0;
    if (stopped_) status.state = ReflectorState::kStopped;
    return status;
  }

  Freshness CheckFreshness(Clock::Duration max_age) const {
    return cache::CheckFreshness({Status()}, max_age, clock_->Now());
  }

  Result<void> WaitForResourceVersion(std::string_view wanted, Clock::Duration timeout,
                                      const std::stop_token& stop) const {
    if (!detail::IsComparable(wanted)) {
      return InvalidArgument("the resource version \"" + std::string(wanted) +
                             "\" cannot be compared with others");
    }
    {
      std::unique_lock lock(mutex_);
      ++waiters_;
      applied_.wait_until(lock, stop, util::detail::DeadlineAfter(timeout),
                          [&] { return stopped_ || !MayStillCome(wanted); });
      --waiters_;
    }
    return WaitedFor(wanted, timeout, stop);
  }

  const std::shared_ptr<ThreadSafeStore>& store() const { return store_; }
  const runtime::ObjectType& type() const { return *type_; }

 private:
  static Error StoppedError() {
    return {.kind = ErrorKind::kClosed, .message = "the informer has stopped"};
  }

  // ---- Waiting for a version

  // Whether the store is behind `wanted`, as far as one can tell.
  bool MayStillCome(std::string_view wanted) const {
    const std::string version = store_->LastResourceVersion();
    return version.empty() || detail::IsOlder(version, wanted);
  }

  Result<void> WaitedFor(std::string_view wanted, Clock::Duration timeout,
                         const std::stop_token& stop) const {
    const InformerStatus status = Status();
    const std::string& version = status.lastStoreSyncResourceVersion;
    if (!version.empty() && !detail::IsComparable(version)) {
      return InvalidArgument(status.resource + ": the store's resource version \"" + version +
                             "\" cannot be compared with others");
    }
    if (!MayStillCome(wanted)) return {};
    std::string message = status.resource + ": resource version " + std::string(wanted) +
                          " was not applied; the store is at \"" + version + "\"";
    if (status.state == ReflectorState::kStopped) {
      return NotApplied(ErrorKind::kClosed, message + ", the informer has stopped");
    }
    if (stop.stop_requested()) return NotApplied(ErrorKind::kCancelled, message + ", cancelled");
    message += " after " + util::detail::Seconds(timeout);
    if (status.lastError) {
      message += "; " + status.lastErrorVerb + ": " + status.lastError->ToString();
    }
    return NotApplied(ErrorKind::kTimeout, std::move(message));
  }

  Error NotApplied(ErrorKind kind, std::string message) const {
    return {.kind = kind,
            .message = std::move(message),
            .group = type_->info.group,
            .resource = type_->info.plural};
  }

  // ---- Metrics

  void SetUpMetrics() {
    InformerLabels labels{.resource = type_->info.Gvr()};
    if (options_.name) {
      labels.name = options_.name->name();
      reservation_ = options_.name->Reserve(labels.resource);
      if (!reservation_) {
        return log::Write(log::Level::kWarning, "informer for " + NameOf(type_->info) +
                                                    ": not measured, for another one is under \"" +
                                                    labels.name + "\"");
      }
    }
    metrics_ = options_.metrics->NewInformerMetrics(labels);
  }

  // ---- Handlers

  std::shared_ptr<Listener> NewListener(std::unique_ptr<detail::AnyEventHandler> handler,
                                        HandlerOptions handler_options) {
    if (handler_options.name.empty()) handler_options.name = std::to_string(++handlers_made_);
    auto metrics = metrics_ ? metrics_->NewHandlerMetrics(handler_options.name) : nullptr;
    return std::make_shared<Listener>(Listener::Parts{.type = type_,
                                                      .handler = std::move(handler),
                                                      .options = std::move(handler_options),
                                                      .clock = clock_,
                                                      .metrics = std::move(metrics)});
  }

  // After each step, on the thread that made it and without a lock: waits for handlers that are to
  // be waited for, and reports.
  void CareForHandlers() {
    if (!handlers_need_care_) return;
    std::vector<std::shared_ptr<Listener>> listeners;
    {
      const std::lock_guard lock(mutex_);
      for (const HandlerSlot& slot : slots_) {
        if (slot.listener->NeedsCare()) listeners.push_back(slot.listener);
      }
    }
    for (const auto& listener : listeners) {
      if (listener->ReportStep()) ++handlers_dropped_;
    }
    for (const auto& listener : listeners) {
      if (!listener->IsFull()) continue;
      ++waiting_for_room_;
      listener->WaitForRoom(stop_);
      --waiting_for_room_;
    }
  }

  // Requires: mutex_. Handlers that removed themselves leave a thread to be joined.
  void TakeFinished(std::vector<HandlerSlot>& ended) {
    const auto first = std::partition(slots_.begin(), slots_.end(),
                                      [](const auto& slot) { return !slot.listener->Finished(); });
    ended.assign(std::make_move_iterator(first), std::make_move_iterator(slots_.end()));
    slots_.erase(first, slots_.end());
  }

  // Requires: mutex_. An informer checks at the shortest period asked for before its start; a
  // handler's own period is that or longer.
  void Negotiate(HandlerSlot& slot) {
    if (slot.requested > Clock::Duration::zero()) {
      slot.requested = std::max(slot.requested, kMinimumResync);
    }
    if (!started_ && check_period_ > Clock::Duration::zero() &&
        slot.requested > Clock::Duration::zero() && slot.requested < check_period_) {
      check_period_ = slot.requested;
    }
    for (HandlerSlot& other : slots_) SetPeriod(other);
    SetPeriod(slot);
    slot.next = clock_->Now() + slot.period;
  }

  void SetPeriod(HandlerSlot& slot) const {
    constexpr auto kNever = Clock::Duration::zero();
    slot.period = slot.requested == kNever || check_period_ == kNever
                      ? kNever
                      : std::max(slot.requested, check_period_);
  }

  std::vector<Notification> SyntheticAdds() const {
    std::vector<Notification> adds;
    for (auto& object : store_->List()) {
      adds.push_back({.kind = Notification::Kind::kAdd, .after = std::move(object), .flag = true});
    }
    return adds;
  }

  ReflectorOptions MakeReflectorOptions() {
    ReflectorOptions options = options_.reflector;
    options.clock = clock_;
    // In the reflector, not in the queue: what is unchanged in a list is transformed already.
    options.transform = options_.transform;
    options.resyncPeriod = check_period_;
    options.metrics = metrics_;
    options.shouldResync = [this] { return MarkDueHandlers(); };
    return options;
  }

  // Whether any handler is due for a resync now.
  bool MarkDueHandlers() {
    const std::lock_guard lock(mutex_);
    const auto now = clock_->Now();
    bool any = false;
    for (HandlerSlot& slot : slots_) {
      if (slot.period == Clock::Duration::zero() || now < slot.next) continue;
      slot.due = any = true;
      slot.next = now + slot.period;
    }
    return any;
  }

  // On the thread that queued it. The lock spans the store's change and its notifications, so that
  // a handler that is added meanwhile gets each object either from the store or as an event.
  void Process(Deltas&& deltas) {
    const std::lock_guard lock(mutex_);
    if (stopped_) return;
    if (deltas.kind == Deltas::Kind::kSync) return Resync();
    const bool first = !synced_ && deltas.kind == Deltas::Kind::kReplaced;
    auto notifications = detail::ApplyDeltas(std::move(deltas), *store_);
    if (first) {
      synced_ = true;
      notifications.push_back({.kind = Notification::Kind::kSynced});
    }
    Distribute(std::move(notifications));
    if (first) changed_.notify_all();
    if (waiters_ > 0) applied_.notify_all();
  }

  void Distribute(std::vector<Notification> notifications) {
    if (notifications.empty() || slots_.empty()) return;
    for (std::size_t i = 0; i + 1 < slots_.size(); ++i) slots_[i].listener->Notify(notifications);
    slots_.back().listener->Notify(std::move(notifications));
  }

  void Resync() {
    for (HandlerSlot& slot : slots_) {
      if (!std::exchange(slot.due, false)) continue;
      std::vector<Notification> updates;
      for (auto& object : store_->List()) {
        updates.push_back({.kind = Notification::Kind::kUpdate, .before = object, .after = object});
      }
      slot.listener->Notify(std::move(updates));
    }
  }

  void StopListeners() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    for (HandlerSlot& slot : slots_) slot.listener->Stop();
    changed_.notify_all();
    applied_.notify_all();
  }

  void ReapListeners() {
    std::vector<HandlerSlot> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(slots_);
    }
    ended.clear();  // Joins.
  }

  const std::shared_ptr<const runtime::ObjectType> type_;
  const std::shared_ptr<ListerWatcher> source_;
  SharedInformerOptions options_;
  const std::shared_ptr<Clock> clock_;
  const std::shared_ptr<ThreadSafeStore> store_;

  std::shared_ptr<void> reservation_;         ///< Of the resource, under the informer's name.
  std::shared_ptr<InformerMetrics> metrics_;  ///< Null: not measured.
  std::atomic<unsigned> handlers_made_ = 0;
  std::atomic<bool> handlers_need_care_ = false;
  std::atomic<std::uint64_t> handlers_dropped_ = 0;
  std::atomic<int> waiting_for_room_ = 0;
  std::stop_token stop_;  ///< Of `Run`; set before there is a reflector.

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;  ///< Synced or stopped.
  mutable std::condition_variable_any applied_;  ///< The store's version moved, or stopped.
  mutable int waiters_ = 0;                      ///< For `applied_`.
  Clock::Duration check_period_;
  std::vector<HandlerSlot> slots_;
  std::unique_ptr<Reflector> reflector_;
  bool started_ = false;
  bool synced_ = false;
  bool stopped_ = false;
};

ResourceEventHandlerRegistration::ResourceEventHandlerRegistration(
    std::shared_ptr<Listener> listener)
    : listener_(std::move(listener)) {}

bool ResourceEventHandlerRegistration::HasSynced() const {
  return listener_ && listener_->HasSynced();
}

bool ResourceEventHandlerRegistration::WaitForSync(std::stop_token stop) const {
  return listener_ && listener_->WaitForSync(std::nullopt, std::move(stop));
}

bool ResourceEventHandlerRegistration::WaitForSync(Clock::Duration timeout,
                                                   std::stop_token stop) const {
  return listener_ && listener_->WaitForSync(timeout, std::move(stop));
}

HandlerStats ResourceEventHandlerRegistration::Stats() const {
  return listener_ ? listener_->Stats() : HandlerStats();
}

SharedInformerCore::SharedInformerCore(std::shared_ptr<const runtime::ObjectType> type,
                                       std::shared_ptr<ListerWatcher> lister_watcher,
                                       SharedInformerOptions options)
    : impl_(
          std::make_unique<Impl>(std::move(type), std::move(lister_watcher), std::move(options))) {}

SharedInformerCore::~SharedInformerCore() = default;

Result<ResourceEventHandlerRegistration> SharedInformerCore::AddEventHandler(
    std::unique_ptr<detail::AnyEventHandler> handler, HandlerOptions options) {
  return impl_->AddHandler(std::move(handler), std::move(options));
}

void SharedInformerCore::RemoveEventHandler(const ResourceEventHandlerRegistration& registration) {
  impl_->RemoveHandler(registration.listener_);
}

Result<void> SharedInformerCore::SetTransform(AnyTransformFunc transform) {
  return impl_->Configure([&](auto& options) { options.transform = std::move(transform); });
}

Result<void> SharedInformerCore::SetWatchErrorHandler(WatchErrorHandler handler) {
  return impl_->Configure(
      [&](auto& options) { options.reflector.watchErrorHandler = std::move(handler); });
}

Result<void> SharedInformerCore::Run(std::stop_token stop) { return impl_->Run(std::move(stop)); }
bool SharedInformerCore::HasSynced() const { return impl_->HasSynced(); }
bool SharedInformerCore::WaitForSync(std::stop_token stop) const {
  return impl_->WaitForSync(std::move(stop));
}
bool SharedInformerCore::IsStopped() const { return impl_->IsStopped(); }
std::string SharedInformerCore::LastSyncResourceVersion() const {
  return impl_->LastSyncResourceVersion();
}
InformerStatus SharedInformerCore::Status() const { return impl_->Status(); }
Freshness SharedInformerCore::CheckFreshness(Clock::Duration max_age) const {
  return impl_->CheckFreshness(max_age);
}
Result<void> SharedInformerCore::WaitForResourceVersion(std::string_view resource_version,
                                                        Clock::Duration timeout,
                                                        std::stop_token stop) const {
  return impl_->WaitForResourceVersion(resource_version, timeout, stop);
}
const std::shared_ptr<ThreadSafeStore>& SharedInformerCore::store() const { return impl_->store(); }
const runtime::ObjectType& SharedInformerCore::type() const { return impl_->type(); }

}  // namespace k8s::inline v0::cache
