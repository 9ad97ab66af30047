// Watches that fall silent on an HTTP/2 connection that lives: whatever else uses it is answered,
// so nothing below the stream can tell.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/openssl_server.hpp"
#include "support/proxy_program.hpp"
#include "support/stalling_proxy.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using testing::FakeApiServer;
using testing::FaultKind;

/// The fake server behind nghttpx, and a forwarder that counts the connections to that.
class SilentHttp2Test : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = ProxyProgram::Unavailable("nghttpx"); !why.empty()) GTEST_SKIP() << why;
    if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
    authority_ = std::make_unique<TestAuthority>();
    authority_->Issue("front", "IP:127.0.0.1");
    front_ =
        std::make_unique<ProxyProgram>(ProxyProgram::Nghttpx(*authority_, "front", server_.port()));
    wire_ = std::make_unique<StallingProxy>(front_->port());
    StartAndSync();
  }
  ~SilentHttp2Test() override { running_ = {}; }

  void StartAndSync() {
    rest::Config config{.host = "https://127.0.0.1:" + std::to_string(wire_->port())};
    config.tls.caFile = authority_->CaFile();
    client_.emplace(kubernetes::Clientset::New(config).value());
    cache::SharedInformerOptions options;
    options.reflector.watchIdleTimeout = 200ms;
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client_->CoreV1().ConfigMaps("").core()), options));
    ASSERT_TRUE(informer_->AddEventHandler(seen_.Handlers()));
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
    ASSERT_TRUE(informer_->core()->WaitForSync({}));
    Add("before");
    ASSERT_TRUE(seen_.WaitForEvent("add d/before"));
  }
  void Add(const std::string& name) {
    server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":")" +
                name + R"("}})");
  }
  void ExpectNothingWasListedAgain() {
    EXPECT_EQ(informer_->Status().relists, 1u);
    EXPECT_EQ(server_.RequestCount({.verb = "list"}), 0u);
    EXPECT_EQ(seen_.Faults(), std::vector<std::string>());
  }

  FakeApiServer server_;
  std::unique_ptr<TestAuthority> authority_;
  std::unique_ptr<ProxyProgram> front_;
  std::unique_ptr<StallingProxy> wire_;
  EventRecorder<ConfigMap> seen_;
  std::optional<kubernetes::Clientset> client_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

TEST_F(SilentHttp2Test, TheStreamIsReplacedOnItsConnection) {
  for (const char* name : {"first", "second"}) {
    const auto replaced = informer_->Status().watchesReplaced;
    ASSERT_GT(server_.StallWatches(), 0u);
    Add(name);
    ASSERT_TRUE(seen_.WaitForEvent(std::string("add d/") + name));
    EXPECT_GT(informer_->Status().watchesReplaced, replaced);
    // The connection is alive: a further request needs no other one.
    EXPECT_TRUE(client_->CoreV1().ConfigMaps("d").Get(name));
  }
  // Two watches at a time, the silent one and its successor, would have two with HTTP/1.1.
  EXPECT_EQ(wire_->connections(), 1);
  EXPECT_EQ(informer_->Status().failures, 0u);
  ExpectNothingWasListedAgain();
}

TEST_F(SilentHttp2Test, TheSilentStreamStaysUntilAnotherOneIsAnswered) {
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  while (server_.FaultsMet() == 0) std::this_thread::yield();
  // Asked for its successor the server says nothing; what is open may still do.
  EXPECT_EQ(server_.OpenWatches(), 1u);
  Add("meanwhile");
  // The request is given up after 5 s, and with it the connection for all that is new.
  ASSERT_TRUE(seen_.WaitForEvent("add d/meanwhile"));
  ASSERT_TRUE(server_.WaitForOpenWatches({}, 1));
  EXPECT_EQ(wire_->connections(), 2);
  ExpectNothingWasListedAgain();
}

}  // namespace
}  // namespace k8s::test
