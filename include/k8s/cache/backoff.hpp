#pragma once

#include <k8s/clock.hpp>

#include <chrono>
#include <functional>

namespace k8s::inline v0::cache {

/// How waits grow from one failure to the next. The defaults are client-go's for reflectors.
struct BackoffOptions {
  /// The first wait, before jitter. Default 0.8 s.
  Clock::Duration initial = std::chrono::milliseconds(800);
  /// The longest wait, before jitter. Default 30 s.
  Clock::Duration max = std::chrono::seconds(30);
  /// The longest wait, before jitter, after a failure to get a connection at all (kConnect, kDns).
  /// Default 5 s, 5 to 10 s with the default jitter; at least `initial`, at most `max`. Less than
  /// `max` because a try that is refused costs a server nothing, and what is left of a long wait
  /// when it is back is time without news. `max` or more: such failures are like all others, as in
  /// client-go.
  Clock::Duration maxUnreachable = std::chrono::seconds(5);
  /// What each wait is multiplied with to get the next one. Default 2. At least 1.
  double factor = 2.0;
  /// A wait is lengthened by a random part of up to `jitter` times itself. Default 1: a wait of 0.8
  /// s becomes 0.8 to 1.6 s, so that clients of a server that comes back do not return together. 0:
  /// none.
  double jitter = 1.0;
};

/// A random number in [0, 1). Called from one thread at a time.
using RandomFunc = std::function<double()>;

/// The process's random numbers, seeded by the system.
[[nodiscard]] RandomFunc DefaultRandom();

/// The sequence of waits between attempts. Mirrors wait.Backoff; when to start over is the owner's
/// business (`Reset`).
/// **Thread safety.** Distinct objects: safe. Shared objects: not safe.
class Backoff {
 public:
  explicit Backoff(BackoffOptions options = {}, RandomFunc random = DefaultRandom());

  /// The next wait, jitter included.
  Clock::Duration Next() { return Next(options_.max); }
  /// The same after a failure to get a connection. Waits that follow are no longer for it.
  Clock::Duration NextUnreachable();
  /// Starts over with the first wait.
  void Reset();

 private:
  Clock::Duration Next(Clock::Duration max);

  BackoffOptions options_;
  RandomFunc random_;
  Clock::Duration base_;
};

}  // namespace k8s::inline v0::cache
