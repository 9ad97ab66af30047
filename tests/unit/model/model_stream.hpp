#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "model_source.hpp"

namespace k8s::test {

/// Waits for a stop that another thread requests.
void AwaitStop(const std::stop_token& stop);

/// One watch that is open at a ModelSource.
struct ModelSource::Stream {
  std::size_t replica = 0;
  int generation = 0;
  int restarts = 0;
  std::uint64_t seen = 0;  ///< All changes up to here were sent.
  bool future = false;     ///< From a version that the server has not reached: silent.
  bool stalled = false;    ///< Never says anything again.
  bool initial = false;    ///< The whole state is still being sent: `rest`, then its end.
  std::vector<ObjectPtr<Item>> rest = {};

  Clock::TimePoint opened = {};
  std::size_t sent = 0;
  std::chrono::milliseconds idle_timeout{0};
  std::optional<watch::Event> last = std::nullopt;
};

class ModelSource::OpenWatch final : public watch::Interface {
 public:
  OpenWatch(ModelSource& source, std::unique_ptr<Stream> stream)
      : source_(source), stream_(std::move(stream)) {}
  ~OpenWatch() override {
    if (stream_->initial) source_.streaming_ = false;
  }
  OpenWatch(const OpenWatch&) = delete;
  OpenWatch& operator=(const OpenWatch&) = delete;

  Result<std::optional<watch::Event>> Next(std::stop_token stop) override {
    return source_.Read(*stream_, stop);
  }
  void SetIdleTimeout(std::chrono::milliseconds timeout) override {
    stream_->idle_timeout = timeout;
  }

 private:
  ModelSource& source_;
  std::unique_ptr<Stream> stream_;
};

}  // namespace k8s::test
