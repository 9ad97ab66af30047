// Faults in the form that a real kube-apiserver gives them: history that etcd has compacted,
// requests turned away by priority and fairness, HTTP/2 connections that it wants to be rid of.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/error.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "rest/curl_handles.hpp"
#include "support/event_recorder.hpp"
#include "support/openssl_server.hpp"
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
  Follower(const RealServer& server, const std::string& kubeconfig, const std::string& ns,
           bool streaming)
      : wire_(std::stoi(server.Url().substr(server.Url().rfind(':') + 1))) {
    auto config = clientcmd::Load({.explicitPath = kubeconfig}, {}).value().config;
    config.host = "https://127.0.0.1:" + std::to_string(wire_.port());
    config.qps = -1;
    client_.emplace(kubernetes::Clientset::New(config).value());
    cache::SharedInformerOptions options;
    options.reflector.useWatchList = streaming;
    options.reflector.backoff = {.initial = 10ms, .max = 100ms};
    options.reflector.watchErrorHandler = [this](const Error& error) {
      const std::lock_guard lock(mutex_);
      codes_.push_back(error.code);
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
    const std::lock_guard lock(mutex_);
    return std::find(codes_.begin(), codes_.end(), code) != codes_.end();
  }

 private:
  StallingProxy wire_;
  EventRecorder<ConfigMap> seen_;
  mutable std::mutex mutex_;
  std::vector<int> codes_;
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
    Follower follower(*server, server->AdminKubeconfig(), "default", streaming);
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

// ---- 429

constexpr char kFlowControl[] = "/apis/flowcontrol.apiserver.k8s.io/v1/";

/// A write whose body never comes, as the test user: the server is busy with it.
class EndlessWrite {
 public:
  explicit EndlessWrite(const RealServer& server) {
    headers_.Append("Authorization: Bearer " + ReadFile(server.Directory() + "/user.token"));
    headers_.Append("Content-Type: application/json");
    headers_.Append("Expect:");
    auto* easy = easy_.get();
    curl_easy_setopt(easy, CURLOPT_URL, (server.Url() + ConfigMaps("default")).c_str());
    curl_easy_setopt(easy, CURLOPT_CAINFO, server.CaFile().c_str());
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, 100L);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, &EndlessWrite::Nothing);
    curl_multi_add_handle(multi_.get(), easy);
    thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  }
  ~EndlessWrite() {
    thread_ = {};
    curl_multi_remove_handle(multi_.get(), easy_.get());
  }
  EndlessWrite(const EndlessWrite&) = delete;
  EndlessWrite& operator=(const EndlessWrite&) = delete;

 private:
  static std::size_t Nothing(char*, std::size_t, std::size_t, void*) { return CURL_READFUNC_PAUSE; }
  void Run(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] { curl_multi_wakeup(multi_.get()); });
    for (int running = 0; !stop.stop_requested();) {
      curl_multi_perform(multi_.get(), &running);
      curl_multi_poll(multi_.get(), nullptr, 0, 3'600'000, nullptr);
    }
  }

  rest::detail::MultiHandle multi_{curl_multi_init()};
  rest::detail::EasyHandle easy_{curl_easy_init()};
  rest::detail::StringList headers_;
  std::jthread thread_;
};

/// A server whose test user may do everything, but of config maps only one thing at a time: what
/// comes meanwhile is turned away.
class OverloadTest : public RealServerTest {
 protected:
  void SetUp() override {
    RealServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Do(Server(), "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
       R"({"metadata":{"name":"overload"},
           "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole",
                      "name":"cluster-admin"},
           "subjects":[{"apiGroup":"rbac.authorization.k8s.io","kind":"User",
                        "name":"test-user"}]})");
    Do(Server(), "POST", std::string(kFlowControl) + "prioritylevelconfigurations",
       R"({"metadata":{"name":"overload"},
           "spec":{"type":"Limited",
                   "limited":{"nominalConcurrencyShares":0,"borrowingLimitPercent":0,
                              "limitResponse":{"type":"Reject"}}}})");
    Do(Server(), "POST", std::string(kFlowControl) + "flowschemas",
       R"({"metadata":{"name":"overload"},
           "spec":{"matchingPrecedence":2,"priorityLevelConfiguration":{"name":"overload"},
                   "rules":[{"subjects":[{"kind":"User","user":{"name":"test-user"}}],
                             "resourceRules":[{"verbs":["*"],"apiGroups":[""],"namespaces":["*"],
                                               "resources":["configmaps"]}]}]}})");
    auto config = clientcmd::Load({.explicitPath = Server().UserKubeconfig()}, {}).value().config;
    config.timeout = kAskedWait / 2;  // No time to do as told: a refusal itself is returned.
    user_.emplace(kubernetes::Clientset::New(config).value());
    // The server takes a moment to heed what it has just been told.
    ASSERT_TRUE(Eventually(kLimit, [&] {
      (void)user_->CoreV1().ConfigMaps("default").List();
      return Count("dispatched_requests_total") > 0;
    }));
  }

  /// From its return on, the user's requests for config maps are turned away.
  void Overload() {
    write_.emplace(Server());
    ASSERT_TRUE(Eventually(kLimit, [&] { return Count("current_executing_requests") > 0; }));
    ASSERT_TRUE(Eventually(kLimit, [&] {
      const auto list = user_->CoreV1().ConfigMaps("default").List();
      return !list && IsTooManyRequests(list.error()) && list.error().retryAfter >= kAskedWait;
    }));
  }
  void Relieve() { write_.reset(); }

  /// What the server counts of the user's requests.
  [[nodiscard]] static int Count(const std::string& what) {
    const auto metrics = Do(Server(), "GET", "/metrics");
    const auto line = metrics.find("\napiserver_flowcontrol_" + what + "{flow_schema=\"overload\"");
    if (line == std::string::npos) return 0;
    return std::stoi(metrics.substr(metrics.find("} ", line) + 2));
  }
  [[nodiscard]] static int Refusals() { return Count("rejected_requests_total"); }
  /// The informer, the only one to ask, comes again and again, and waits each time. `begin`: before
  /// its first request; `before`: the refusals until then.
  static void ExpectPatience(std::chrono::steady_clock::time_point begin, int before) {
    int refused = 0;
    ASSERT_TRUE(Eventually(kLimit, [&] { return (refused = Refusals() - before) >= 3; }));
    EXPECT_LE((refused - 1) * kAskedWait, std::chrono::steady_clock::now() - begin);
  }

  static constexpr auto kAskedWait = 1s;  ///< The server's Retry-After; more when many come.

 private:
  std::optional<kubernetes::Clientset> user_;
  std::optional<EndlessWrite> write_;
};

TEST_F(OverloadTest, ListsAndWatchesThatAreTurnedAwayWaitAsToldAndMissNothing) {
  for (const bool streaming : {false, true}) {
    SCOPED_TRACE(streaming ? "streaming" : "listing");
    const auto ns = NewNamespace();
    Write(Server(), ns, "doomed");
    ASSERT_NO_FATAL_FAILURE(Overload());
    int before = Refusals();
    auto begin = std::chrono::steady_clock::now();
    Follower follower(Server(), Server().UserKubeconfig(), ns, streaming);
    ASSERT_NO_FATAL_FAILURE(ExpectPatience(begin, before));
    EXPECT_FALSE(follower.Status().synced);
    Relieve();
    ASSERT_TRUE(follower.seen().WaitForEvent("add " + ns + "/doomed"));
    Write(Server(), ns, "watched");
    ASSERT_TRUE(follower.seen().WaitForEvent("add " + ns + "/watched"));

    ASSERT_NO_FATAL_FAILURE(Overload());
    before = Refusals();
    begin = std::chrono::steady_clock::now();
    follower.wire().Cut();
    Write(Server(), ns, "missed");
    Delete(Server(), ns, "doomed");
    ASSERT_NO_FATAL_FAILURE(ExpectPatience(begin, before));
    Relieve();
    EXPECT_TRUE(follower.seen().WaitForEvent("add " + ns + "/missed"));
    EXPECT_TRUE(follower.seen().WaitForEvent("delete " + ns + "/doomed"));
    EXPECT_EQ(follower.Status().relists, 1u);
    EXPECT_EQ(follower.seen().Faults(), std::vector<std::string>());
  }
}

// ---- GOAWAY

TEST(GoAwayTest, ANewConnectionIsMadeAndTheWatchOnTheOldOneGoesOn) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const auto server = StartWith({"--goaway-chance=0.02"});
  ASSERT_TRUE(server);
  Write(*server, "default", "before");
  Follower follower(*server, server->AdminKubeconfig(), "default", true);
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

}  // namespace
}  // namespace k8s::test
