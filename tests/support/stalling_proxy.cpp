#include "support/stalling_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "support/raw_http_server.hpp"

namespace k8s::test {
namespace {

/// Closes a socket so that its peer gets a RST.
void Reset(int socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  close(socket);
}

}  // namespace

StallingProxy::StallingProxy(int port)
    : target_(port), listener_(ListenOnLoopback(&port_)), wake_(eventfd(0, EFD_CLOEXEC)) {
  thread_ = std::thread([this] { Run(); });
}

StallingProxy::~StallingProxy() {
  stopping_ = true;
  Wake();
  thread_.join();
  for (const Pair& pair : pairs_) {
    close(pair.client);
    close(pair.server);
  }
  close(listener_);
  close(wake_);
}

void StallingProxy::Do(Command command) {
  const std::lock_guard lock(callers_);
  command_ = command;
  Wake();
  command_.wait(command);
}

void StallingProxy::Obey(Command command) {
  for (Pair& pair : pairs_) {
    pair.stalled = command == Command::kStall;
    if (command != Command::kCut) continue;
    Reset(pair.client);
    Reset(pair.server);
  }
  if (command == Command::kCut) pairs_.clear();
  command_ = Command::kNone;
  command_.notify_all();
}

void StallingProxy::Wake() const {
  const std::uint64_t one = 1;
  (void)!write(wake_, &one, sizeof(one));
}

void StallingProxy::Run() {
  while (!stopping_) {
    std::vector<pollfd> polled{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    for (const Pair& pair : pairs_) {
      // A negative descriptor is left out of the poll.
      polled.push_back({pair.stalled ? -1 : pair.client, POLLIN, 0});
      polled.push_back({pair.stalled ? -1 : pair.server, POLLIN, 0});
    }
    poll(polled.data(), polled.size(), -1);
    if (polled[0].revents != 0) {
      std::uint64_t count = 0;
      (void)!read(wake_, &count, sizeof(count));
    }
    if (const Command command = command_; command != Command::kNone) {
      Obey(command);
      continue;
    }
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      const Pair pair = pairs_[i];
      const bool open = (polled[2 + 2 * i].revents == 0 || Forward(pair.client, pair.server)) &&
                        (polled[3 + 2 * i].revents == 0 || Forward(pair.server, pair.client));
      if (open) continue;
      close(pair.client);
      close(pair.server);
      pairs_.erase(pairs_.begin() + static_cast<std::ptrdiff_t>(i));
    }
    if (polled[1].revents != 0) Accept();
  }
}

void StallingProxy::Accept() {
  const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  if (refuse_) return Reset(client);
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(target_));
  if (connect(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) {
    Reset(client);
    close(server);
    return;
  }
  pairs_.push_back({client, server, hold_});
  ++accepted_;
}

bool StallingProxy::Forward(int from, int to) {
  std::array<char, 16384> buffer{};
  const auto count = recv(from, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  for (ssize_t sent = 0; sent < count;) {
    const auto more =
        send(to, buffer.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more <= 0) return false;
    sent += more;
  }
  return true;
}

}  // namespace k8s::test
