#include "connection.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace k8s::inline v0::testing {
namespace {

/// Milliseconds for poll, rounded up so that a deadline has passed when poll says so.
int PollTimeout(std::optional<Connection::TimePoint> deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

bool PeerGone(short events) { return (events & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL)) != 0; }

}  // namespace

Connection::Connection(int fd) : fd_(fd), event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  // Events are small and must leave at once.
  const int on = 1;
  setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

Connection::~Connection() {
  if (reset_ || state_ == State::kAborted) {
    const linger at_once{.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }
  close(fd_);
  close(event_fd_);
}

void Connection::Signal() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full: then it is readable anyway.
  [[maybe_unused]] const ssize_t written = write(event_fd_, &one, sizeof(one));
}

void Connection::Finish() {
  State open = State::kOpen;
  state_.compare_exchange_strong(open, State::kFinishing);
  Signal();
}

void Connection::Abort() {
  state_ = State::kAborted;
  Signal();
}

void Connection::DrainSignal() {
  std::uint64_t count = 0;
  if (read(event_fd_, &count, sizeof(count)) > 0) signalled_ = true;
}

Connection::Wake Connection::Wait(std::optional<TimePoint> deadline) {
  for (;;) {
    if (!Usable() || Finishing()) return Wake::kGone;
    if (std::exchange(signalled_, false)) return Wake::kSignal;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return Wake::kDeadline;
    pollfd fds[] = {{fd_, POLLRDHUP, 0}, {event_fd_, POLLIN, 0}};
    if (poll(fds, 2, PollTimeout(deadline)) < 0 && errno != EINTR) return Wake::kGone;
    if (PeerGone(fds[0].revents)) return Wake::kGone;
    if (fds[1].revents != 0) DrainSignal();
  }
}

void Connection::WaitUntilGone() {
  while (Wait(std::nullopt) != Wake::kGone) {
  }
  GiveUp();
}

bool Connection::WaitReadable() {
  for (;;) {
    if (!Usable() || Finishing()) return false;
    if (buffer_begin_ < buffer_end_) return true;
    pollfd fds[] = {{fd_, POLLIN, 0}, {event_fd_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return false;
    if (fds[1].revents != 0) DrainSignal();
    if (fds[0].revents != 0) return true;
  }
}

ssize_t Connection::Read(char* out, std::size_t size) {
  if (buffer_begin_ == buffer_end_) {
    if (!WaitReadable()) return -1;
    const ssize_t got = recv(fd_, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) return got;
    buffer_begin_ = 0;
    buffer_end_ = static_cast<std::size_t>(got);
  }
  const std::size_t count = std::min(size, buffer_end_ - buffer_begin_);
  std::memcpy(out, buffer_.data() + buffer_begin_, count);
  buffer_begin_ += count;
  return static_cast<ssize_t>(count);
}

ssize_t Connection::Write(const char* data, std::size_t size) {
  std::size_t sent = 0;
  while (sent < size) {
    if (!Usable()) return -1;
    const ssize_t n = send(fd_, data + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      sent += static_cast<std::size_t>(n);
      continue;
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) return -1;
    // A reader that does not read must not hold up a stop.
    if (Finishing()) return -1;
    pollfd fds[] = {{fd_, POLLOUT, 0}, {event_fd_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return -1;
    if (fds[1].revents != 0) DrainSignal();
  }
  return static_cast<ssize_t>(sent);
}

}  // namespace k8s::inline v0::testing
