#pragma once

#include <k8s/cache/delta_fifo.hpp>

#include <vector>

#include "cache/pending_queue.hpp"

namespace k8s::inline v0::cache {
class ThreadSafeStore;
namespace detail {

/// Brings the store up to date with what was popped from the queue, in one step for readers, and
/// returns what handlers are to be told of it, in order. Mirrors processDeltas.
/// Requires: nobody else writes to the store. `deltas` is not a kSync.
std::vector<Notification> ApplyDeltas(Deltas&& deltas, ThreadSafeStore& store);

}  // namespace detail
}  // namespace k8s::inline v0::cache
