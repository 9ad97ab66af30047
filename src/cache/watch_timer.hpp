#pragma once

#include <k8s/clock.hpp>

#include <functional>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace k8s::inline v0::cache {

/// A thread beside an open watch: does something at given times while another thread waits for the
/// watch's next event, and can end that wait.
/// **Lifetime.** The destructor ends the thread and joins it.
class WatchTimer {
 public:
  /// Called with the time it is and with the source that ends the wait for events; returns when to
  /// be called next, or nothing to be called no more.
  using Tick =
      std::function<std::optional<Clock::TimePoint>(Clock::TimePoint now, std::stop_source& wait)>;

  /// `stop`: what ends the wait for events anyway; `token` follows it.
  WatchTimer(Clock& clock, std::stop_token stop, Clock::TimePoint first, Tick tick)
      : follow_(std::move(stop), [this] { wait_.request_stop(); }),
        thread_([this, &clock, first, tick = std::move(tick)](std::stop_token ended) {
          std::optional<Clock::TimePoint> next = first;
          while (next && clock.SleepUntil(*next, ended)) next = tick(clock.Now(), wait_);
        }) {}

  /// For the wait for events: triggered by the stop token, or by a tick.
  [[nodiscard]] std::stop_token token() const { return wait_.get_token(); }

 private:
  std::stop_source wait_;
  std::stop_callback<std::function<void()>> follow_;
  std::jthread thread_;
};

}  // namespace k8s::inline v0::cache
