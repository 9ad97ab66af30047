#pragma once

#include <k8s/clock.hpp>

#include <memory>
#include <mutex>
#include <stop_token>

namespace k8s::inline v0::rest::detail {

/// A token bucket: `burst` requests at once, `qps` per second in the long run.
/// Thread safety. All members may be called from any thread. Mirrors flowcontrol's token bucket.
class TokenBucket {
 public:
  /// Negative `qps`: no limit. 0 stands for client-go's defaults, 5 and 10.
  TokenBucket(double qps, int burst, std::shared_ptr<Clock> clock);

  /// Takes one token, waiting for it if need be. Returns false when `stop` is triggered first.
  bool Wait(const std::stop_token& stop);

 private:
  Clock::Duration Reserve();
  void LogWait(Clock::Duration wait);

  double qps_;
  double burst_;
  std::shared_ptr<Clock> clock_;
  std::mutex mutex_;
  double tokens_;  ///< Below zero: requests that wait.
  Clock::TimePoint last_;
  Clock::TimePoint last_log_{};
};

}  // namespace k8s::inline v0::rest::detail
