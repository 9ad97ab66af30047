#include "http_server.hpp"

#include <cerrno>
#include <cstdint>
#include <string>
#include <system_error>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace k8s::inline v0::testing {
namespace {

/// The connection that this thread serves: cpp-httplib hands its handlers no context.
thread_local Connection* current_connection = nullptr;

class ConnectionStream : public httplib::Stream {
 public:
  explicit ConnectionStream(Connection& connection) : connection_(connection) {}

  bool is_readable() const override { return true; }
  bool is_writable() const override { return connection_.Usable(); }
  ssize_t read(char* ptr, size_t size) override { return connection_.Read(ptr, size); }
  ssize_t write(const char* ptr, size_t size) override { return connection_.Write(ptr, size); }
  void get_remote_ip_and_port(std::string& ip, int&) const override { ip = "127.0.0.1"; }
  void get_local_ip_and_port(std::string& ip, int&) const override { ip = "127.0.0.1"; }
  socket_t socket() const override { return connection_.fd(); }

 private:
  Connection& connection_;
};

void HideAcceptEncoding(httplib::Request& request) {
  const std::string value = request.get_header_value("Accept-Encoding");
  if (value.empty()) return;
  request.headers.erase("Accept-Encoding");
  request.set_header(HttpServer::kAcceptEncoding, value);
}

Error SystemError(const char* what) {
  return {.kind = ErrorKind::kConnect,
          .message = std::string(what) + ": " + std::generic_category().message(errno)};
}

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

Result<int> Listen(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return SystemError("socket");
  const int on = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const sockaddr_in address = Loopback(port);
  if (bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      listen(fd, SOMAXCONN) != 0) {
    Error error = SystemError("listen");
    close(fd);
    return error;
  }
  return fd;
}

int PortOf(int fd) {
  sockaddr_in address{};
  socklen_t size = sizeof(address);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

HttpServer::HttpServer(Handler handler) : handler_(std::move(handler)) {
  const auto handle = [this](const httplib::Request& request, httplib::Response& response) {
    handler_(request, response, *current_connection);
  };
  // For the Keep-Alive header only: connections live as long as clients want.
  set_keep_alive_max_count(1'000'000);
  set_keep_alive_timeout(3600);
  Get(".*", handle);
  Post(".*", handle);
  Put(".*", handle);
  Patch(".*", handle);
  Delete(".*", handle);
  Options(".*", handle);
}

HttpServer::~HttpServer() { Stop(true); }

void HttpServer::BuildTables() {
  static std::once_flag once;
  std::call_once(once, [this] {
    httplib::detail::BufferStream stream;
    const std::string request = "NO-SUCH-METHOD / HTTP/1.1\r\n\r\n";
    stream.write(request.data(), request.size());
    bool closed = false;
    process_request(stream, true, closed, nullptr);
  });
}

Result<void> HttpServer::Start(int port) {
  BuildTables();
  auto fd = Listen(port);
  if (!fd) return fd.error();
  listen_fd_ = *fd;
  port_ = PortOf(listen_fd_);
  stop_fd_ = eventfd(0, EFD_CLOEXEC);
  // cpp-httplib takes an invalid socket here for a server that shuts down, and cuts its answers.
  svr_sock_ = listen_fd_;
  acceptor_ = std::thread([this] { AcceptLoop(); });
  return {};
}

void HttpServer::Stop(bool abort) {
  if (!acceptor_.joinable()) return;
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(stop_fd_, &one, sizeof(one));
  acceptor_.join();
  close(std::exchange(listen_fd_, -1));
  close(std::exchange(stop_fd_, -1));
  {
    const std::lock_guard lock(mutex_);
    for (Session& session : sessions_) {
      if (!session.connection) continue;
      abort ? session.connection->Abort() : session.connection->Finish();
    }
  }
  for (Session& session : sessions_) session.thread.join();
  sessions_.clear();
}

void HttpServer::AcceptLoop() {
  for (;;) {
    pollfd fds[] = {{listen_fd_, POLLIN, 0}, {stop_fd_, POLLIN, 0}};
    if (poll(fds, 2, -1) < 0 && errno != EINTR) return;
    if (fds[1].revents != 0) return;
    if (fds[0].revents == 0) continue;
    const int fd = accept4(listen_fd_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd >= 0) Accept(fd);
  }
}

void HttpServer::Accept(int fd) {
  ++accepted_;
  Reap();
  const std::lock_guard lock(mutex_);
  Session& session = sessions_.emplace_back();
  session.connection = std::make_unique<Connection>(fd);
  session.thread = std::thread([this, &session] { Serve(session); });
}

void HttpServer::Serve(Session& session) {
  Connection& connection = *session.connection;
  current_connection = &connection;
  ConnectionStream stream(connection);
  while (connection.WaitReadable()) {
    bool closed = false;
    if (!process_request(stream, false, closed, HideAcceptEncoding) || closed) break;
  }
  current_connection = nullptr;
  {
    // Closed now and not when reaped: the peer waits for it.
    const std::lock_guard lock(mutex_);
    session.connection.reset();
  }
  session.done = true;
}

void HttpServer::Reap() {
  // Only this thread, the acceptor, adds and removes sessions while the server runs.
  for (auto it = sessions_.begin(); it != sessions_.end();) {
    if (!it->done) {
      ++it;
      continue;
    }
    it->thread.join();
    const std::lock_guard lock(mutex_);
    it = sessions_.erase(it);
  }
}

}  // namespace k8s::inline v0::testing
