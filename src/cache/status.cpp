#include <k8s/cache/handler_options.hpp>
#include <k8s/cache/status.hpp>

namespace k8s::inline v0::cache {

std::string_view ToString(ReflectorState state) {
  switch (state) {
    case ReflectorState::kNotStarted:
      return "not started";
    case ReflectorState::kStreaming:
      return "streaming";
    case ReflectorState::kListing:
      return "listing";
    case ReflectorState::kOpeningWatch:
      return "opening watch";
    case ReflectorState::kWatching:
      return "watching";
    case ReflectorState::kBackingOff:
      return "backing off";
    case ReflectorState::kStopped:
      return "stopped";
  }
  return "unknown";
}

std::string_view ToString(PendingPolicy policy) {
  switch (policy) {
    case PendingPolicy::kUnbounded:
      return "unbounded";
    case PendingPolicy::kBlock:
      return "block";
    case PendingPolicy::kCoalesce:
      return "coalesce";
    case PendingPolicy::kDrop:
      return "drop";
  }
  return "unknown";
}

}  // namespace k8s::inline v0::cache
