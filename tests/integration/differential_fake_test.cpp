// Informers of this library and of client-go watch a fake API server through faults. See
// docs/reliability.md.

#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

#include "support/differential.hpp"
#include "support/loader.hpp"

#if defined(__SANITIZE_THREAD__)
// The end of a chunked body is a static string inside libcpp-httplib.so. Its guard is tested there,
// in code without instrumentation, so that ThreadSanitizer does not see that it was made before.
extern "C" const char* __tsan_default_suppressions() { return "race:httplib::detail::write_data"; }
#endif

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using testing::FakeApiServer;
using testing::Fault;
using testing::FaultKind;

/// Faults that clients meet when they ask next, of all resources or of one.
FaultAction OnRequests(FakeApiServer& server, const std::string& name, const std::string& verb,
                       const Fault& fault) {
  return {name, [&server, verb, fault](Random& random) {
            Fault now = fault;
            now.match.verb = verb;
            const auto which = random() % (LoadedResources().size() + 1);
            if (which > 0) now.match.resource = LoadedResources()[which - 1].info.plural;
            now.times = static_cast<int>(1 + random() % 3);
            now.afterEvents = static_cast<int>(random() % 20);
            server.InjectFault(now);
            if (random() % 2 == 0) server.EndWatches(now.match);
          }};
}

std::vector<FaultAction> ServerFaults(FakeApiServer& server) {
  std::vector<FaultAction> faults = {
      {"watches ended", [&](Random&) { server.EndWatches(); }},
      {"watches reset", [&](Random&) { server.ResetWatches(); }},
      {"compaction", [&](Random&) { server.Compact(); }},
      {"compaction and end",
       [&](Random&) {
         server.Compact();
         server.EndWatches();
       }},
      {"streaming lists off or on",
       [&](Random& random) { server.SetWatchList(random() % 2 == 0); }},
      {"killed and restarted", [&](Random& random) {
         server.Kill();
         PauseBelow(1s, random);
         server.Restart();
       }}};
  const auto add = [&](const std::string& name, const std::string& verb, const Fault& fault) {
    faults.push_back(OnRequests(server, name + ", " + verb, verb, fault));
  };
  for (const std::string verb : {"watch", "list"}) {
    add("410", verb, {.status = 410});
    add("429", verb, {.status = 429});
    add("429 with Retry-After", verb, {.status = 429, .retryAfter = 1});
    add("500", verb, {.status = 500});
    add("503", verb, {.status = 503});
    add("504", verb, {.status = 504});
    add("no answer but the end", verb, {.kind = FaultKind::kCloseConnection});
    add("no answer but a reset", verb, {.kind = FaultKind::kDropConnection});
    add("cut in the middle", verb, {.kind = FaultKind::kCutStream});
    add("gzip", verb, {.kind = FaultKind::kGzip});
  }
  add("410 as an event", "watch", {.kind = FaultKind::kErrorEvent, .status = 410});
  add("429 as an event", "watch", {.kind = FaultKind::kErrorEvent, .status = 429});
  add("500 as an event", "watch", {.kind = FaultKind::kErrorEvent, .status = 500});
  add("end in the middle", "watch", {.kind = FaultKind::kEndStream});
  return faults;
}

class DifferentialTest : public ::testing::Test {
 protected:
  void Run(std::vector<WatcherProgram> programs) {
    // A short history, so that an outage of some seconds ends with 410.
    FakeApiServer server({.historySize = 300, .bookmarkInterval = 500ms});
    server.AddResource(LoadedResources().back().info);
    StallingProxy proxy(server.port());
    std::vector<FaultAction> faults = ServerFaults(server);
    // Each as likely as the many of the server.
    for (int i = 0; i < 4; ++i) {
      for (FaultAction& fault : ProxyFaults(proxy)) faults.push_back(std::move(fault));
    }
    const auto calm = [&] {
      server.ClearFaults();
      proxy.Cut();
    };
    Differential({.direct = server.config(),
                  .kubeconfig = KubeconfigFor("http://127.0.0.1:" + std::to_string(proxy.port())),
                  .faults = std::move(faults),
                  .calm = calm,
                  .programs = std::move(programs)},
                 DifferentialOptions::FromEnvironment())
        .Run();
  }

  const WatcherProgram own_{"client-cpp", CLIENT_CPP_INFORMER_LOG, Contract::kClientCpp};
};

TEST_F(DifferentialTest, StoreAndEventsBecomeTheServersState) { Run({own_}); }

TEST_F(DifferentialTest, AgreesWithClientGoAndTheServer) {
  const WatcherProgram client_go = ClientGoProgram();
  if (client_go.path.empty()) GTEST_SKIP() << "scripts/test.sh builds informerlog where Go 1.26 is";
  Run({own_, client_go});
}

}  // namespace
}  // namespace k8s::test
