#pragma once

#include <atomic>
#include <chrono>

namespace k8s::inline v0::rest::detail {

/// When a peer was last heard, by the steady clock. A new one counts as heard.
///
/// Thread safety. All members may be called from any thread.
class Pulse {
 public:
  using Clock = std::chrono::steady_clock;

  void Beat() { last_ = Clock::now().time_since_epoch().count(); }
  [[nodiscard]] Clock::time_point Last() const {
    return Clock::time_point(Clock::duration(last_.load()));
  }

 private:
  std::atomic<Clock::rep> last_{Clock::now().time_since_epoch().count()};
};

}  // namespace k8s::inline v0::rest::detail
