#pragma once

#include <k8s/clock.hpp>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>
#include <stop_token>

namespace k8s::inline v0::testing {

/// A clock that stands still until a test steps it. Mirrors k8s.io/utils/clock/testing.FakeClock.
///
/// To test code that sleeps: start it, `WaitForSleepers(1)`, `Step(...)`.
/// Thread safety. All members may be called from any thread.
/// Lifetime. Must outlive every sleep in it.
class FakeClock final : public Clock {
 public:
  /// Starts at the epoch of the steady clock, or at `start`.
  explicit FakeClock(TimePoint start = {}) : now_(start) {}

  [[nodiscard]] TimePoint Now() const override;
  bool SleepUntil(TimePoint deadline, std::stop_token stop) override;

  /// Moves the time forward and wakes the sleepers whose deadline has come.
  void Step(Duration duration);
  /// How many threads sleep now; those that Step has released do not count.
  [[nodiscard]] std::size_t Sleepers() const;
  /// Waits until at least `count` threads sleep. Returns false when `stop` is triggered first.
  bool WaitForSleepers(std::size_t count, std::stop_token stop = {});

 private:
  [[nodiscard]] std::size_t CountSleepers() const;

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  TimePoint now_;
  std::multiset<TimePoint> deadlines_;
};

}  // namespace k8s::inline v0::testing
