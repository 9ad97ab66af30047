#include "cache/listener.hpp"

#include <k8s/log.hpp>

#include <chrono>
#include <iterator>
#include <utility>

#include "util/user_code.hpp"

namespace k8s::inline v0::cache::detail {

namespace {

thread_local bool on_listener_thread = false;

// Notifications handed back at a time, and held for the reflector at most.
constexpr std::size_t kHandBack = 16;
constexpr std::size_t kMaxSpent = 256;

}  // namespace

bool Listener::OnListenerThread() { return on_listener_thread; }

void Listener::Run() {
  on_listener_thread = true;
  DeliverAll();
  // Registrations live on; what the handler holds, maybe its own registration, must not.
  handler_.reset();
  finished_ = true;
}

void Listener::DeliverAll() {
  std::unique_lock lock(mutex_);
  while (true) {
    if (pending_.empty()) FreeSpent(lock);
    arrived_.wait(lock, [&] { return stopped_ || !pending_.empty(); });
    if (stopped_) return FreeSpent(lock);
    std::deque<Notification> batch;
    batch.swap(pending_);
    in_hand_ = batch.size();
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
    --in_hand_;
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

void Listener::Stop() {
  std::deque<Notification> dropped;
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  dropped.swap(pending_);
  arrived_.notify_one();
  settled_.notify_all();
}

void Listener::Notify(std::vector<Notification> notifications) {
  std::vector<Notification> spent;  // Freed after the lock.
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  spent.swap(spent_);
  const bool was_empty = pending_.empty();
  pending_.insert(pending_.end(), std::make_move_iterator(notifications.begin()),
                  std::make_move_iterator(notifications.end()));
  if (was_empty) arrived_.notify_one();
}

void Listener::Deliver(const Notification& notification) {
  if (notification.kind == Notification::Kind::kSynced) {
    const std::lock_guard lock(mutex_);
    synced_ = true;
    settled_.notify_all();
    return;
  }
  const auto thrown = util::detail::Thrown([&] { Call(notification); });
  ++(thrown ? failed_ : delivered_);
  if (thrown) {
    log::Write(log::Level::kError, "an event handler of " + name_ + " threw: " + *thrown);
  }
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

bool Listener::HasSynced() const {
  const std::lock_guard lock(mutex_);
  return synced_;
}

bool Listener::WaitForSync(std::optional<Clock::Duration> timeout, std::stop_token stop) const {
  std::unique_lock lock(mutex_);
  const auto done = [&] { return synced_ || stopped_; };
  if (timeout) {
    settled_.wait_until(lock, stop, std::chrono::steady_clock::now() + *timeout, done);
  } else {
    settled_.wait(lock, stop, done);
  }
  return synced_;
}

HandlerStats Listener::Stats() const {
  const std::lock_guard lock(mutex_);
  return {.pending = pending_.size() + in_hand_, .delivered = delivered_, .failed = failed_};
}

}  // namespace k8s::inline v0::cache::detail
