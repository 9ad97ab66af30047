#pragma once

#include <k8s/result.hpp>

#include "connection.hpp"

#include <httplib.h>
#include <atomic>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace k8s::inline v0::testing {

/// Accepts connections on loopback and lets cpp-httplib read requests and write answers. The
/// sockets are ours, because faults and a quick stop need them: a reset in the middle of a chunk,
/// silence on an open connection, an end that waits for nobody. One thread per connection, so that
/// any number of watches can be open.
///
/// Thread safety. Start and the stops: one at a time. The handler is called from many threads.
class HttpServer : private httplib::Server {
 public:
  using Handler =
      std::function<void(const httplib::Request&, httplib::Response&, Connection& connection)>;

  explicit HttpServer(Handler handler);
  ~HttpServer() override;
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// Listens on 127.0.0.1. `port` 0: a free one. Errors: kConnect.
  Result<void> Start(int port);
  /// Closes the port, ends all connections and joins their threads. `abort`: peers see resets.
  void Stop(bool abort);

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::size_t accepted() const { return accepted_; }

  /// The Accept-Encoding header as sent. It is hidden from cpp-httplib, whose own compression would
  /// hold back the events of a watch.
  static constexpr const char* kAcceptEncoding = "X-Original-Accept-Encoding";

 private:
  struct Session {
    std::unique_ptr<Connection> connection;
    std::atomic<bool> done{false};
    std::thread thread;
  };

  /// Has cpp-httplib fill its function-local tables before any connection's thread does. The
  /// library comes compiled: ThreadSanitizer cannot see its guards and reports two first requests
  /// as a race.
  void BuildTables();
  void AcceptLoop();
  void Accept(int fd);
  void Serve(Session& session);
  void Reap();

  Handler handler_;
  std::atomic<std::size_t> accepted_{0};
  std::atomic<int> port_{0};
  int listen_fd_ = -1;
  int stop_fd_ = -1;
  std::thread acceptor_;
  std::mutex mutex_;
  std::list<Session> sessions_;
};

}  // namespace k8s::inline v0::testing
