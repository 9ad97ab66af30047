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
  Clock::Duration Next();
  /// Starts over with the first wait.
  void Reset();

 private:
  BackoffOptions options_;
  RandomFunc random_;
  Clock::Duration base_;
};

}  // namespace k8s::inline v0::cache
