// The version of HTTP that is spoken with a real kube-apiserver, and the switch for it.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <chrono>
#include <cstdlib>
#include <set>
#include <stop_token>
#include <string>

#include "support/event_recorder.hpp"
#include "support/log_lines.hpp"
#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

class HttpVersionTest : public RealServerTest {
 protected:
  void SetUp() override {
    RealServerTest::SetUp();
    if (!IsSkipped() && !HasFatalFailure()) ns_ = NewNamespace();
  }

  static std::string ConfigMapJson(const std::string& name) {
    return R"({"metadata":{"name":")" + name + "\"}}";
  }
  void Write(const std::string& name) const {
    const auto made =
        Server().Request("POST", "/api/v1/namespaces/" + ns_ + "/configmaps", ConfigMapJson(name));
    ASSERT_EQ(made.value().code, 201) << made->body;
  }

  /// Follows two resources with informers, the first of which gets an object while it watches.
  /// Returns the versions that the log tells of answers to GET, and the TCP connections made.
  std::set<std::string> VersionsOfInformers(bool disable_http2, int* connections) const {
    const auto& url = Server().Url();
    StallingProxy wire(std::stoi(url.substr(url.rfind(':') + 1)));
    auto config = clientcmd::Load({.explicitPath = Server().AdminKubeconfig()}, {}).value().config;
    config.host = "https://127.0.0.1:" + std::to_string(wire.port());
    config.disableHttp2 = disable_http2;
    config.verbosity = 9;
    const LogLines lines;
    EventRecorder<corev1::ConfigMap> seen;
    {
      const auto client = kubernetes::Clientset::New(config).value();
      informers::SharedInformerFactory factory(client, {.namespace_ = ns_});
      factory.Core().V1().ConfigMaps().Informer().AddEventHandler(seen.Handlers()).value();
      (void)factory.Core().V1().Secrets().Informer();
      std::stop_source stop;
      factory.Start(stop.get_token());
      const auto synced = factory.WaitForCacheSync(stop.get_token(), 60s);
      EXPECT_TRUE(synced) << synced.error().ToString();
      const std::string name = disable_http2 ? "one" : "two";
      Write(name);
      EXPECT_TRUE(seen.WaitForEvent("add " + ns_ + "/" + name));
      stop.request_stop();
      factory.Shutdown();
    }
    *connections = wire.connections();
    std::set<std::string> versions;
    for (const auto& line : lines.Get()) {
      const auto over = line.find(" over HTTP/");
      if (over != std::string::npos)
        versions.insert(line.substr(over + 6, line.find(';') - over - 6));
    }
    return versions;
  }

  std::string ns_;
};

TEST_F(HttpVersionTest, InformersShareOneConnectionOfHttp2) {
  int connections = 0;
  EXPECT_EQ(VersionsOfInformers(false, &connections), std::set<std::string>{"HTTP/2"});
  EXPECT_EQ(connections, 1);
}

TEST_F(HttpVersionTest, WithoutHttp2EachOpenRequestHasAConnection) {
  int connections = 0;
  EXPECT_EQ(VersionsOfInformers(true, &connections), std::set<std::string>{"HTTP/1.1"});
  EXPECT_GE(connections, 2);
}

TEST_F(HttpVersionTest, TheEnvironmentForbidsHttp2AsWell) {
  setenv("DISABLE_HTTP2", "1", 1);
  int connections = 0;
  EXPECT_EQ(VersionsOfInformers(false, &connections), std::set<std::string>{"HTTP/1.1"});
  unsetenv("DISABLE_HTTP2");
  EXPECT_GE(connections, 2);
}

}  // namespace
}  // namespace k8s::test
