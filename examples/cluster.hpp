#pragma once

#include <k8s/kubernetes/clientset.hpp>
#include <k8s/result.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

namespace examples {

/// The cluster that an example works on: that of a kubeconfig, or with --fake an embedded fake API
/// server on which a short story is played.
class Cluster {
 public:
  /// Changes objects on the fake server, with pauses so that a reader can follow.
  using Story =
      std::function<void(k8s::testing::FakeApiServer&, const std::function<void()>& pause)>;

  /// Adds --kubeconfig, --context, --verbosity and --fake.
  explicit Cluster(CLI::App& app);

  [[nodiscard]] bool fake() const { return fake_; }
  /// The fake server; made at the first call. Only with --fake.
  k8s::testing::FakeApiServer& server();
  /// A client of the cluster. Errors: kConfig, naming what is missing.
  [[nodiscard]] k8s::Result<k8s::kubernetes::Clientset> Connect();
  /// Triggered by Ctrl-C, and with --fake when the story is over.
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  /// Plays the story, if there is a fake server to play it on, and waits for `stop()`.
  void WaitForStop(const Story& story);

 private:
  std::string kubeconfig_;
  std::string context_;
  bool fake_ = false;
  std::stop_source stop_;
  std::stop_callback<std::function<void()>> on_signal_;
  std::unique_ptr<k8s::testing::FakeApiServer> server_;
};

/// One line for one event, with `what` in colour on a terminal.
void Print(const std::string& what, const std::string& key, const std::string& rest);

/// Writes the error to stderr; the exit status for main().
int Fail(const std::string& error);

}  // namespace examples
