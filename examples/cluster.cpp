#include "cluster.hpp"

#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/clock.hpp>
#include <k8s/log.hpp>
#include <k8s/signals.hpp>

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string_view>
#include <utility>

namespace examples {

Cluster::Cluster(CLI::App& app)
    : on_signal_(k8s::signals::StopOnTermination(), [this] { stop_.request_stop(); }) {
  app.add_option("--kubeconfig", kubeconfig_, "Default: $KUBECONFIG, ~/.kube/config, in-cluster");
  app.add_option("--context", context_, "Context of the kubeconfig; default: its current one");
  app.add_option_function<int>("-v,--verbosity", &k8s::log::SetVerbosity,
                               "Log each request, as kubectl does: 6 to 10");
  app.add_flag("--fake", fake_, "Run on an embedded fake API server, for some seconds");
}

k8s::testing::FakeApiServer& Cluster::server() {
  if (!server_) server_ = std::make_unique<k8s::testing::FakeApiServer>();
  return *server_;
}

k8s::Result<k8s::kubernetes::Clientset> Cluster::Connect() {
  if (fake_) return k8s::kubernetes::Clientset::New(server().config());
  auto loaded = k8s::clientcmd::Load({.explicitPath = kubeconfig_}, {.currentContext = context_});
  if (!loaded) return std::move(loaded).error();
  return k8s::kubernetes::Clientset::New(loaded->config);
}

void Cluster::WaitForStop(const Story& story) {
  if (fake_) {
    const auto clock = k8s::RealClock();
    story(server(), [&] { clock->SleepFor(std::chrono::milliseconds(600), stop()); });
    stop_.request_stop();
  }
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, stop(), [] { return false; });
}

void Print(const std::string& what, const std::string& key, const std::string& rest) {
  static const bool terminal = isatty(STDOUT_FILENO) != 0;
  static constexpr std::pair<std::string_view, const char*> kColours[] = {
      {"ADD", "\033[32m"}, {"UPDATE", "\033[33m"}, {"DELETE", "\033[31m"}};
  const char* colour = "\033[36m";
  for (const auto& [name, code] : kColours) {
    if (name == what) colour = code;
  }
  std::printf("%s%-8s%s%-32s %s\n", terminal ? colour : "", what.c_str(), terminal ? "\033[0m" : "",
              key.c_str(), rest.c_str());
  std::fflush(stdout);
}

int Fail(const std::string& error) {
  std::fprintf(stderr, "%s\n", error.c_str());
  return 1;
}

}  // namespace examples
