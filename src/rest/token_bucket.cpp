#include "rest/token_bucket.hpp"

#include <k8s/log.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace k8s::inline v0::rest::detail {

namespace {
using Seconds = std::chrono::duration<double>;
}

TokenBucket::TokenBucket(double qps, int burst, std::shared_ptr<Clock> clock)
    : qps_(qps == 0 ? 5 : qps),
      burst_(burst == 0 ? 10 : burst),
      clock_(std::move(clock)),
      tokens_(burst_),
      last_(clock_->Now()) {}

bool TokenBucket::Wait(const std::stop_token& stop) {
  if (stop.stop_requested()) return false;
  if (qps_ < 0) return true;
  const auto wait = Reserve();
  if (wait <= Clock::Duration::zero()) return true;
  LogWait(wait);
  if (clock_->SleepFor(wait, stop)) return true;
  // What is not sent leaves its place to those behind it.
  const std::lock_guard lock(mutex_);
  tokens_ = std::min(burst_, tokens_ + 1);
  return false;
}

Clock::Duration TokenBucket::Reserve() {
  const std::lock_guard lock(mutex_);
  const auto now = clock_->Now();
  tokens_ = std::min(burst_, tokens_ + Seconds(now - last_).count() * qps_) - 1;
  last_ = now;
  if (tokens_ >= 0) return {};
  return std::chrono::duration_cast<Clock::Duration>(Seconds(-tokens_ / qps_));
}

void TokenBucket::LogWait(Clock::Duration wait) {
  using std::chrono::seconds;
  if (wait <= seconds(1)) return;
  {
    const std::lock_guard lock(mutex_);
    const auto now = clock_->Now();
    if (last_log_ != Clock::TimePoint{} && now - last_log_ < seconds(1)) return;
    last_log_ = now;
  }
  log::Write(log::Level::kInfo,
             "a request waits " +
                 std::to_string(std::chrono::duration_cast<seconds>(wait).count()) +
                 " s for the client-side rate limit (Config::qps, Config::burst)");
}

}  // namespace k8s::inline v0::rest::detail
