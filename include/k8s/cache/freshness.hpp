#pragma once

#include <k8s/cache/status.hpp>
#include <k8s/cache/wait.hpp>
#include <k8s/clock.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace k8s::inline v0::cache {

/// How old the proof may be that a cache follows its server, by default. A healthy watch of what
/// does not change brings a bookmark every 45 to 60 s, and a stalled one is replaced within 45 s of
/// silence (ReflectorOptions::watchIdleTimeout): less than 60 s would find fault with healthy
/// caches.
inline constexpr std::chrono::seconds kDefaultMaxAge{90};

/// An informer whose cache is not known to be fresh.
struct StaleInformer {
  InformerStatus status = {};  ///< Resource, state, last error and its time.
  /// How long ago the last proof of life came. Not set: never, since it has not synced.
  std::optional<Clock::Duration> age = std::nullopt;

  /// "pods: watching, last proof of life 120 s ago; watch: connection refused", or why it has not
  /// synced.
  [[nodiscard]] std::string ToString() const;
};

/// Whether caches follow their servers: the answer for a health endpoint.
///
/// Proof of life is what shows that the store is up to date: a complete state, an event, a
/// bookmark; from a server that never sent a bookmark also the orderly end of a watch. A watch that
/// was answered and says nothing is no proof, and neither are objects of an unfinished list. An
/// informer that has not synced, or that has been stopped, is not fresh. One whose handler blocks
/// it (PendingPolicy::kBlock) becomes stale, as it reads nothing.
struct Freshness {
  Clock::Duration maxAge{0};              ///< What was asked for.
  std::size_t informers = 0;              ///< How many were looked at.
  Clock::Duration oldest{0};              ///< Age of the oldest proof of life among the fresh ones.
  std::vector<StaleInformer> stale = {};  ///< Those that are not fresh.

  /// Whether all informers are fresh; also when there are none.
  [[nodiscard]] bool ok() const { return stale.empty(); }
  /// One line for a HTTP body: "ok: 3 caches, last proof of life at most 12 s ago", or each stale
  /// informer with its reason.
  [[nodiscard]] std::string ToString() const;
};

/// Judges statuses, all of one clock, at the time `now`. Age and `max_age` are compared
/// inclusively: a proof exactly `max_age` old is fresh.
[[nodiscard]] Freshness CheckFreshness(std::vector<InformerStatus> statuses,
                                       Clock::Duration max_age, Clock::TimePoint now);

}  // namespace k8s::inline v0::cache
