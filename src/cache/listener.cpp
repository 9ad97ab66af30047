#include "cache/listener.hpp"

#include <k8s/cache/metrics.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "util/deadline.hpp"
#include "util/user_code.hpp"

namespace k8s::inline v0::cache::detail {

namespace {

thread_local bool on_listener_thread = false;

// Notifications handed back at a time, and held for the reflector at most.
constexpr std::size_t kHandBack = 16;
constexpr std::size_t kMaxSpent = 256;

std::unique_ptr<PendingQueue> NewQueue(PendingPolicy policy,
                                       const std::shared_ptr<const runtime::ObjectType>& type) {
  if (policy == PendingPolicy::kCoalesce) return std::make_unique<CoalescingQueue>(type);
  return std::make_unique<FifoQueue>();
}

}  // namespace

bool Listener::OnListenerThread() { return on_listener_thread; }

Listener::Listener(Parts parts)
    : type_(std::move(parts.type)),
      policy_(parts.options.pending),
      max_pending_(parts.options.maxPending),
      name_("the event handler \"" + parts.options.name + "\" of " + type_->info.plural),
      clock_(std::move(parts.clock)),
      measured_(parts.metrics != nullptr),
      handler_(std::move(parts.handler)),
      on_dropped_(std::move(parts.options.onDropped)),
      queue_(NewQueue(policy_, type_)),
      metrics_(std::move(parts.metrics)) {}

Listener::~Listener() = default;

// ---- On the handler's thread

void Listener::Run() {
  on_listener_thread = true;
  DeliverAll();
  if (Overflowed() && on_dropped_) {
    const auto thrown = util::detail::Thrown([&] { on_dropped_(Stats()); });
    if (thrown) log::Write(log::Level::kError, name_ + ": onDropped threw: " + *thrown);
  }
  // Registrations live on; what the handler holds, maybe its own registration, must not.
  handler_.reset();
  on_dropped_ = {};
  const auto unmeasured = [&] {
    const std::lock_guard lock(mutex_);
    return std::exchange(metrics_, nullptr);
  }();
  finished_ = true;
}

void Listener::DeliverAll() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (!stopped_ && queue_->empty()) FreeSpent(lock);
    arrived_.wait(lock, [&] { return stopped_ || !queue_->empty(); });
    if (stopped_) return FreeSpent(lock);
    std::deque<Notification> batch;
    queue_->Take(batch);
    lock.unlock();
    // Without the lock, which the reflector takes for each event.
    DeliverBatch(std::move(batch));
    lock.lock();
  }
}

void Listener::DeliverBatch(std::deque<Notification> batch) {
  std::vector<Notification> delivered;
  for (; !batch.empty() && !stopped_; batch.pop_front()) {
    Deliver(batch.front());
    delivered.push_back(std::move(batch.front()));
    if (delivered.size() == kHandBack) HandBack(std::exchange(delivered, {}));
  }
  HandBack(std::move(delivered));
}

// What was delivered often holds the last reference to an object that has been replaced. Freeing it
// here, while the reflector allocates the next ones, makes both wait for the allocator's lock: the
// listener falls behind, and its queue grows to twice the store. So the next `Notify` frees it.
// What nobody fetches is freed here: more than a few, and all when nothing is pending any more.
void Listener::HandBack(std::vector<Notification> delivered) {
  const std::lock_guard lock(mutex_);
  if (spent_.size() >= kMaxSpent) return;
  spent_.insert(spent_.end(), std::make_move_iterator(delivered.begin()),
                std::make_move_iterator(delivered.end()));
}

void Listener::FreeSpent(std::unique_lock<std::mutex>& lock) {
  auto spent = std::exchange(spent_, {});
  lock.unlock();
  spent.clear();
  lock.lock();
}

void Listener::Deliver(const Notification& notification) {
  if (notification.kind == Notification::Kind::kSynced) {
    const std::lock_guard lock(mutex_);
    synced_ = true;
    settled_.notify_all();
    return;
  }
  const auto begun = measured_ ? clock_->Now() : Clock::TimePoint();
  const auto thrown = util::detail::Thrown([&] { Call(notification); });
  ++(thrown ? failed_ : delivered_);
  if (thrown) {
    thrown_.Write(log::Level::kError, clock_->Now(),
                  name_ + " threw at " + KeyOf(*type_, notification) + ": " + *thrown);
  }
  if (policy_ == PendingPolicy::kBlock) {
    const std::lock_guard lock(mutex_);
    room_.notify_all();
  }
  if (!measured_) return;
  const auto [metrics, pending] = Measure();
  metrics->OnCall(clock_->Now() - begun, thrown.has_value());
  metrics->OnPending(pending);
}

void Listener::Call(const Notification& notification) {
  using Kind = Notification::Kind;
  switch (notification.kind) {
    case Kind::kAdd:
      return handler_->OnAdd(notification.after, notification.flag);
    case Kind::kUpdate:
      return handler_->OnUpdate(notification.before, notification.after);
    case Kind::kDelete:
      return handler_->OnDelete(notification.key, notification.before, notification.after,
                                notification.flag);
    case Kind::kSynced:
      return;
  }
}

// ---- On the thread that changes the store

void Listener::Notify(std::vector<Notification> notifications) {
  std::unique_ptr<PendingQueue> dropped;  // Freed without the lock, both.
  std::vector<Notification> spent;
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  spent.swap(spent_);
  const bool was_empty = queue_->empty();
  for (Notification& notification : notifications) Enqueue(std::move(notification));
  highest_pending_ = std::max(highest_pending_, Pending());
  if (policy_ == PendingPolicy::kDrop && PendingBeyondInitial() > max_pending_) {
    overflowed_ = true;
    dropped = StopLocked();
  } else if (was_empty) {
    arrived_.notify_one();
  }
}

void Listener::Enqueue(Notification notification) {
  if (notification.kind == Notification::Kind::kSynced) {
    initial_ = received_;
  } else {
    ++received_;
  }
  coalesced_ += queue_->Push(std::move(notification));
}

void Listener::Stop() {
  std::unique_ptr<PendingQueue> dropped;
  const std::lock_guard lock(mutex_);
  if (!stopped_) dropped = StopLocked();
}

std::unique_ptr<PendingQueue> Listener::StopLocked() {
  stopped_ = true;
  arrived_.notify_one();
  settled_.notify_all();
  room_.notify_all();
  return std::move(queue_);
}

bool Listener::NeedsCare() const {
  return measured_ || policy_ == PendingPolicy::kBlock || policy_ == PendingPolicy::kDrop;
}

bool Listener::IsFull() const {
  const std::lock_guard lock(mutex_);
  return IsFullLocked();
}

bool Listener::IsFullLocked() const {
  return policy_ == PendingPolicy::kBlock && !stopped_ && PendingBeyondInitial() >= max_pending_;
}

void Listener::WaitForRoom(std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  room_.wait(lock, stop, [&] { return !IsFullLocked(); });
}

bool Listener::ReportStep() {
  bool overflowed = false;
  {
    const std::lock_guard lock(mutex_);
    overflowed = overflowed_ && !std::exchange(overflow_reported_, true);
  }
  if (overflowed) {
    log::Write(log::Level::kError, name_ + " was dropped: more than " +
                                       std::to_string(max_pending_) +
                                       " notifications were pending");
  }
  if (measured_) {
    if (const auto [metrics, pending] = Measure(); metrics) metrics->OnPending(pending);
  }
  return overflowed;
}

// ---- For everybody

std::pair<std::shared_ptr<HandlerMetrics>, std::size_t> Listener::Measure() const {
  const std::lock_guard lock(mutex_);
  return {metrics_, Pending()};
}

bool Listener::HasSynced() const {
  const std::lock_guard lock(mutex_);
  return synced_;
}

bool Listener::Overflowed() const {
  const std::lock_guard lock(mutex_);
  return overflowed_;
}

bool Listener::WaitForSync(std::optional<Clock::Duration> timeout, std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  const auto done = [&] { return synced_ || stopped_; };
  if (timeout) {
    settled_.wait_until(lock, stop, util::detail::DeadlineAfter(*timeout), done);
  } else {
    settled_.wait(lock, stop, done);
  }
  return synced_;
}

HandlerStats Listener::Stats() const {
  const std::lock_guard lock(mutex_);
  return {.pending = Pending(),
          .highestPending = highest_pending_,
          .delivered = delivered_,
          .failed = failed_,
          .coalesced = coalesced_,
          .dropped = stopped_ ? Left() : 0,
          .overflowed = overflowed_};
}

// What is neither delivered nor needless. Deliveries go on meanwhile, arrivals do not.
std::uint64_t Listener::Left() const { return received_ - coalesced_ - delivered_ - failed_; }

std::uint64_t Listener::Pending() const { return stopped_ ? 0 : Left(); }

std::uint64_t Listener::PendingBeyondInitial() const {
  return received_ - std::max(initial_, received_ - Left());
}

}  // namespace k8s::inline v0::cache::detail
