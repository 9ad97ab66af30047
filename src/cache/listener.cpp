#include "cache/listener.hpp"

#include <k8s/log.hpp>

#include <chrono>
#include <iterator>

#include "util/user_code.hpp"

namespace k8s::inline v0::cache::detail {

namespace {
thread_local bool on_listener_thread = false;
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
  std::deque<Notification> batch;
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [&] { return stopped_ || !pending_.empty(); });
    if (stopped_) return;
    batch.swap(pending_);
    in_hand_ = batch.size();
    lock.unlock();
    // Without the lock, which the reflector takes for each event.
    for (; !batch.empty() && !stopped_; batch.pop_front()) {
      Deliver(batch.front());
      --in_hand_;
    }
    batch.clear();
    lock.lock();
  }
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
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
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
