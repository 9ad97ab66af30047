#pragma once

#include <k8s/cache/metrics.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace k8s::test {

inline std::string Milliseconds(Clock::Duration duration) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(duration).count()) +
         "ms";
}

/// Metrics that write down what they are told. Thread safety. All members may be called from any
/// thread.
class RecordingMetrics : public cache::InformerMetrics {
 public:
  void OnList(const cache::ListMetrics& list) noexcept override {
    Write(std::string(list.streamed ? "stream " : "list ") +
          (list.complete ? "of " + std::to_string(list.items) : "failed") + ", " +
          std::to_string(list.bytes) + " bytes, " + Milliseconds(list.duration));
  }
  void OnRelist(cache::RelistReason reason) noexcept override {
    Write("relist: " + std::string(cache::ToString(reason)));
  }
  void OnWatchOpened(bool replacing) noexcept override {
    Write(replacing ? "watch replaced" : "watch opened");
  }
  void OnWatchEnded(const cache::WatchMetrics& watch) noexcept override {
    Write(std::string(watch.isShort ? "short " : "") + "watch of " + std::to_string(watch.events) +
          ", " + Milliseconds(watch.duration));
  }
  void OnEvent(watch::EventType type, std::uint64_t bytes) noexcept override {
    Write("event " + std::to_string(static_cast<int>(type)) + ", " + std::to_string(bytes) +
          " bytes");
  }
  void OnUnreadable() noexcept override { Write("unreadable"); }
  void OnFailure(std::string_view verb, const Error& error) noexcept override {
    Write(std::string(verb) + " failed: " + error.message);
  }
  void OnResourceVersion(std::string_view version) noexcept override {
    Write("at " + std::string(version));
  }

  /// What was written so far.
  [[nodiscard]] std::vector<std::string> Lines() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// Of that, what begins with `prefix`.
  [[nodiscard]] std::vector<std::string> Lines(std::string_view prefix) const {
    auto lines = Lines();
    std::erase_if(lines, [&](const auto& line) { return !line.starts_with(prefix); });
    return lines;
  }

 protected:
  void Write(std::string line) {
    const std::lock_guard lock(mutex_);
    lines_.push_back(std::move(line));
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace k8s::test
