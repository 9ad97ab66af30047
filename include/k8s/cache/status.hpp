#pragma once

#include <k8s/clock.hpp>
#include <k8s/error.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

/// What a reflector is busy with; a reflector is always in exactly one of these states.
enum class ReflectorState {
  kNotStarted,    ///< `Run` was not called yet.
  kStreaming,     ///< Receives the initial state as a stream of events (watch-list).
  kListing,       ///< Receives the initial state as LIST pages.
  kOpeningWatch,  ///< Has the state, asks for what happens from there on.
  kWatching,      ///< Follows an open watch.
  kBackingOff,    ///< Waits after a failure; `lastError` says which.
  kStopped,       ///< `Run` has returned.
};

/// A short name of the state, "listing" for example.
[[nodiscard]] std::string_view ToString(ReflectorState state);

/// How an informer fares: a snapshot, taken at one instant.
struct InformerStatus {
  std::string resource = {};  ///< "pods", "deployments.apps".
  ReflectorState state = ReflectorState::kNotStarted;
  /// Whether the store holds a complete state that was received at some time.
  bool synced = false;
  /// Objects in the store; while the first state is being received: objects received so far.
  std::size_t itemCount = 0;
  /// The newest resource version received.
  std::string lastSyncResourceVersion = {};
  /// The newest resource version in the store: everything up to it is applied.
  std::string lastStoreSyncResourceVersion = {};

  /// The newest failure, kept until a new complete state was received or a watch was opened.
  std::optional<Error> lastError = std::nullopt;
  std::string lastErrorVerb = {};  ///< "list", "watch" or "resync": what failed.
  std::optional<Clock::TimePoint> lastErrorTime = std::nullopt;

  /// Since when a request is under way of which nothing has come back yet, or was when it was
  /// stopped; none: no such request.
  std::optional<Clock::TimePoint> unansweredSince = std::nullopt;
  /// What that request waits for: `exec plugin "aws" (...)` that runs, else the server.
  std::string waitsFor = {};

  /// When anything was last heard from the server: an answer, an item, an event, a bookmark. A
  /// watch that is opened is answered, which says nothing about the objects yet.
  std::optional<Clock::TimePoint> lastActivity = std::nullopt;
  std::optional<Clock::TimePoint> lastEvent = std::nullopt;
  std::optional<Clock::TimePoint> lastBookmark = std::nullopt;
  /// Until when the store is known to follow the server: the last complete state, event or
  /// bookmark; also the orderly end of a watch if the server never sent a bookmark. See Freshness.
  std::optional<Clock::TimePoint> lastProofOfLife = std::nullopt;

  std::uint64_t failures = 0;           ///< Requests and streams that failed, in all.
  std::uint64_t relists = 0;            ///< Complete states received, the first one included.
  std::uint64_t watchesOpened = 0;      ///< Streams opened, streaming lists included.
  std::uint64_t watchesReplaced = 0;    ///< Those among them that took over from a silent one.
  std::uint64_t unreadableObjects = 0;  ///< Objects skipped: not decodable, or not transformable.

  std::size_t handlers = 0;           ///< Event handlers in place.
  std::uint64_t handlersDropped = 0;  ///< Removed as too slow (PendingPolicy::kDrop).
  bool waitsForHandler = false;       ///< Reads nothing until one is less behind (kBlock).
};

/// Told of each failure that delays an informer, and of each object that cannot be decoded. The
/// informer goes on by itself afterwards. The default one writes to the log (`LogWatchError`).
/// **Callbacks.** On the reflector's thread, without a lock; the reflector waits for it. What it
/// throws is caught and logged.
/// **Mirrors** cache.WatchErrorHandler. Differs: called also for what client-go only logs, a
/// refused connection or an error inside an open watch for example.
using WatchErrorHandler = std::function<void(const Error& error)>;

}  // namespace k8s::inline v0::cache
