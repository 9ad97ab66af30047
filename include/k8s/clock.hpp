#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <utility>

namespace k8s::inline v0 {

/// Monotonic time as a dependency, so that tests step it (k8s::testing::FakeClock) instead of
/// sleeping. Mirrors k8s.io/utils/clock.
/// Thread safety. All members may be called from any thread.
class Clock {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;

  virtual ~Clock() = default;
  [[nodiscard]] virtual TimePoint Now() const = 0;
  /// Waits until `deadline`. Returns false, at once, when `stop` is triggered first.
  virtual bool SleepUntil(TimePoint deadline, std::stop_token stop) = 0;

  bool SleepFor(Duration duration, std::stop_token stop) {
    return SleepUntil(Now() + duration, std::move(stop));
  }
};

/// The process's steady clock.
[[nodiscard]] std::shared_ptr<Clock> RealClock();

}  // namespace k8s::inline v0
