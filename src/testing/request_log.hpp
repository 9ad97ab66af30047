#pragma once

#include <k8s/testing/fake_api_server.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

namespace k8s::inline v0::testing {

/// What the server was asked, in order of arrival.
/// Thread safety. All members may be called from any thread.
class RequestLog {
 public:
  /// The place of a request in the log; SetStatus finds it there after it has been cleared, too.
  using Entry = std::shared_ptr<RecordedRequest>;

  Entry Add(RecordedRequest request);
  void SetStatus(const Entry& entry, int status);
  [[nodiscard]] std::vector<RecordedRequest> Find(const RequestMatch& match) const;
  [[nodiscard]] std::size_t Count(const RequestMatch& match) const;
  void Clear();
  bool Wait(const RequestMatch& match, std::size_t count, std::chrono::milliseconds timeout) const;

 private:
  [[nodiscard]] std::size_t CountLocked(const RequestMatch& match) const;

  mutable std::mutex mutex_;
  mutable std::condition_variable added_;
  std::deque<Entry> entries_;
};

}  // namespace k8s::inline v0::testing
