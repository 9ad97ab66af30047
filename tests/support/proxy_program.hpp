#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "support/child_process.hpp"

namespace k8s::test {

class TestAuthority;

/// A real proxy of the system's packages on a free port of loopback: tinyproxy, microsocks, or
/// stunnel or nghttpx in front of another server.
class ProxyProgram {
 public:
  /// Why it cannot be started here; empty when it can. `name`: "tinyproxy", "microsocks",
  /// "stunnel" or "nghttpx".
  [[nodiscard]] static std::string Unavailable(const std::string& name);

  /// An http proxy. `user`, `password`: what it wants; empty: nothing. Throws std::runtime_error.
  [[nodiscard]] static ProxyProgram Tinyproxy(const std::string& user = "",
                                              const std::string& password = "");
  /// HTTP/2 over TLS, with the authority's NAME.pem, in front of the HTTP/1.1 server on `port` of
  /// loopback. Throws likewise.
  [[nodiscard]] static ProxyProgram Nghttpx(const TestAuthority& authority, const std::string& name,
                                            int port);
  /// A socks5 proxy; as Tinyproxy.
  [[nodiscard]] static ProxyProgram Microsocks(const std::string& user = "",
                                               const std::string& password = "");

  /// TLS, with the authority's NAME.pem, in front of the plain server at `target`, "127.0.0.1:80":
  /// makes an https proxy of an http proxy, and a TLS server of any other. Throws likewise.
  [[nodiscard]] static ProxyProgram Stunnel(const TestAuthority& authority, const std::string& name,
                                            const std::string& target);

  ProxyProgram(ProxyProgram&&) = default;
  ProxyProgram& operator=(ProxyProgram&&) = delete;
  ~ProxyProgram();

  /// "127.0.0.1:41234"
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] int port() const { return port_; }
  /// Whether it has written `text`: "CONNECT 127.0.0.1:6443", "connected to localhost:6443".
  [[nodiscard]] bool Logged(const std::string& text) const;

 private:
  ProxyProgram();
  void Start(std::vector<std::string> command);

  std::filesystem::path dir_;
  int port_;
  std::unique_ptr<ChildProcess> process_;
};

}  // namespace k8s::test
