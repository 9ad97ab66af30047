#include <k8s/retry/retry.hpp>

#include <k8s/cache/backoff.hpp>

#include <utility>

namespace k8s::inline v0::retry::detail {

void Repeat(const Backoff& backoff, const std::function<bool()>& attempt, std::stop_token stop) {
  const auto clock = backoff.clock ? backoff.clock : RealClock();
  cache::Backoff waits({.initial = backoff.duration,
                        .max = backoff.cap,
                        .factor = backoff.factor,
                        .jitter = backoff.jitter});
  for (int tries = 1; !stop.stop_requested(); ++tries) {
    if (attempt() || tries >= backoff.steps) return;
    if (!clock->SleepFor(waits.Next(), stop)) return;
  }
}

}  // namespace k8s::inline v0::retry::detail
