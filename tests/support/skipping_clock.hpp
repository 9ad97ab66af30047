#pragma once

#include <k8s/clock.hpp>

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <iterator>
#include <mutex>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

namespace k8s::test {

/// A clock in which one thread, the one that made it, never waits: its sleeps are recorded and the
/// time jumps to their end. Other threads sleep until `Step`, or such a jump, reaches their
/// deadline. Thread safety. All members may be called from any thread.
class SkippingClock final : public Clock {
 public:
  [[nodiscard]] TimePoint Now() const override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  bool SleepUntil(TimePoint deadline, std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() == skipping_) {
      if (stop.stop_requested()) return false;
      sleeps_.push_back(deadline - now_);
      now_ = std::max(now_, deadline);
      changed_.notify_all();
      return true;
    }
    const auto sleeper = deadlines_.insert(deadline);
    changed_.notify_all();
    changed_.wait(lock, stop, [&] { return now_ >= deadline; });
    deadlines_.erase(sleeper);
    return !stop.stop_requested();
  }

  void Step(Duration duration) {
    const std::lock_guard lock(mutex_);
    now_ += duration;
    changed_.notify_all();
  }

  /// Waits until `count` other threads sleep for a time that has not come.
  void WaitForSleepers(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      const auto due = deadlines_.upper_bound(now_);
      return static_cast<std::size_t>(std::distance(due, deadlines_.end())) >= count;
    });
  }

  /// The sleeps of the thread that never waits.
  [[nodiscard]] std::vector<Duration> Sleeps() const {
    const std::lock_guard lock(mutex_);
    return sleeps_;
  }

 private:
  const std::thread::id skipping_ = std::this_thread::get_id();
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  TimePoint now_{std::chrono::hours(1)};
  std::vector<Duration> sleeps_;
  std::multiset<TimePoint> deadlines_;
};

}  // namespace k8s::test
