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

}  // namespace k8s::inline v0::cache
