#include <k8s/testing/fake_clock.hpp>

#include <iterator>

namespace k8s::inline v0::testing {

Clock::TimePoint FakeClock::Now() const {
  std::lock_guard lock(mutex_);
  return now_;
}

bool FakeClock::SleepUntil(TimePoint deadline, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  const auto entry = deadlines_.insert(deadline);
  changed_.notify_all();
  changed_.wait(lock, stop, [&] { return now_ >= deadline; });
  deadlines_.erase(entry);
  return !stop.stop_requested();
}

void FakeClock::Step(Duration duration) {
  std::lock_guard lock(mutex_);
  now_ += duration;
  changed_.notify_all();
}

std::size_t FakeClock::Sleepers() const {
  std::lock_guard lock(mutex_);
  return CountSleepers();
}

bool FakeClock::WaitForSleepers(std::size_t count, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  return changed_.wait(lock, stop, [&] { return CountSleepers() >= count; });
}

std::size_t FakeClock::CountSleepers() const {
  return static_cast<std::size_t>(std::distance(deadlines_.upper_bound(now_), deadlines_.end()));
}

}  // namespace k8s::inline v0::testing
