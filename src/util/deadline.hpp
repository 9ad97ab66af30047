#pragma once

#include <k8s/clock.hpp>

#include <chrono>
#include <string>

namespace k8s::inline v0::util::detail {

/// `now` and `timeout` later; a timeout may mean "for ever".
[[nodiscard]] inline Clock::TimePoint After(Clock::TimePoint now, Clock::Duration timeout) {
  return timeout < Clock::TimePoint::max() - now ? now + timeout : Clock::TimePoint::max();
}

/// The same, from now on.
[[nodiscard]] inline Clock::TimePoint DeadlineAfter(Clock::Duration timeout) {
  return After(Clock::TimePoint::clock::now(), timeout);
}

/// "45 s", "1500 ms".
[[nodiscard]] inline std::string Seconds(Clock::Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  return ms % 1000 == 0 ? std::to_string(ms / 1000) + " s" : std::to_string(ms) + " ms";
}

}  // namespace k8s::inline v0::util::detail
