#pragma once

#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "rest/request_log.hpp"

namespace k8s::inline v0::rest::detail {

/// What the I/O thread and one reader share of an exchange: the head, a bounded buffer of body
/// bytes, and how it ended.
///
/// Thread safety. One I/O thread and one reader at a time.
class Exchange {
 public:
  /// Beyond this the sender is paused.
  static constexpr std::size_t kBufferLimit = std::size_t{1} << 20;

  /// `what` names the request in errors. `idle_timeout`: longest wait for the head or for the next
  /// byte; zero for no bound.
  Exchange(std::string what, std::chrono::milliseconds idle_timeout)
      : what_(std::move(what)), idle_timeout_(idle_timeout) {}

  // ---- The I/O thread

  void SetHead(int status, Headers headers, Timings timings = {});
  /// Returns false, and takes nothing, when the reader has to catch up first.
  [[nodiscard]] bool Append(std::string_view bytes);
  /// Nothing follows. No error: the body is complete.
  void Finish(std::optional<Error> error);

  // ---- The reader

  /// What a read found.
  struct Taken {
    bool more = false;    ///< False at the end of the body.
    bool resume = false;  ///< The sender is paused and there is room again.
  };

  [[nodiscard]] const std::string& what() const { return what_; }
  void SetIdleTimeout(std::chrono::milliseconds timeout) { idle_timeout_ = timeout; }
  /// Waits for the head. Errors: those of Finish, kTimeout with kReasonSilence, kCancelled.
  Result<void> AwaitHead(const std::stop_token& stop);
  /// Waits for bytes and swaps them into `chunk`, whose memory is used again. Errors: the same.
  Result<Taken> Take(std::string& chunk, const std::stop_token& stop);
  [[nodiscard]] bool Finished() const;
  [[nodiscard]] bool HasHead() const;

  // Requires: AwaitHead has succeeded; from then on nobody writes them.
  [[nodiscard]] int status() const { return status_; }
  [[nodiscard]] const Headers& headers() const { return headers_; }
  [[nodiscard]] const Timings& timings() const { return timings_; }

 private:
  /// `complaint`: what is said of the server, before the time, when it was silent for too long.
  template <class Predicate>
  Result<void> Wait(std::unique_lock<std::mutex>& lock, const std::stop_token& stop,
                    std::string_view complaint, Predicate ready);

  const std::string what_;
  std::chrono::milliseconds idle_timeout_;  ///< The reader's.

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  bool waiting_ = false;  ///< The reader waits: spares the I/O thread needless wake-ups.
  bool has_head_ = false;
  bool paused_ = false;
  bool finished_ = false;
  int status_ = 0;
  Headers headers_;
  Timings timings_;
  std::string buffer_;
  std::optional<Error> error_;
};

}  // namespace k8s::inline v0::rest::detail
