#include <k8s/cache/backoff.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <utility>

namespace k8s::inline v0::cache {

namespace {

Clock::Duration Scaled(Clock::Duration duration, double by) {
  return std::chrono::duration_cast<Clock::Duration>(
      std::chrono::duration<double, Clock::Duration::period>(duration) * by);
}

}  // namespace

RandomFunc DefaultRandom() {
  auto engine = std::make_shared<std::minstd_rand>(std::random_device{}());
  return [engine] { return std::uniform_real_distribution<double>(0.0, 1.0)(*engine); };
}

Backoff::Backoff(BackoffOptions options, RandomFunc random)
    : options_(options), random_(std::move(random)), base_(options.initial) {}

Clock::Duration Backoff::NextUnreachable() {
  return Next(std::min(std::max(options_.maxUnreachable, options_.initial), options_.max));
}

Clock::Duration Backoff::Next(Clock::Duration max) {
  const Clock::Duration base = std::min(base_, max);
  base_ = std::max(base_, std::min(Scaled(base, std::max(options_.factor, 1.0)), max));
  return base + Scaled(base, options_.jitter * random_());
}

void Backoff::Reset() { base_ = options_.initial; }

}  // namespace k8s::inline v0::cache
