#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/thread_safe_store.hpp>

#include <algorithm>
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
#include "cache/listener.hpp"

namespace k8s::inline v0::cache {

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

/// The queue as a reflector sees it, drained by whoever puts something in: an event is in the store
/// and with the listeners before the next one is read, without a thread in between.
class DrainedQueue final : public ReflectorStore {
 public:
  DrainedQueue(DeltaFIFO& queue, std::function<void(Deltas&&)> process)
      : queue_(queue), process_(std::move(process)) {}

  Result<void> Add(runtime::AnyPtr object) override { return Drain(queue_.Add(std::move(object))); }
  Result<void> Update(runtime::AnyPtr object) override {
    return Drain(queue_.Update(std::move(object)));
  }
  Result<void> Delete(runtime::AnyPtr object) override {
    return Drain(queue_.Delete(std::move(object)));
  }
  Result<void> Replace(std::vector<runtime::AnyPtr> objects,
                       std::string_view resource_version) override {
    return Drain(queue_.Replace(std::move(objects), resource_version));
  }
  Result<void> Resync() override { return Drain(queue_.Resync()); }
  Result<void> Bookmark(std::string_view resource_version) override {
    return Drain(queue_.Bookmark(resource_version));
  }
  [[nodiscard]] runtime::AnyPtr Known(std::string_view key) const override {
    return queue_.Known(key);
  }

 private:
  Result<void> Drain(Result<void> queued) {
    const std::lock_guard lock(draining_);  // The resync timer is a producer too.
    while (queue_.TryPop(process_)) {
    }
    return queued;
  }

  DeltaFIFO& queue_;
  const std::function<void(Deltas&&)> process_;
  std::mutex draining_;
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
  }

  ~Impl() {
    StopListeners();
    ReapListeners();
  }

  Result<ResourceEventHandlerRegistration> AddHandler(
      std::unique_ptr<detail::AnyEventHandler> handler, HandlerOptions handler_options) {
    auto listener = std::make_shared<Listener>(std::move(handler), type_->info.plural);
    std::vector<HandlerSlot> ended;  // Joined after the lock.
    const std::lock_guard lock(mutex_);
    if (stopped_) return StoppedError();
    TakeFinished(ended);
    HandlerSlot slot;
    slot.listener = listener;
    slot.requested = handler_options.resyncPeriod.value_or(options_.resyncPeriod);
    Negotiate(slot);
    std::vector<Notification> initial = SyntheticAdds();
    if (synced_) initial.push_back({.kind = Notification::Kind::kSynced});
    listener->Notify(std::move(initial));
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
    DrainedQueue drained(queue, [this](Deltas&& deltas) { Process(std::move(deltas)); });
    {
      const std::lock_guard lock(mutex_);
      if (started_) return InvalidArgument("the informer has already started");
      started_ = true;
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
    status.resource = type_->info.group.empty() ? type_->info.plural
                                                : type_->info.plural + "." + type_->info.group;
    status.synced = synced_;
    if (synced_) status.itemCount = store_->size();
    if (stopped_) status.state = ReflectorState::kStopped;
    return status;
  }

  const std::shared_ptr<ThreadSafeStore>& store() const { return store_; }
  const runtime::ObjectType& type() const { return *type_; }

 private:
  static Error StoppedError() {
    return {.kind = ErrorKind::kClosed, .message = "the informer has stopped"};
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

  mutable std::mutex mutex_;
  mutable std::condition_variable_any changed_;
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
  return impl_->AddHandler(std::move(handler), options);
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
const std::shared_ptr<ThreadSafeStore>& SharedInformerCore::store() const { return impl_->store(); }
const runtime::ObjectType& SharedInformerCore::type() const { return impl_->type(); }

}  // namespace k8s::inline v0::cache
