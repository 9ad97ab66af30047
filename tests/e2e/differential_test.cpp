// Informers of this library and of client-go watch a real API server through faults. See
// docs/reliability.md.

#include <k8s/clientcmd/clientcmd.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "support/differential.hpp"
#include "support/loader.hpp"
#include "support/real_server.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

void ExpectMade(const RealServer& server, const std::string& path, const std::string& json) {
  const auto made = server.Request("POST", path, json);
  ASSERT_TRUE(made.has_value()) << made.error().ToString();
  ASSERT_EQ(made->code, 201) << made->body;
}

class RealServerDifferentialTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
    auto started = RealServer::Start();
    ASSERT_TRUE(started.has_value()) << started.error().ToString();
    server_ = std::move(*started);
    for (const std::string& name : LoadedNamespaces()) {
      ExpectMade(*server_, "/api/v1/namespaces",
                 R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + name + "\"}}");
    }
    ExpectMade(*server_, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
               kWidgetDefinition);
    ASSERT_TRUE(Eventually(60s, [&] {
      const auto list = server_->Request("GET", "/apis/differential.test/v1/widgets");
      return list && list->code == 200;
    }));
  }

  /// The administrator's kubeconfig with another port.
  [[nodiscard]] std::string KubeconfigThrough(const StallingProxy& proxy) const {
    std::ifstream file(server_->AdminKubeconfig());
    std::string text(std::istreambuf_iterator<char>(file), {});
    text.replace(text.find(server_->Url()), server_->Url().size(),
                 "https://127.0.0.1:" + std::to_string(proxy.port()));
    return text;
  }

  void Run(std::vector<WatcherProgram> programs) {
    StallingProxy proxy(std::stoi(server_->Url().substr(server_->Url().rfind(':') + 1)));
    std::vector<FaultAction> faults = ProxyFaults(proxy);
    // Its watch cache begins anew: watches from before are answered with 410.
    faults.push_back({"killed and restarted", [&](Random& random) {
                        server_->Kill();
                        PauseBelow(500ms, random);
                        const auto restarted = server_->Restart();
                        ASSERT_TRUE(restarted.has_value()) << restarted.error().ToString();
                      }});
    const auto config = clientcmd::Load({.explicitPath = server_->AdminKubeconfig()}, {});
    ASSERT_TRUE(config.has_value()) << config.error().ToString();
    Differential({.direct = config->config,
                  .kubeconfig = KubeconfigThrough(proxy),
                  .faults = std::move(faults),
                  .calm = [&proxy] { proxy.Cut(); },
                  .programs = std::move(programs)},
                 DifferentialOptions::FromEnvironment())
        .Run();
  }

  std::unique_ptr<RealServer> server_;
};

TEST_F(RealServerDifferentialTest, AgreesWithClientGoAndTheServer) {
  const WatcherProgram client_go = ClientGoProgram();
  if (client_go.path.empty()) GTEST_SKIP() << "scripts/e2e.sh builds informerlog where Go 1.26 is";
  Run({{"client-cpp", CLIENT_CPP_INFORMER_LOG, Contract::kClientCpp}, client_go});
}

}  // namespace
}  // namespace k8s::test
