#include "support/raw_http_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace k8s::test {

namespace {

/// The length of a request that starts with this head, 0 while the head is not complete.
std::size_t RequestLength(std::string_view text) {
  const auto end = text.find("\r\n\r\n");
  if (end == std::string_view::npos) return 0;
  const auto field = text.substr(0, end).find("Content-Length: ");
  std::size_t body = 0;
  if (field != std::string_view::npos) {
    body = std::strtoul(text.data() + field + 16, nullptr, 10);
  }
  return end + 4 + body;
}

}  // namespace

int ListenOnLoopback(int* port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (listener < 0 || bind(listener, generic, length) != 0 || listen(listener, 128) != 0 ||
      getsockname(listener, generic, &length) != 0) {
    throw std::runtime_error("no port on loopback");
  }
  *port = ntohs(address.sin_port);
  return listener;
}

RawConnection::~RawConnection() { Reset(); }

std::string RawConnection::ReadRequest() {
  while (true) {
    const auto length = RequestLength(received_);
    if (length > 0 && received_.size() >= length) {
      auto request = received_.substr(0, length);
      received_.erase(0, length);
      return request;
    }
    if (!Receive()) return {};
  }
}

bool RawConnection::Receive() {
  std::array<char, 16384> buffer{};
  const auto count = recv(socket_, buffer.data(), buffer.size(), 0);
  if (count <= 0) return false;
  received_.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

bool RawConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool RawConnection::Answer(std::string_view body, std::string_view headers) {
  return Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
              std::string(headers) + "\r\n" + std::string(body));
}

void RawConnection::AwaitClose() {
  while (Receive()) {
  }
}

void RawConnection::Reset() {
  const std::lock_guard lock(mutex_);
  if (socket_ < 0) return;
  const linger now{.l_onoff = 1, .l_linger = 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
  close(std::exchange(socket_, -1));
}

void RawConnection::Close() {
  const std::lock_guard lock(mutex_);
  if (socket_ >= 0) close(std::exchange(socket_, -1));
}

void RawConnection::Shutdown() {
  const std::lock_guard lock(mutex_);
  if (socket_ >= 0) shutdown(socket_, SHUT_RDWR);
}

RawHttpServer::RawHttpServer(Script script)
    : script_(std::move(script)), listener_(ListenOnLoopback(&port_)) {
  acceptor_ = std::thread([this] { Accept(); });
}

RawHttpServer::~RawHttpServer() {
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  for (auto& peer : peers_) peer.connection->Shutdown();
  for (auto& peer : peers_) peer.thread.join();
}

void RawHttpServer::Accept() {
  while (true) {
    const int socket = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (socket < 0) return;
    auto connection = std::make_unique<RawConnection>(socket);
    auto* bare = connection.get();
    const std::lock_guard lock(mutex_);
    peers_.push_back({std::move(connection), std::thread([this, bare] {
                        script_(*bare);
                        bare->Close();
                      })});
  }
}

int RawHttpServer::connections() const {
  const std::lock_guard lock(mutex_);
  return static_cast<int>(peers_.size());
}

std::string Chunk(std::string_view bytes) {
  std::array<char, 20> size{};
  const int length = std::snprintf(size.data(), size.size(), "%zx\r\n", bytes.size());
  return std::string(size.data(), static_cast<std::size_t>(length)) + std::string(bytes) + "\r\n";
}

int ClosedPort() {
  int port = 0;
  close(ListenOnLoopback(&port));
  return port;
}

}  // namespace k8s::test
