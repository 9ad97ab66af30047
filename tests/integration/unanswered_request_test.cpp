// Requests that are accepted and never answered, or answered in part: an informer gives each up in
// time, tells of it, and asks again on another connection.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/raw_http_server.hpp"
#include "support/stalling_proxy.hpp"

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using namespace std::chrono_literals;
using corev1::ConfigMap;
using testing::FakeApiServer;
using testing::FaultKind;

/// An informer with waits that are next to nothing between its tries, that writes down its errors.
class Informer {
 public:
  explicit Informer(const rest::Config& config, cache::ReflectorOptions options = {}) {
    options.backoff = {.initial = 1ms, .max = 1ms};
    options.watchErrorHandler = [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      errors_.push_back(error);
    };
    const auto client = kubernetes::Clientset::New(config).value();
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()),
        {.reflector = std::move(options)}));
    informer_->AddEventHandler(seen_.Handlers()).value();
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
  }

  EventRecorder<ConfigMap>& seen() { return seen_; }
  [[nodiscard]] cache::InformerStatus Status() const { return informer_->Status(); }
  [[nodiscard]] std::vector<std::string> Errors() const {
    std::vector<std::string> lines;
    const std::lock_guard lock(mutex_);
    for (const Error& error : errors_) {
      EXPECT_EQ(error.kind, ErrorKind::kTimeout);
      lines.push_back(error.message);
    }
    return lines;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<Error> errors_;
  EventRecorder<ConfigMap> seen_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

std::string ConfigMapJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":")" + name +
         R"("}})";
}

class UnansweredRequestTest : public ::testing::Test {
 protected:
  [[nodiscard]] rest::Config Config() const {
    auto config = server_.config();
    config.host = "http://127.0.0.1:" + std::to_string(wire_.port());
    return config;
  }

  FakeApiServer server_;
  StallingProxy wire_{server_.port()};
};

TEST_F(UnansweredRequestTest, AWatchIsAskedForAgain) {
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  Informer informer(Config(), {.useWatchList = false, .watchAnswerTimeout = 500ms});
  ASSERT_TRUE(server_.WaitForOpenWatches({}, 1));
  server_.Add(ConfigMapJson("a"));
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/a"));
  EXPECT_THAT(informer.Errors(), ElementsAre("GET /api/v1/configmaps: no answer within 500 ms"));
  EXPECT_EQ(informer.Status().failures, 1u);
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), 1u);
  EXPECT_EQ(server_.RequestCount({.verb = "watch"}), 2u);
  EXPECT_EQ(wire_.connections(), 2);
}

TEST_F(UnansweredRequestTest, AStreamingListIsAskedForAgain) {
  server_.Add(ConfigMapJson("a"));
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  Informer informer(Config(), {.watchAnswerTimeout = 500ms});
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/a"));
  EXPECT_THAT(informer.Errors(), ElementsAre("GET /api/v1/configmaps: no answer within 500 ms"));
  EXPECT_EQ(informer.Status().failures, 1u);
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), 0u);
  EXPECT_EQ(wire_.connections(), 2);
}

TEST_F(UnansweredRequestTest, AListIsAskedForAgainWhereverItFellSilent) {
  server_.Add(ConfigMapJson("a"));
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "list"}});
  server_.InjectFault({.kind = FaultKind::kStallStream, .match = {.verb = "list"}, .skip = 1});
  Informer informer(Config(), {.useWatchList = false, .listIdleTimeout = 500ms});
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/a"));
  EXPECT_THAT(informer.Errors(),
              ElementsAre("GET /api/v1/configmaps: no answer within 500 ms",
                          "GET /api/v1/configmaps: the server was silent for 500 ms"));
  EXPECT_EQ(informer.Status().failures, 2u);
  EXPECT_EQ(informer.Status().relists, 1u);
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), 3u);
  EXPECT_EQ(wire_.connections(), 3);
  EXPECT_EQ(informer.seen().Faults(), std::vector<std::string>());
}

// Connections are accepted, by the kernel of a server that has been halted, and nobody answers.
TEST_F(UnansweredRequestTest, AnswersComeOnAConnectionThatIsMadeAfterwards) {
  server_.Add(ConfigMapJson("a"));
  wire_.Hold(true);
  Informer informer(Config(), {.watchAnswerTimeout = 500ms});
  while (informer.Status().failures < 3) std::this_thread::yield();
  wire_.Hold(false);
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/a"));
  // Each try had one of its own.
  EXPECT_EQ(static_cast<std::uint64_t>(wire_.connections()), informer.Status().failures + 1);
  EXPECT_EQ(server_.RequestCount(), 1u);
}

TEST_F(UnansweredRequestTest, AWatchIsWaitedForIfSilenceIsAllowed) {
  server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}});
  Informer informer(Config(),
                    {.useWatchList = false, .watchIdleTimeout = 0s, .watchAnswerTimeout = 100ms});
  EXPECT_FALSE(server_.WaitForRequests({.verb = "watch"}, 2, 500ms));
  EXPECT_EQ(informer.Status().failures, 0u);
}

// The limit is one of silence: all of it may take longer.
TEST(SlowListTest, IsReceivedAsLongAsItKeepsComing) {
  constexpr auto kLimit = 1s;
  std::atomic<int> lists = 0;
  RawHttpServer server([&](RawConnection& peer) {
    const auto request = peer.ReadRequest();
    if (request.find("watch=") != std::string::npos) return peer.AwaitClose();
    ++lists;
    peer.Send(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n");
    peer.Send(
        Chunk(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"5"},)"));
    // The pace of a slow server, no synchronisation.
    for (auto sent = 0ms; sent < 2 * kLimit; sent += 100ms) {
      std::this_thread::sleep_for(100ms);
      peer.Send(Chunk(" "));
    }
    peer.Send(Chunk(R"("items":[{"metadata":{"namespace":"d","name":"a"}}]})") + "0\r\n\r\n");
    peer.AwaitClose();
  });
  Informer informer({.host = server.url()}, {.useWatchList = false, .listIdleTimeout = kLimit});
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/a"));
  EXPECT_EQ(lists, 1);
}

}  // namespace
}  // namespace k8s::test
