// Watches that fall silent without ending: an informer notices by itself, goes on from its last
// version, and lists nothing again.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "support/event_recorder.hpp"
#include "support/stalling_proxy.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using testing::FakeApiServer;
using testing::FaultKind;

class SilentWatchTest : public ::testing::TestWithParam<bool> {
 protected:
  ~SilentWatchTest() override { running_ = {}; }

  void StartAndSync(const rest::Config& config) {
    const auto client = kubernetes::Clientset::New(config).value();
    cache::SharedInformerOptions options;
    options.reflector.useWatchList = GetParam();
    options.reflector.watchIdleTimeout = 200ms;
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()), options));
    ASSERT_TRUE(informer_->AddEventHandler(seen_.Handlers()));
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
    ASSERT_TRUE(informer_->core()->WaitForSync({}));
  }
  void Add(const std::string& name) {
    server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":")" +
                name + R"("}})");
  }
  [[nodiscard]] rest::Config Through(const StallingProxy& proxy) const {
    auto config = server_.config();
    config.host = "http://127.0.0.1:" + std::to_string(proxy.port());
    return config;
  }

  FakeApiServer server_;
  EventRecorder<ConfigMap> seen_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

TEST_P(SilentWatchTest, AStalledConnectionIsReplaced) {
  StallingProxy proxy(server_.port());
  StartAndSync(Through(proxy));
  Add("before");
  ASSERT_TRUE(seen_.WaitForEvent("add d/before"));
  for (const char* name : {"first", "second"}) {
    proxy.Stall();
    Add(name);
    ASSERT_TRUE(seen_.WaitForEvent(std::string("add d/") + name));
  }
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), GetParam() ? 0u : 1u);
  EXPECT_EQ(informer_->core()->Status().relists, 1u);
  EXPECT_GE(informer_->core()->Status().watchesReplaced, 2u);
}

// The connection lives, nothing comes: a server whose watch cache hangs.
TEST_P(SilentWatchTest, AStreamThatSaysNothingIsReplaced) {
  // With a streaming list the first stream is that one, which ends with its bookmark.
  server_.InjectFault({.kind = FaultKind::kStallStream,
                       .match = {.verb = "watch"},
                       .afterEvents = GetParam() ? 1 : 0});
  StartAndSync(server_.config());
  Add("a");
  ASSERT_TRUE(seen_.WaitForEvent("add d/a"));
  EXPECT_EQ(informer_->core()->Status().relists, 1u);
}

TEST_P(SilentWatchTest, AQuietWatchIsOpenedAgainAndAgainWithoutAFailure) {
  StartAndSync(server_.config());
  ASSERT_TRUE(server_.WaitForRequests({.verb = "watch"}, 4));
  Add("a");
  ASSERT_TRUE(seen_.WaitForEvent("add d/a"));
  EXPECT_EQ(informer_->core()->Status().relists, 1u);
  EXPECT_EQ(informer_->core()->Status().failures, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, SilentWatchTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

// The closing bookmark never comes; client-go waits for ever.
TEST(SilentStreamingListTest, IsReplacedByAList) {
  FakeApiServer server;
  server.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":"a"}})");
  server.InjectFault({.kind = FaultKind::kNoBookmarks, .match = {.verb = "watch"}, .times = -1});
  const auto client = kubernetes::Clientset::New(server.config()).value();
  cache::SharedInformerOptions options;
  options.reflector.streamingIdleTimeout = 200ms;
  const auto informer = cache::SharedIndexInformer<ConfigMap>::New(
      cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()), options);
  std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });
  EXPECT_TRUE(informer.core()->WaitForSync({}));
  EXPECT_EQ(server.RequestCount({.verb = "list"}), 1u);
}

}  // namespace
}  // namespace k8s::test
