#pragma once

#include <k8s/dynamic/client.hpp>
#include <k8s/rest/config.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "support/notification_log.hpp"
#include "support/stalling_proxy.hpp"
#include "support/watcher.hpp"

namespace k8s::test {

using Random = std::mt19937_64;

/// Something that goes wrong between the server and those that watch it. May take its time, but
/// must leave the way free again, for new connections at least.
struct FaultAction {
  std::string name;
  std::function<void(Random& random)> act;
};

/// The faults that a proxy can do: reset all connections, stall them for a while and then go on or
/// reset them, and turn everybody away for a while.
[[nodiscard]] std::vector<FaultAction> ProxyFaults(StallingProxy& proxy);

/// Waits for a random time below `limit`.
void PauseBelow(std::chrono::milliseconds limit, Random& random);

/// The seed and length of a run: CLIENT_CPP_DIFFERENTIAL_SEED, CLIENT_CPP_DIFFERENTIAL_SECONDS of
/// the environment; by default a new seed and 15 seconds.
struct DifferentialOptions {
  std::uint64_t seed = 0;
  std::chrono::seconds length{15};

  [[nodiscard]] static DifferentialOptions FromEnvironment();
};

/// Where the watched server is and what can happen to it.
struct DifferentialSetup {
  rest::Config direct;     ///< The loader's way to the server.
  std::string kubeconfig;  ///< The watchers' way, as text: through the proxy.
  std::vector<FaultAction> faults;
  /// Takes back all faults, those that streams still suffer from included.
  std::function<void()> calm;
  std::vector<WatcherProgram> programs;
};

/// Programs with informers watch one server through faults while a Loader writes to it. In rounds
/// of faults and calm; in each calm the stores of all programs must become what the server lists,
/// and their notifications, replayed, too.
///
/// Thread safety. None.
class Differential {
 public:
  Differential(DifferentialSetup setup, DifferentialOptions options);

  /// Runs it; what is wrong becomes failures of the current test.
  void Run();

 private:
  void StartWatchers();
  void MakeTrouble();
  void AwaitAgreement();
  bool Agrees(Watcher& watcher, const KnownObjects& server, std::string& difference);
  void Finish();
  void Report() const;
  [[nodiscard]] KnownObjects ListServer() const;

  const DifferentialSetup setup_;
  const DifferentialOptions options_;
  const dynamic::Client client_;
  Random random_;
  TemporaryFolder folder_;
  std::vector<std::unique_ptr<Watcher>> watchers_;
  std::map<std::string, int> faults_;
  std::uint64_t writes_ = 0;
  int rounds_ = 0;
};

}  // namespace k8s::test
