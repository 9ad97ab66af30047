#pragma once

#include <k8s/clock.hpp>

#include <chrono>
#include <optional>

namespace k8s::inline v0::cache {

/// Whether an internal error of the server is worth one more try: only within a window that the
/// first of a series of errors opens. Mirrors retryWithDeadline.
class RetryWithDeadline {
 public:
  /// `window` 0: never.
  explicit RetryWithDeadline(Clock::Duration window) : window_(window) {}

  /// Counts an error that happened `now`, and says whether to try again.
  bool ShouldRetry(Clock::TimePoint now) {
    if (window_ <= Clock::Duration::zero()) return false;
    if (!first_ || now - last_ >= kNewSeriesAfter) first_ = now;
    last_ = now;
    if (now - *first_ <= window_) return true;
    first_.reset();
    return false;
  }

 private:
  static constexpr Clock::Duration kNewSeriesAfter = std::chrono::minutes(1);

  Clock::Duration window_;
  std::optional<Clock::TimePoint> first_;
  Clock::TimePoint last_{};
};

}  // namespace k8s::inline v0::cache
