#pragma once

#include <k8s/clock.hpp>
#include <k8s/error.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

/// Repeats what failed for a reason that passes. Mirrors client-go's util/retry.
namespace k8s::inline v0::retry {

/// How often to try and how long to wait in between. Mirrors wait.Backoff.
struct Backoff {
  int steps = 5;  ///< Tries in all; below 1 counts as 1.
  /// The first wait, before jitter. Default 10 ms.
  Clock::Duration duration = std::chrono::milliseconds(10);
  double factor = 1.0;  ///< What each wait is multiplied with to get the next one. At least 1.
  /// A wait is lengthened by a random part of up to `jitter` times itself. 0: none.
  double jitter = 0.1;
  Clock::Duration cap = std::chrono::hours(1);  ///< The longest wait, before jitter.
  std::shared_ptr<Clock> clock = nullptr;       ///< Null: RealClock().
};

/// For a conflict with other writers: 5 tries, 10 ms apart. Mirrors retry.DefaultRetry.
inline const Backoff DefaultRetry = {};
/// For a conflict with many writers: 4 tries, 10, 50 and 250 ms apart. Mirrors
/// retry.DefaultBackoff.
inline const Backoff DefaultBackoff = {.steps = 4, .factor = 5.0};

/// Whether a failure may pass.
using Retriable = std::function<bool(const Error& error)>;

namespace detail {
/// Calls `attempt` until it says that it is done, waiting in between; at most `backoff.steps`
/// times.
void Repeat(const Backoff& backoff, const std::function<bool()>& attempt, std::stop_token stop);
}  // namespace detail

/// Calls `fn`, which returns a Result, until it succeeds, fails for a reason that is not retriable,
/// or has been called `backoff.steps` times. Returns its last result; kCancelled if `stop` was
/// triggered before the first call.
/// **Blocking.** While `fn` does and in the waits, which end at once when `stop` is triggered.
/// **Mirrors** retry.OnError.
template <class F>
std::invoke_result_t<F&> OnError(const Backoff& backoff, const Retriable& retriable, F&& fn,
                                 std::stop_token stop = {}) {
  std::invoke_result_t<F&> result = Cancelled("retry");
  detail::Repeat(
      backoff,
      [&] {
        result = fn();
        return result.has_value() || !retriable(result.error());
      },
      std::move(stop));
  return result;
}

/// As OnError for conflicts (409): of several writers each gets its turn. `fn` reads the object
/// anew, changes it and writes it:
///
///     retry::RetryOnConflict(retry::DefaultRetry, [&]() -> Result<void> {
///       auto map = maps.Get("a");
///       if (!map) return std::move(map).error();
///       map->data["k"] = "v";
///       auto written = maps.Update(*map);
///       if (!written) return std::move(written).error();
///       return {};
///     });
template <class F>
std::invoke_result_t<F&> RetryOnConflict(const Backoff& backoff, F&& fn,
                                         std::stop_token stop = {}) {
  return OnError(backoff, IsConflict, std::forward<F>(fn), std::move(stop));
}

}  // namespace k8s::inline v0::retry
