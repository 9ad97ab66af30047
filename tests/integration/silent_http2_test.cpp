// Watches that fall silent on an HTTP/2 connection: on one that lives, where whatever else uses it
// is answered, so that nothing below the stream can tell; and on one that is dead, though the
// kernel of whatever is in between still acknowledges all that is sent.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/rest/metrics.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
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

/// Counts the tries of watches.
class WatchTries final : public rest::Metrics {
 public:
  void OnTry(const rest::TryMetrics& measured) noexcept override {
    if (measured.watch) ++count_;
  }
  [[nodiscard]] int count() const { return count_; }

 private:
  std::atomic<int> count_ = 0;
};

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
  }
  ~SilentHttp2Test() override { running_ = {}; }

  void Start(cache::ReflectorOptions reflector) {
    rest::Config config{.host = "https://127.0.0.1:" + std::to_string(wire_->port())};
    config.tls.caFile = authority_->CaFile();
    config.metrics = tries_;
    config.qps = -1;
    client_.emplace(kubernetes::Clientset::New(config).value());
    cache::SharedInformerOptions options{.reflector = std::move(reflector)};
    options.reflector.backoff = {.initial = 1ms, .max = 1ms};
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client_->CoreV1().ConfigMaps("").core()), options));
    ASSERT_TRUE(informer_->AddEventHandler(seen_.Handlers()));
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
  }
  void StartAndSync(cache::ReflectorOptions reflector) {
    Start(std::move(reflector));
    ASSERT_TRUE(informer_->core()->WaitForSync({}));
    Add("before");
    ASSERT_TRUE(seen_.WaitForEvent("add d/before"));
  }
  void Add(const std::string& name) {
    server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":")" +
                name + R"("}})");
  }
  /// Keeps the connection heard until `done`.
  template <class Done>
  void AskUntil(Done done) {
    while (!done()) ASSERT_TRUE(client_->CoreV1().ConfigMaps("d").Get("before"));
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
  std::shared_ptr<WatchTries> tries_ = std::make_shared<WatchTries>();
  std::optional<kubernetes::Clientset> client_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

TEST_F(SilentHttp2Test, TheStreamIsReplacedOnItsConnectionIfOthersAreHeardOnIt) {
  StartAndSync({.watchIdleTimeout = 1s});
  for (const char* name : {"first", "second"}) {
    const auto replaced = informer_->Status().watchesReplaced;
    ASSERT_GT(server_.StallWatches(), 0u);
    Add(name);
    AskUntil([&] { return informer_->Status().watchesReplaced > replaced; });
    ASSERT_TRUE(seen_.WaitForEvent(std::string("add d/") + name));
  }
  // Two watches at a time, the silent one and its successor, would have two with HTTP/1.1.
  EXPECT_EQ(wire_->connections(), 1);
  EXPECT_EQ(informer_->Status().failures, 0u);
  ExpectNothingWasListedAgain();
}

TEST_F(SilentHttp2Test, TheStreamIsReplacedOnAnotherConnectionAtOnceIfNothingIsHeard) {
  StartAndSync({.watchIdleTimeout = 500ms});
  ASSERT_EQ(tries_->count(), 1);
  wire_->Stall();
  Add("meanwhile");
  ASSERT_TRUE(seen_.WaitForEvent("add d/meanwhile"));
  // The dead connection was not asked first.
  EXPECT_EQ(informer_->Status().watchesReplaced, 1u);
  EXPECT_EQ(tries_->count(), 2);
  EXPECT_EQ(wire_->connections(), 2);
  EXPECT_EQ(informer_->Status().failures, 0u);
  ExpectNothingWasListedAgain();
}

TEST_F(SilentHttp2Test, TheSilentStreamStaysUntilAnotherOneIsAnswered) {
  StartAndSync({.watchIdleTimeout = 1s});
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  AskUntil([&] { return server_.FaultsMet() > 0; });
  // Asked for its successor the server says nothing; what is open may still do.
  EXPECT_EQ(server_.OpenWatches(), 1u);
  Add("meanwhile");
  // The request is given up after 5 s, and with it the connection for all that is new.
  ASSERT_TRUE(seen_.WaitForEvent("add d/meanwhile"));
  ASSERT_TRUE(server_.WaitForOpenWatches({}, 1));
  EXPECT_EQ(wire_->connections(), 2);
  ExpectNothingWasListedAgain();
}

// The connection dies while the next watch is being opened on it.
TEST_F(SilentHttp2Test, AWatchThatIsNotAnsweredIsAskedForOnAnotherConnection) {
  StartAndSync({.watchAnswerTimeout = 500ms});
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  ASSERT_EQ(server_.EndWatches(), 1u);
  while (server_.FaultsMet() == 0) std::this_thread::yield();
  wire_->Stall();
  Add("meanwhile");
  ASSERT_TRUE(seen_.WaitForEvent("add d/meanwhile"));
  const auto status = informer_->Status();
  EXPECT_EQ(status.failures, 1u);
  EXPECT_EQ(status.watchesReplaced, 0u);
  EXPECT_EQ(tries_->count(), 3);
  EXPECT_EQ(wire_->connections(), 2);
  ExpectNothingWasListedAgain();
}

// A list has a limit of its own; its next try is not on the same connection either.
TEST_F(SilentHttp2Test, AListThatIsNotAnsweredIsAskedForOnAnotherConnection) {
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "list"}});
  Add("a");
  Start({.useWatchList = false, .listIdleTimeout = 500ms});
  ASSERT_TRUE(seen_.WaitForEvent("add d/a"));
  EXPECT_EQ(informer_->Status().failures, 1u);
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), 2u);
  EXPECT_EQ(wire_->connections(), 2);
}

// Accepted, but not even TLS is spoken.
TEST_F(SilentHttp2Test, AServerThatOnlyAcceptsIsAskedAgainOnOneConnectionAfterAnother) {
  Add("a");
  wire_->Hold(true);
  Start({.watchAnswerTimeout = 500ms});
  while (informer_->Status().failures < 3) std::this_thread::yield();
  wire_->Hold(false);
  ASSERT_TRUE(seen_.WaitForEvent("add d/a"));
  EXPECT_EQ(static_cast<std::uint64_t>(wire_->connections()), informer_->Status().failures + 1);
  EXPECT_EQ(informer_->Status().relists, 1u);
}

}  // namespace
}  // namespace k8s::test
