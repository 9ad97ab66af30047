#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace k8s::test {

/// The server's end of a TCP connection. All members block; every one ends when RawHttpServer is
/// destroyed.
class RawConnection {
 public:
  explicit RawConnection(int socket) : socket_(socket) {}
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  ~RawConnection();

  /// The next request, head and body; empty when the client has closed the connection.
  std::string ReadRequest();
  /// Returns false when the client is gone.
  bool Send(std::string_view bytes);
  /// Sends "HTTP/1.1 200 OK" with the body, and with more header lines, each ending in CRLF.
  bool Answer(std::string_view body, std::string_view headers = {});
  /// Waits until the client has closed the connection.
  void AwaitClose();
  /// Ends the connection with a RST.
  void Reset();

 private:
  friend class RawHttpServer;
  bool Receive();
  void Close();
  void Shutdown();

  std::mutex mutex_;  ///< Of socket_'s life: the server shuts it down from another thread.
  int socket_;
  std::string received_;
};

/// A server on loopback that does with each connection what its script says, byte by byte: what no
/// decent HTTP server can be made to do. One thread per connection.
class RawHttpServer {
 public:
  using Script = std::function<void(RawConnection& connection)>;

  explicit RawHttpServer(Script script);
  RawHttpServer(const RawHttpServer&) = delete;
  RawHttpServer& operator=(const RawHttpServer&) = delete;
  /// Ends all connections and joins their scripts.
  ~RawHttpServer();

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// How many connections were accepted.
  [[nodiscard]] int connections() const;

 private:
  struct Peer {
    std::unique_ptr<RawConnection> connection;
    std::thread thread;
  };

  void Accept();

  Script script_;
  int port_ = 0;  ///< Before listener_, whose making sets it.
  int listener_ = -1;
  mutable std::mutex mutex_;
  std::vector<Peer> peers_;
  std::thread acceptor_;
};

/// One chunk of "Transfer-Encoding: chunked".
[[nodiscard]] std::string Chunk(std::string_view bytes);

/// A port on loopback where nobody listens.
[[nodiscard]] int ClosedPort();
/// A socket that listens on a free port of loopback. Throws std::runtime_error when there is none.
int ListenOnLoopback(int* port);

}  // namespace k8s::test
