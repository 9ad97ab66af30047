#pragma once

#include <k8s/clock.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace k8s::inline v0::util::detail {

/// Keeps what may go wrong at every object from filling the log: ten lines at once, then one a
/// second. **Thread safety.** All members may be called from any thread.
class LogBudget {
 public:
  /// Writes `line`, with how many were left out since the last one, or leaves it out. `now`: of one
  /// clock.
  void Write(log::Level level, Clock::TimePoint now, std::string line) {
    {
      const std::lock_guard lock(mutex_);
      if (!TakeLocked(now)) {
        ++left_out_;
        return;
      }
      if (const auto left_out = std::exchange(left_out_, 0); left_out > 0) {
        line += "; " + std::to_string(left_out) + " more like it were not logged";
      }
    }
    log::Write(level, line);
  }

 private:
  static constexpr std::int64_t kAtOnce = 10;

  bool TakeLocked(Clock::TimePoint now) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now - since_);
    lines_ = std::min(kAtOnce, lines_ + seconds.count());
    since_ += seconds;
    if (lines_ == 0) return false;
    --lines_;
    return true;
  }

  std::mutex mutex_;
  std::int64_t lines_ = kAtOnce;  ///< May still be written, as of `since_`.
  Clock::TimePoint since_{};
  std::uint64_t left_out_ = 0;
};

}  // namespace k8s::inline v0::util::detail
