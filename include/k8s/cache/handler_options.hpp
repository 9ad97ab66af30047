#pragma once

#include <k8s/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::cache {

/// What becomes of the notifications that a handler has not had yet.
enum class PendingPolicy {
  /// All are kept, as in client-go. Only this handler falls behind; memory is the limit.
  kUnbounded,
  /// While `maxPending` of them wait, the informer reads nothing more: its store and all its other
  /// handlers stand still as well. In the end the server may close the watch, and the informer
  /// lists again; nothing is lost. For handlers that must see every event and are seldom slow. A
  /// callback must not wait for what its informer has still to receive.
  kBlock,
  /// Of each object only what leads to its newest state: an add, an update from the oldest state
  /// not overwritten yet to the newest one, a delete; nothing for what came and went unseen; the
  /// delete and the add of an object that was made anew. At most two per key. Objects in the order
  /// in which they first were pending; a resync and a change are one update. For handlers that want
  /// the state and not each event.
  kCoalesce,
  /// When more than `maxPending` wait, the handler is removed and what waits is dropped: it is no
  /// good any more. Told by a line in the log, `HandlerStats::overflowed`,
  /// `InformerStatus::handlersDropped` and `onDropped`. Add a handler anew to start again from the
  /// state that the store has then.
  kDrop,
};

/// A short name of the policy, "coalesce" for example.
[[nodiscard]] std::string_view ToString(PendingPolicy policy);

/// How a handler keeps up. A notification is pending, then delivered or failed; or it was coalesced
/// or dropped: these add up to all that there were.
struct HandlerStats {
  std::size_t pending = 0;         ///< Waiting for the handler; a running callback counts.
  std::size_t highestPending = 0;  ///< The most there ever were.
  std::uint64_t delivered = 0;     ///< Callbacks that returned.
  std::uint64_t failed = 0;        ///< Callbacks that threw.
  std::uint64_t coalesced = 0;     ///< Made needless by later ones (kCoalesce).
  std::uint64_t dropped = 0;       ///< Still pending when the handler was removed or dropped.
  bool overflowed = false;         ///< The handler was dropped as too slow (kDrop).
};

/// How a handler is served.
struct HandlerOptions {
  /// How often this handler gets all objects once more. Not set: the informer's; 0: never. Counts
  /// in steps of the informer's shortest period at start.
  std::optional<Clock::Duration> resyncPeriod = std::nullopt;
  PendingPolicy pending = PendingPolicy::kUnbounded;
  /// Bound of kBlock and kDrop; not 0. The objects that there are when the handler starts do not
  /// count, nor do, with kBlock, the changes that one list shows at once.
  std::size_t maxPending = 10000;
  /// kDrop: called once, as the last call on the handler's thread, after a callback that still ran
  /// has returned. May add a handler anew. Empty: nobody is told.
  std::function<void(const HandlerStats& stats)> onDropped = {};
  /// For logs and metrics. Empty: its number, from 1 on, among the informer's handlers.
  std::string name = {};
};

}  // namespace k8s::inline v0::cache
