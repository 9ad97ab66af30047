#pragma once

#include <gtest/gtest.h>
#include <k8s/result.hpp>

#include <sys/types.h>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::test {

/// What a request through `RealServer::Request` was answered.
struct RawResponse {
  long code = 0;
  std::string body;
};

/// A real kube-apiserver with etcd, as a process of its own (tests/realserver) that ends with the
/// test. It can be stopped or killed and then started again with the same data, port and
/// credentials.
///
/// Thread safety. None, except `Request`, which may be called from any thread.
/// Blocking. Start takes some 3 s, a stop up to 1 s while watches are open.
class RealServer {
 public:
  /// Why no server can be started here; empty when one can. The program's path is in the
  /// environment as CLIENT_CPP_REALSERVER.
  [[nodiscard]] static std::string Unavailable();

  /// Starts a server with fresh data, deleted by the destructor. `flags`: of realserver and, after
  /// "--", of kube-apiserver. Errors: kInternal with what the program wrote to standard error.
  static Result<std::unique_ptr<RealServer>> Start(std::vector<std::string> flags = {});

  RealServer(const RealServer&) = delete;
  RealServer& operator=(const RealServer&) = delete;
  ~RealServer();

  /// Ends the server in an orderly way: open watches end as at a timeout. No-op when it is stopped.
  void Stop();
  /// Ends it by SIGKILL: connections are reset, nothing is flushed.
  void Kill();
  /// Halts it by SIGSTOP: its connections live, the kernel accepts more of them, nobody answers.
  void Pause() const;
  /// Lets it go on after `Pause`.
  void Resume() const;
  /// Starts it again after `Stop` or `Kill`, on the same port with the same data.
  Result<void> Restart();

  [[nodiscard]] const std::string& Url() const { return url_; }  ///< https://127.0.0.1:PORT
  [[nodiscard]] std::string AdminKubeconfig() const { return Out("kubeconfig"); }  ///< Certificate.
  [[nodiscard]] std::string TokenKubeconfig() const { return Out("kubeconfig-token"); }  ///< Admin.
  [[nodiscard]] std::string UserKubeconfig() const {
    return Out("kubeconfig-user");
  }  ///< No rights.
  [[nodiscard]] std::string CaFile() const { return Out("ca.crt"); }
  /// The folder with the kubeconfigs: what podload takes as -dir.
  [[nodiscard]] std::string Directory() const { return dir_ / "out"; }

  /// One request as the administrator, through libcurl alone: a second way to the server beside the
  /// library under test. Errors: kConnect when there was no answer; any HTTP status is an answer.
  [[nodiscard]] Result<RawResponse> Request(
      std::string_view method, const std::string& path, std::string_view body = {},
      std::string_view content_type = "application/json") const;

 private:
  explicit RealServer(std::filesystem::path dir, std::vector<std::string> flags)
      : dir_(std::move(dir)), flags_(std::move(flags)) {}

  [[nodiscard]] std::string Out(std::string_view name) const { return dir_ / "out" / name; }
  Result<void> Launch();
  Result<void> Spawn(int* ready_pipe);
  Result<void> AwaitReady(int ready_pipe);
  void End(int signal);

  std::filesystem::path dir_;
  std::vector<std::string> flags_;
  std::string url_;
  int port_ = 0;
  pid_t pid_ = -1;
  int lifeline_ = -1;  ///< The server's standard input: it stops when this end closes.
};

/// Fixture of tests that share one server per program. Skips the test, with the reason, where no
/// server can be started.
class RealServerTest : public ::testing::Test {
 protected:
  void SetUp() override;
  static void TearDownTestSuite();
  /// What the server is started with, as for RealServer::Start; the first test of a program counts.
  [[nodiscard]] virtual std::vector<std::string> Flags() const { return {}; }

  [[nodiscard]] static RealServer& Server() { return *server_; }
  /// Makes a namespace of its own for a test and returns its name.
  [[nodiscard]] static std::string NewNamespace();

 private:
  static inline std::unique_ptr<RealServer> server_;
};

}  // namespace k8s::test
