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

/// "45 s", "2.7 s", "800 ms": for people.
[[nodiscard]] inline std::string Seconds(Clock::Duration duration) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
  if (ms % 1000 == 0) return std::to_string(ms / 1000) + " s";
  if (ms < 1000) return std::to_string(ms) + " ms";
  return std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
}

}  // namespace k8s::inline v0::util::detail
