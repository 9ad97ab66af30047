#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

#include <sys/types.h>

namespace k8s::inline v0::testing {

/// One accepted TCP connection. All waiting is a poll of the socket together with an eventfd, so
/// that a new event, the peer's leaving and the server's stop each end it at once.
///
/// Thread safety. Signal, Finish and Abort may be called from any thread; all else belongs to the
/// thread that serves the connection.
class Connection {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;
  enum class Wake { kSignal, kDeadline, kGone };

  explicit Connection(int fd);
  ~Connection();  ///< Closes the socket; resets the connection if it was aborted.
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Makes Wait return.
  void Signal();
  /// Lets what is being sent be sent; waiting and reading end.
  void Finish();
  /// Everything ends; the peer sees a reset.
  void Abort();

  /// Waits for a Signal. kGone: the peer left, or the connection is finished or aborted.
  /// No deadline: as long as it takes.
  Wake Wait(std::optional<TimePoint> deadline);
  /// Waits until the peer leaves or the server stops, then gives the connection up.
  void WaitUntilGone();
  /// Waits for the next request. False: there will be none.
  bool WaitReadable();

  ssize_t Read(char* out, std::size_t size);
  ssize_t Write(const char* data, std::size_t size);
  /// Sends bytes as they are. False: the connection is broken.
  bool SendRaw(std::string_view bytes) {
    return Write(bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  }

  /// Nothing more is sent or read; the peer sees an orderly end.
  void GiveUp() { given_up_ = true; }
  /// Nothing more is sent or read; the peer sees a reset.
  void Reset() {
    reset_ = true;
    GiveUp();
  }
  [[nodiscard]] bool Usable() const { return !given_up_ && state_ != State::kAborted; }
  [[nodiscard]] bool Finishing() const { return state_ != State::kOpen; }
  [[nodiscard]] int fd() const { return fd_; }

 private:
  enum class State { kOpen, kFinishing, kAborted };

  void DrainSignal();

  const int fd_;
  const int event_fd_;
  std::atomic<State> state_{State::kOpen};
  bool signalled_ = false;  ///< A Signal was consumed by something other than Wait.
  bool given_up_ = false;
  bool reset_ = false;
  std::array<char, 16 * 1024> buffer_;
  std::size_t buffer_begin_ = 0;
  std::size_t buffer_end_ = 0;
};

}  // namespace k8s::inline v0::testing
