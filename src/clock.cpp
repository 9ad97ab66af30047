#include <k8s/clock.hpp>

#include <condition_variable>
#include <mutex>

namespace k8s::inline v0 {

namespace {

class SteadyClock final : public Clock {
 public:
  [[nodiscard]] TimePoint Now() const override { return std::chrono::steady_clock::now(); }

  bool SleepUntil(TimePoint deadline, std::stop_token stop) override {
    // Nobody notifies: only the deadline or the token ends the wait.
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_until(lock, stop, deadline, [] { return false; });
    return !stop.stop_requested();
  }
};

}  // namespace

std::shared_ptr<Clock> RealClock() {
  static const auto clock = std::make_shared<SteadyClock>();
  return clock;
}

}  // namespace k8s::inline v0
