#pragma once

#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::test {

/// An answer for FakeTransport, or a failure to get one.
struct FakeAnswer {
  int status = 200;
  rest::Headers headers = {{"Content-Type", "application/json"}};
  std::vector<std::string> chunks = {};
  std::optional<Error> end = {};      ///< What follows the chunks instead of an orderly end.
  std::optional<Error> failure = {};  ///< Instead of an answer.
  /// If there: what SetIdleTimeout sets.
  std::shared_ptr<std::chrono::milliseconds> idleTimeout = {};
};

inline FakeAnswer Body(std::string body, int status = 200) {
  return {.status = status, .chunks = {std::move(body)}};
}

inline FakeAnswer Failure(ErrorKind kind, std::string message = "failed") {
  return {.failure = Error{.kind = kind, .message = std::move(message)}};
}

class FakeResponse final : public rest::HttpResponse {
 public:
  explicit FakeResponse(FakeAnswer answer) : answer_(std::move(answer)) {}

  [[nodiscard]] int status() const override { return answer_.status; }
  [[nodiscard]] const rest::Headers& headers() const override { return answer_.headers; }
  [[nodiscard]] std::string_view header(std::string_view name) const override {
    for (const auto& [key, value] : answer_.headers) {
      if (key == name) return value;
    }
    return {};
  }
  Result<bool> Read(std::string& chunk, std::stop_token stop) override {
    chunk.clear();
    if (stop.stop_requested()) return Cancelled("read");
    if (next_ < answer_.chunks.size()) {
      chunk = answer_.chunks[next_++];
      return true;
    }
    if (answer_.end) return *answer_.end;
    return false;
  }
  void SetIdleTimeout(std::chrono::milliseconds timeout) override {
    if (answer_.idleTimeout) *answer_.idleTimeout = timeout;
  }

 private:
  FakeAnswer answer_;
  std::size_t next_ = 0;
};

/// Gives prepared answers in turn and keeps the requests.
class FakeTransport final : public rest::Transport {
 public:
  explicit FakeTransport(std::deque<FakeAnswer> answers = {}) : answers_(std::move(answers)) {}

  void Add(FakeAnswer answer) {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
  }
  [[nodiscard]] std::vector<rest::HttpRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

  Result<std::unique_ptr<rest::HttpResponse>> RoundTrip(const rest::HttpRequest& request,
                                                        std::stop_token stop) override {
    const std::lock_guard lock(mutex_);
    if (stop.stop_requested()) return Cancelled("request");
    requests_.push_back(request);
    if (answers_.empty()) return Error{.kind = ErrorKind::kInternal, .message = "no answer left"};
    auto answer = std::move(answers_.front());
    answers_.pop_front();
    if (answer.failure) return *answer.failure;
    return std::unique_ptr<rest::HttpResponse>(std::make_unique<FakeResponse>(std::move(answer)));
  }

 private:
  mutable std::mutex mutex_;
  std::deque<FakeAnswer> answers_;
  std::vector<rest::HttpRequest> requests_;
};

}  // namespace k8s::test
