// Whatever an informer is waiting for, a stop ends it at once.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "support/plugin_script.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using cache::InformerStatus;
using cache::ReflectorState;
using corev1::ConfigMap;
using testing::FakeApiServer;
using testing::FaultKind;

class InformerStopTest : public ::testing::Test {
 protected:
  InformerStopTest() {
    options_.reflector.useWatchList = false;
    // Longer than anybody waits for a test.
    options_.reflector.backoff = {.initial = 1h, .max = 1h};
    options_.reflector.watchIdleTimeout = 0s;
  }
  ~InformerStopTest() override { stop_.request_stop(); }

  void Start(const rest::Config& config) {
    const auto client = kubernetes::Clientset::New(config).value();
    informer_ = std::make_unique<cache::SharedIndexInformer<ConfigMap>>(
        cache::SharedIndexInformer<ConfigMap>::New(
            cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()), options_));
    run_ = std::async(std::launch::async,
                      [this] { return informer_->Run(stop_.get_token()).has_value(); });
  }
  void Start() { Start(server_.config()); }
  void AwaitState(ReflectorState state) const {
    while (informer_->Status().state != state) std::this_thread::yield();
  }
  void ExpectStops() {
    stop_.request_stop();
    // Only what hangs takes so long.
    ASSERT_EQ(run_.wait_for(60s), std::future_status::ready);
    EXPECT_EQ(informer_->Status().state, ReflectorState::kStopped);
  }

  FakeApiServer server_;
  cache::SharedInformerOptions options_;
  std::unique_ptr<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::stop_source stop_;
  std::future<bool> run_;
};

TEST_F(InformerStopTest, BeforeAListIsAnswered) {
  server_.InjectFault({.kind = FaultKind::kStall});
  Start();
  ASSERT_TRUE(server_.WaitForRequests({.verb = "list"}, 1));
  ExpectStops();
}

TEST_F(InformerStopTest, InTheMiddleOfAList) {
  server_.InjectFault({.kind = FaultKind::kStallStream});
  Start();
  ASSERT_TRUE(server_.WaitForRequests({.verb = "list"}, 1));
  while (server_.FaultsMet() == 0) std::this_thread::yield();
  ExpectStops();
}

TEST_F(InformerStopTest, WhileTheInitialStateIsStreamed) {
  options_.reflector.useWatchList = true;
  server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  server_.InjectFault({.kind = FaultKind::kStallStream, .afterEvents = 1});
  Start();
  while (informer_->Status().itemCount == 0) std::this_thread::yield();
  EXPECT_EQ(informer_->Status().state, ReflectorState::kStreaming);
  ExpectStops();
}

TEST_F(InformerStopTest, WhileAWatchIsOpened) {
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  Start();
  ASSERT_TRUE(server_.WaitForRequests({.verb = "watch"}, 1));
  EXPECT_EQ(informer_->Status().state, ReflectorState::kOpeningWatch);
  ExpectStops();
}

TEST_F(InformerStopTest, WhileItWatches) {
  Start();
  AwaitState(ReflectorState::kWatching);
  ExpectStops();
}

TEST_F(InformerStopTest, InsideAnEvent) {
  Start();
  AwaitState(ReflectorState::kWatching);
  ASSERT_EQ(server_.SendRaw({}, R"({"type":"ADDED","obj)"), 1u);
  ExpectStops();
}

TEST_F(InformerStopTest, WhileItBacksOff) {
  server_.InjectFault({.times = -1, .status = 500});
  Start();
  AwaitState(ReflectorState::kBackingOff);
  ExpectStops();
}

TEST_F(InformerStopTest, WhileTheServerCannotBeReached) {
  server_.Stop();
  Start();
  AwaitState(ReflectorState::kBackingOff);
  ExpectStops();
}

TEST_F(InformerStopTest, WhileItWaitsForRetryAfter) {
  server_.InjectFault({.times = -1, .status = 429, .retryAfter = 3600});
  Start();
  ASSERT_TRUE(server_.WaitForRequests({}, 1));
  ExpectStops();
}

TEST_F(InformerStopTest, WhileASilentWatchIsReplaced) {
  options_.reflector.watchIdleTimeout = 100ms;
  server_.InjectFault(
      {.kind = FaultKind::kStall, .match = {.verb = "watch"}, .times = -1, .skip = 1});
  Start();
  ASSERT_TRUE(server_.WaitForOpenWatches({}, 1));
  server_.StallWatches();
  ASSERT_TRUE(server_.WaitForRequests({.verb = "watch"}, 2));
  ExpectStops();
}

TEST_F(InformerStopTest, WhileACredentialPluginRuns) {
  const PluginScript script(": >ready; exec sleep 1000");
  auto config = server_.config();
  // Plugins are for TLS alone; nobody gets so far as to speak it.
  config.host.replace(0, 4, "https");
  config.exec = script.Exec();
  Start(config);
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  ExpectStops();
}

TEST_F(InformerStopTest, WhileAHandlerIsBusy) {
  std::promise<void> entered;
  server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})");
  Start();
  ASSERT_TRUE(informer_->AddEventHandler(
      cache::ResourceEventHandlerFuncs<ConfigMap>{.onAdd = [&](const auto&, bool) {
        entered.set_value();
        // Until the informer itself is told to stop: it waits for its handlers.
        while (!stop_.stop_requested()) std::this_thread::yield();
      }}));
  entered.get_future().wait();
  ExpectStops();
}

// The handler has one object and gets no second one; the informer reads nothing, which pauses the
// transfer; the server is left with what the buffers on the way cannot take.
TEST_F(InformerStopTest, WhileASlowHandlerHoldsUpTheServer) {
  constexpr int kObjects = 48;
  const std::string megabyte(std::size_t{1} << 20, 'x');
  Start();
  AwaitState(ReflectorState::kWatching);
  std::atomic<int> calls = 0;
  const auto registration = informer_->AddEventHandler(
      cache::ResourceEventHandlerFuncs<ConfigMap>{.onAdd =
                                                      [&](const auto&, bool) {
                                                        ++calls;
                                                        while (!stop_.stop_requested()) {
                                                          std::this_thread::yield();
                                                        }
                                                      }},
      {.pending = cache::PendingPolicy::kBlock, .maxPending = 1});
  ASSERT_TRUE(registration);
  for (int i = 0; i < kObjects; ++i) {
    server_.Add(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a)" +
                std::to_string(i) + R"("},"data":{"value":")" + megabyte + "\"}}");
  }
  while (!informer_->Status().waitsForHandler) std::this_thread::yield();
  // However long one waits, the server does not get rid of what the watch is due.
  EXPECT_FALSE(server_.WaitForOpenWatches({}, 1, 500ms));
  EXPECT_EQ(server_.OpenWatches(), 1u);
  EXPECT_EQ(calls, 1);
  ExpectStops();
  EXPECT_EQ(calls, 1);
  EXPECT_LT(informer_->Status().itemCount, 3u);
}

}  // namespace
}  // namespace k8s::test
