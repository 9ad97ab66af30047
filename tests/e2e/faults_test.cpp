// Faults in the form that a real kube-apiserver gives them: history that etcd has compacted,
// HTTP/2 connections that it wants to be rid of, a process that is halted.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/error.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"
#include "support/watcher.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

// For broken programs only.
constexpr auto kLimit = 60s;

/// Sends a request of the administrator's that must succeed, and returns what was answered.
std::string Do(const RealServer& server, std::string_view method, const std::string& path,
               std::string_view body = {}) {
  const auto answer = server.Request(method, path, body);
  EXPECT_TRUE(answer.has_value()) << answer.error().ToString();
  if (!answer) return {};
  EXPECT_LT(answer->code, 300) << method << " " << path << ": " << answer->body;
  return answer->body;
}

std::string ConfigMaps(const std::string& ns) { return "/api/v1/namespaces/" + ns + "/configmaps"; }
void Write(const RealServer& server, const std::string& ns, const std::string& name) {
  Do(server, "POST", ConfigMaps(ns), R"({"metadata":{"name":")" + name + "\"}}");
}
void Delete(const RealServer& server, const std::string& ns, const std::string& name) {
  Do(server, "DELETE", ConfigMaps(ns) + "/" + name);
}

/// An informer for a namespace's config maps, with waits that are next to nothing unless the server
/// asks for more, behind a forwarder.
class Follower {
 public:
  /// `user`: whom the kubeconfig's one impersonates; empty: nobody.
  Follower(const RealServer& server, const std::string& kubeconfig, const std::string& ns,
           cache::ReflectorOptions reflector, const std::string& user = {})
      : wire_(std::stoi(server.Url().substr(server.Url().rfind(':') + 1))) {
    auto config = clientcmd::Load({.explicitPath = kubeconfig}, {}).value().config;
    config.host = "https://127.0.0.1:" + std::to_string(wire_.port());
    config.qps = -1;
    config.impersonate.userName = user;
    client_.emplace(kubernetes::Clientset::New(config).value());
    cache::SharedInformerOptions options{.reflector = std::move(reflector)};
    options.reflector.backoff = {.initial = 10ms, .max = 100ms};
    options.reflector.watchErrorHandler = [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      errors_.push_back(error);
    };
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client_->CoreV1().ConfigMaps(ns).core()), options));
    informer_->AddEventHandler(seen_.Handlers()).value();
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
  }

  StallingProxy& wire() { return wire_; }
  /// On the informer's connections.
  kubernetes::Clientset& client() { return *client_; }
  EventRecorder<ConfigMap>& seen() { return seen_; }
  [[nodiscard]] cache::InformerStatus Status() const { return informer_->Status(); }
  /// Whether the informer was told of this status.
  [[nodiscard]] bool Met(int code) const {
    return Count([code](const Error& error) { return error.code == code; }) > 0;
  }
  /// How many of the errors it was told of are such.
  [[nodiscard]] std::ptrdiff_t Count(const std::function<bool(const Error&)>& such) const {
    const std::lock_guard lock(mutex_);
    return std::count_if(errors_.begin(), errors_.end(), such);
  }

 private:
  StallingProxy wire_;
  EventRecorder<ConfigMap> seen_;
  mutable std::mutex mutex_;
  std::vector<Error> errors_;
  std::optional<kubernetes::Clientset> client_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

/// A server with these flags of kube-apiserver; null where there can be none.
std::unique_ptr<RealServer> StartWith(std::vector<std::string> flags) {
  flags.insert(flags.begin(), "--");
  auto server = RealServer::Start(std::move(flags));
  EXPECT_TRUE(server.has_value()) << server.error().ToString();
  return server ? *std::move(server) : nullptr;
}

// ---- 410

/// Whether the history after this version is gone.
bool IsCompacted(const RealServer& server, const std::string& version) {
  const auto watch = ConfigMaps("default") + "?watch=1&timeoutSeconds=1&resourceVersion=" + version;
  return Do(server, "GET", watch).find("\"code\":410") != std::string::npos;
}

// With a watch cache only what that has forgotten is gone, which takes a restart (InformerTest) or
// a hundred changes and a minute and a quarter.
TEST(CompactionTest, AWatchThatWasCutMeetsCompactedHistoryAndTheInformerListsAgain) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = StartWith({"--watch-cache=false", "--etcd-compaction-interval=1s"});
  ASSERT_TRUE(server);
  for (const bool streaming : {false, true}) {
    SCOPED_TRACE(streaming ? "streaming" : "listing");
    const std::string mode = streaming ? "s-" : "l-";
    Write(*server, "default", mode + "doomed");
    Follower follower(*server, server->AdminKubeconfig(), "default", {.useWatchList = streaming});
    ASSERT_TRUE(follower.seen().WaitForEvent("add default/" + mode + "doomed"));
    Write(*server, "default", mode + "watched");
    ASSERT_TRUE(follower.seen().WaitForEvent("add default/" + mode + "watched"));

    follower.wire().Refuse(true);
    follower.wire().Cut();
    const auto known = follower.Status().lastSyncResourceVersion;
    Write(*server, "default", mode + "missed");
    Delete(*server, "default", mode + "doomed");
    ASSERT_TRUE(Eventually(kLimit, [&] { return IsCompacted(*server, known); }));
    const auto relists = follower.Status().relists;
    follower.wire().Refuse(false);

    EXPECT_TRUE(follower.seen().WaitForEvent("add default/" + mode + "missed"));
    EXPECT_TRUE(follower.seen().WaitForEvent("delete default/" + mode + "doomed"));
    EXPECT_TRUE(follower.Met(410));
    EXPECT_GT(follower.Status().relists, relists);
    EXPECT_EQ(follower.seen().Faults(), std::vector<std::string>());
  }
}

// ---- GOAWAY

TEST(GoAwayTest, ANewConnectionIsMadeAndTheWatchOnTheOldOneGoesOn) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = StartWith({"--goaway-chance=0.02"});
  ASSERT_TRUE(server);
  Write(*server, "default", "before");
  Follower follower(*server, server->AdminKubeconfig(), "default", {});
  ASSERT_TRUE(follower.seen().WaitForEvent("add default/before"));
  const auto status = follower.Status();

  // Each answer says so with a chance of 1 in 50, of connections after the first one too. Over
  // HTTP/1.1 none would.
  const int connections = follower.wire().connections() + 3;
  const auto config_maps = follower.client().CoreV1().ConfigMaps("default");
  for (int i = 0; i < 5000 && follower.wire().connections() < connections; ++i) {
    const auto got = config_maps.Get("before");
    ASSERT_TRUE(got.has_value()) << got.error().ToString();
  }
  EXPECT_EQ(follower.wire().connections(), connections);
  Write(*server, "default", "after");
  EXPECT_TRUE(follower.seen().WaitForEvent("add default/after"));
  EXPECT_EQ(follower.Status().watchesOpened, status.watchesOpened);
  EXPECT_EQ(follower.Status().relists, 1u);
  EXPECT_EQ(follower.Status().failures, 0u);
}

// ---- 429

/// Makes the server shed what the user "shed" asks for: one request at a time is let through.
void Shed(const RealServer& server) {
  const std::string flow_control = "/apis/flowcontrol.apiserver.k8s.io/v1/";
  Do(server, "POST", flow_control + "prioritylevelconfigurations",
     R"({"metadata":{"name":"shed"},"spec":{"type":"Limited","limited":{)"
     R"("nominalConcurrencyShares":0,"lendablePercent":0,"borrowingLimitPercent":0,)"
     R"("limitResponse":{"type":"Reject"}}}})");
  Do(server, "POST", flow_control + "flowschemas",
     R"({"metadata":{"name":"shed"},"spec":{"priorityLevelConfiguration":{"name":"shed"},)"
     R"("matchingPrecedence":2,"rules":[{"subjects":[{"kind":"User","user":{"name":"shed"}}],)"
     R"("resourceRules":[{"verbs":["*"],"apiGroups":["*"],"resources":["*"],)"
     R"("namespaces":["*"],"clusterScope":true}]}]}})");
  Do(server, "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
     R"({"metadata":{"name":"shed"},"subjects":[{"kind":"User","name":"shed"}],)"
     R"("roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",)"
     R"("name":"cluster-admin"}})");
}

/// Takes the one request that is let through: a list that waits 3 s for a version that will not
/// come, again and again.
class Occupant {
 public:
  explicit Occupant(const RealServer& server) {
    auto config = clientcmd::Load({.explicitPath = server.AdminKubeconfig()}, {}).value().config;
    config.impersonate.userName = "shed";
    transport_ = rest::CurlTransport::New(config).value();
    asking_ = std::jthread([this](const std::stop_token& stop) {
      const auto target =
          ConfigMaps("default") + "?resourceVersionMatch=NotOlderThan&resourceVersion=999999999";
      while (!stop.stop_requested()) (void)transport_->RoundTrip({.target = target}, stop);
    });
  }

  /// Whether a request of the same user is turned away.
  [[nodiscard]] bool TakesAll() const {
    const auto answer = transport_->RoundTrip({.target = ConfigMaps("default")}, {});
    return answer && (*answer)->status() == 429;
  }

 private:
  std::shared_ptr<rest::Transport> transport_;
  std::jthread asking_;
};

TEST(OverloadTest, InformersSayThatTheyAreTurnedAwayAndNeverListAgainBecauseOfIt) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = StartWith({});
  ASSERT_TRUE(server);
  Shed(*server);
  Write(*server, "default", "before");
  Follower watching(*server, server->AdminKubeconfig(), "default", {}, "shed");
  ASSERT_TRUE(watching.seen().WaitForEvent("add default/before"));
  std::optional<Occupant> occupant(std::in_place, *server);
  ASSERT_TRUE(Eventually(kLimit, [&] { return occupant->TakesAll(); }));

  Follower starting(*server, server->AdminKubeconfig(), "default", {.useWatchList = false}, "shed");
  for (Follower* follower : {&watching, &starting}) {
    EXPECT_TRUE(Eventually(kLimit, [&] {
      const auto status = follower->Status();
      // It may have come between two requests of the occupant's.
      if (status.state == cache::ReflectorState::kWatching) follower->wire().Cut();
      return status.lastError && IsTooManyRequests(*status.lastError) &&
             cache::ReasonOf(status) == cache::SyncReason::kServerError;
    }));
    EXPECT_TRUE(follower->Met(429));
  }
  Write(*server, "default", "meanwhile");
  occupant.reset();

  for (Follower* follower : {&watching, &starting}) {
    EXPECT_TRUE(follower->seen().WaitForEvent("add default/meanwhile"));
    EXPECT_EQ(follower->Status().relists, 1u);
    EXPECT_EQ(follower->seen().Faults(), std::vector<std::string>());
  }
  EXPECT_TRUE(starting.seen().WaitForEvent("add default/before"));
}

// ---- SIGSTOP

bool IsUnanswered(const Error& error) {
  return error.kind == ErrorKind::kTimeout &&
         error.message.find("no answer within 1 s") != std::string::npos;
}

// The kernel accepts connections and acknowledges what is sent.
TEST(HaltedServerTest, InformersGiveUpWhatTheyAskAndFollowWhenItGoesOn) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = StartWith({});
  ASSERT_TRUE(server);
  const cache::ReflectorOptions streaming{.watchAnswerTimeout = 1s};
  const cache::ReflectorOptions listing{.useWatchList = false, .listIdleTimeout = 1s};
  Write(*server, "default", "before");
  Follower watching(*server, server->AdminKubeconfig(), "default", streaming);
  ASSERT_TRUE(watching.seen().WaitForEvent("add default/before"));
  server->Pause();
  watching.wire().Cut();  // So that it opens a watch.
  Follower starts_with_a_stream(*server, server->AdminKubeconfig(), "default", streaming);
  Follower starts_with_a_list(*server, server->AdminKubeconfig(), "default", listing);
  const auto all = {&watching, &starts_with_a_stream, &starts_with_a_list};
  for (const Follower* follower : all) {
    EXPECT_TRUE(Eventually(kLimit, [&] { return follower->Count(IsUnanswered) >= 2; }));
  }
  server->Resume();
  Write(*server, "default", "after");
  for (Follower* follower : all) {
    EXPECT_TRUE(follower->seen().WaitForEvent("add default/before"));
    EXPECT_TRUE(follower->seen().WaitForEvent("add default/after"));
    EXPECT_EQ(follower->Status().relists, 1u);
    EXPECT_EQ(follower->seen().Faults(), std::vector<std::string>());
  }
}

}  // namespace
}  // namespace k8s::test
