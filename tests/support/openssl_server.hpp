#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace k8s::test {

/// A folder with a certificate authority, made by the openssl program; deleted at the end.
class TestAuthority {
 public:
  /// Why there can be none here; empty when there can.
  [[nodiscard]] static std::string Unavailable();

  TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;
  ~TestAuthority();

  /// Makes NAME.pem and NAME.key, signed by this authority. `alt_name`: "DNS:a.test,IP:127.0.0.1".
  void Issue(const std::string& name, const std::string& alt_name) const;
  /// Runs the openssl program in the folder: "pkey -in a.key -traditional -out b.key".
  void Openssl(const std::string& arguments) const;
  /// The bytes of FILE in the folder.
  [[nodiscard]] std::string Read(const std::string& file) const;
  [[nodiscard]] std::string Path(const std::string& file) const { return dir_ / file; }
  [[nodiscard]] std::string CaFile() const { return Path("ca.pem"); }

 private:
  std::filesystem::path dir_;
};

/// `openssl s_server` on loopback: answers every GET with a status page over TLS.
class OpensslServer {
 public:
  /// Serves with the authority's NAME.pem. `arguments`: more of them.
  OpensslServer(const TestAuthority& authority, const std::string& name,
                const std::vector<std::string>& arguments = {});
  OpensslServer(const OpensslServer&) = delete;
  OpensslServer& operator=(const OpensslServer&) = delete;
  ~OpensslServer();

  [[nodiscard]] const std::string& port() const { return port_; }

 private:
  pid_t pid_ = -1;
  int output_ = -1;  ///< Stays open: the program writes on.
  std::string port_;
};

/// The bytes of a file.
[[nodiscard]] std::string ReadFile(const std::string& path);

}  // namespace k8s::test
