#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/log.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/raw_http_server.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

constexpr const char* kUnauthorized = "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n";

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// A server that welcomes one bearer token and counts what it refuses.
class TokenServer {
 public:
  explicit TokenServer(std::string token) : token_(std::move(token)) {}

  [[nodiscard]] std::string url() const { return server_.url(); }
  [[nodiscard]] int refused() const { return refused_; }

 private:
  void Serve(RawConnection& peer) {
    while (true) {
      const auto request = peer.ReadRequest();
      if (request.empty()) return;
      if (Has(request, "Authorization: Bearer " + token_ + "\r\n")) {
        peer.Answer(request.substr(0, request.find(' ')));
      } else {
        ++refused_;
        peer.Send(kUnauthorized);
      }
    }
  }

  const std::string token_;
  std::atomic<int> refused_{0};
  RawHttpServer server_{[this](RawConnection& peer) { Serve(peer); }};
};

std::shared_ptr<rest::CurlTransport> NewTransport(const std::string& url,
                                                  const PluginScript& script) {
  return rest::CurlTransport::New({.host = url, .exec = script.Exec()}).value();
}

/// What WaitForCacheSync says of pods once `happened`.
std::string NotSynced(const rest::Config& config, const std::function<bool()>& happened) {
  informers::SharedInformerFactory factory(kubernetes::Clientset::New(config).value());
  const auto pods = factory.Core().V1().Pods().Informer();
  factory.Start({});
  while (!happened()) std::this_thread::yield();
  return factory.WaitForCacheSync({}, std::chrono::milliseconds(1)).error().ToString();
}

class CurlTransportExecTest : public testing::Test {
 protected:
  void SetUp() override {
    log::SetSink([this](log::Level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      logged_.append(line).append("\n");
    });
  }
  void TearDown() override { log::SetSink(nullptr); }

  std::mutex mutex_;
  std::string logged_;
};

TEST_F(CurlTransportExecTest, SendsThePluginsTokenAndRunsItOnceForAllClients) {
  const TokenServer server("one");
  const PluginScript script;
  script.AnswerToken("one");
  const auto transport = NewTransport(server.url(), script);
  EXPECT_EQ(script.Runs(), 0);
  EXPECT_EQ(Get(*transport).value(), "GET");
  EXPECT_EQ(Get(*transport).value(), "GET");
  EXPECT_EQ(Get(*NewTransport(server.url(), script)).value(), "GET");
  EXPECT_EQ(script.Runs(), 1);
}

// client-go: TestRoundTripper
TEST_F(CurlTransportExecTest, A401RunsItAgainAndRepeatsTheRequest) {
  const TokenServer server("two");
  const PluginScript script("cat answer; cp next answer");
  script.AnswerToken("two");
  std::filesystem::rename(script.dir() / "answer", script.dir() / "next");
  script.AnswerToken("one");
  const auto transport = NewTransport(server.url(), script);
  auto response = transport->RoundTrip({.method = "POST", .target = "/", .body = "{}"}, {}).value();
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(ReadAll(*response).value(), "POST");
  EXPECT_EQ(server.refused(), 1);
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(CurlTransportExecTest, TheRequestIsRepeatedOnceAndNotWithTheSameCredential) {
  const TokenServer server("other");
  const PluginScript script("n=$(wc -l <runs); sed s/N/$n/ answer");
  script.AnswerToken("token-N");
  auto response = NewTransport(server.url(), script)->RoundTrip({.target = "/"}, {}).value();
  EXPECT_EQ(response->status(), 401);
  EXPECT_EQ(server.refused(), 2);

  const PluginScript same;
  same.AnswerToken("same");
  response = NewTransport(server.url(), same)->RoundTrip({.target = "/"}, {}).value();
  EXPECT_EQ(response->status(), 401);
  EXPECT_EQ(server.refused(), 3);
  EXPECT_EQ(same.Runs(), 2);
}

TEST_F(CurlTransportExecTest, ARenewalThatFailsLeavesThe401AndTheCredential) {
  const TokenServer server("other");
  const PluginScript script("cat answer && rm answer");
  script.AnswerToken("s3cret");
  const auto transport = NewTransport(server.url(), script);
  EXPECT_EQ(transport->RoundTrip({.target = "/"}, {}).value()->status(), 401);
  EXPECT_EQ(transport->RoundTrip({.target = "/"}, {}).value()->status(), 401);
  const std::lock_guard lock(mutex_);
  EXPECT_TRUE(Has(logged_, script.path())) << logged_;
  EXPECT_FALSE(Has(logged_, "s3cret")) << logged_;
}

TEST_F(CurlTransportExecTest, ManyRefusedRequestsShareOneRun) {
  const TokenServer server("two");
  const PluginScript script("cat answer; cp next answer");
  script.AnswerToken("two");
  std::filesystem::rename(script.dir() / "answer", script.dir() / "next");
  script.AnswerToken("one");
  const auto transport = NewTransport(server.url(), script);
  std::vector<std::string> answers(8);
  std::vector<std::thread> threads;
  for (auto& answer : answers) {
    threads.emplace_back([&] { answer = Get(*transport).value(); });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(answers, std::vector<std::string>(8, "GET"));
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(CurlTransportExecTest, AnAuthorizationThatIsThereNeedsNoPlugin) {
  const TokenServer server("mine");
  const PluginScript script;
  const auto transport = NewTransport(server.url(), script);
  auto response =
      transport->RoundTrip({.target = "/", .headers = {{"Authorization", "Bearer mine"}}}, {})
          .value();
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(script.Runs(), 0);
}

TEST_F(CurlTransportExecTest, AKubeconfigsPluginIsNamedInErrorsWithItsPlace) {
  const PluginScript script("echo s3cret; exit 9");
  script.Write("config", R"(
clusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]
users:
- name: u
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./plugin
      args: [s3cret]
      env: [{name: PASSWORD, value: s3cret}]
      interactiveMode: Never
contexts: [{name: x, context: {cluster: c, user: u}}]
current-context: x
)");
  const std::string file = script.dir() / "config";
  const auto config = clientcmd::BuildConfigFromFlags("", file).value();
  const auto client = rest::Client::New(config).value();
  const auto error = client.Do({.path = "/version"}, {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kConfig);
  EXPECT_EQ(error.message, "exec plugin \"" + script.path() +
                               "\" (context \"x\", cluster \"c\", user \"u\", kubeconfig " + file +
                               "): exit code 9");
}

TEST_F(CurlTransportExecTest, AStopEndsTheRequestAndTheLastClientThePlugin) {
  const PluginScript script("echo $$ >pid; : >ready; exec sleep 1000");
  auto transport = NewTransport("http://127.0.0.1:1", script);
  std::stop_source stop;
  Error error;
  std::thread request([&] { error = Get(*transport, "/", stop.get_token()).error(); });
  while (!std::filesystem::exists(script.dir() / "ready")) std::this_thread::yield();
  stop.request_stop();
  request.join();
  EXPECT_EQ(error.kind, ErrorKind::kCancelled);
  const auto pid = static_cast<pid_t>(std::stoi(script.Read("pid")));
  EXPECT_EQ(kill(pid, 0), 0);
  transport.reset();
  EXPECT_NE(kill(pid, 0), 0);
}

TEST_F(CurlTransportExecTest, APluginThatHangsIsNamedWhenCachesDoNotSync) {
  const PluginScript script(": >ready; exec sleep 1000");
  const rest::Config config{
      .host = "http://127.0.0.1:1", .exec = script.Exec(), .origin = "user \"u\""};
  EXPECT_EQ(NotSynced(config, [&] { return std::filesystem::exists(script.dir() / "ready"); }),
            "not synced: pods: no answer yet: waits for exec plugin \"" + script.path() +
                "\" (user \"u\")");
}

TEST_F(CurlTransportExecTest, AServerThatDoesNotAnswerIsNamedWhenCachesDoNotSync) {
  std::atomic<int> connections{0};
  RawHttpServer silent([&](RawConnection& peer) {
    ++connections;
    peer.AwaitClose();
  });
  EXPECT_EQ(
      NotSynced({.host = silent.url(), .origin = "user \"u\""}, [&] { return connections > 0; }),
      "not synced: pods: no answer yet: waits for " + silent.url() + " (user \"u\")");
}

TEST_F(CurlTransportExecTest, WhyTheLastTryFailedIsToldWhenCachesDoNotSync) {
  std::atomic<int> connections{0};
  RawHttpServer resets([&](RawConnection& peer) {
    ++connections;
    peer.ReadRequest();
  });
  const auto told = NotSynced({.host = resets.url()}, [&] { return connections > 1; });
  EXPECT_EQ(told,
            "not synced: pods: watch: unreachable: GET /api/v1/pods: Empty reply from server (" +
                resets.url() + ")");
}

TEST_F(CurlTransportExecTest, A401NamesTheServerTheCredentialAndItsPlace) {
  const TokenServer server("other");
  const PluginScript script;
  script.AnswerToken("s3cret");
  const auto told = [&](rest::Config config) {
    config.host = server.url();
    config.origin = "user \"u\"";
    return rest::Client::New(config).value().Do({.path = "/version"}, {}).error().message;
  };
  const std::string head =
      "GET /version: the server answered 401; " + server.url() + " does not accept ";
  script.Write("token", "s3cret");
  const std::string file = script.dir() / "token";
  EXPECT_EQ(told({.exec = script.Exec()}),
            head + "the credential of exec plugin \"" + script.path() + "\" (user \"u\")");
  EXPECT_EQ(told({.bearerTokenFile = file}), head + "the token of " + file + " (user \"u\")");
  EXPECT_EQ(told({.bearerToken = "s3cret"}), head + "the token (user \"u\")");
  EXPECT_EQ(told({.username = "bob", .password = "s3cret"}),
            head + "the password of \"bob\" (user \"u\")");
  EXPECT_EQ(told({}), head + "requests without credentials (user \"u\")");
}

TEST_F(CurlTransportExecTest, ClusterInfoThatCannotBeMadeIsToldWhenTheClientIs) {
  const PluginScript script;
  rest::Config config{.host = "https://127.0.0.1:1", .exec = script.Exec()};
  config.exec.provideClusterInfo = true;
  config.exec.config = "no JSON";
  const auto transport = rest::CurlTransport::New(config);
  ASSERT_FALSE(transport.has_value());
  EXPECT_TRUE(Has(transport.error().message, "exec plugin")) << transport.error().message;
}

TEST_F(CurlTransportExecTest, ShowsThePluginsClientCertificate) {
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  authority.Issue("server", "IP:127.0.0.1");
  authority.Issue("client", "DNS:client.test");
  const OpensslServer server(
      authority, "server",
      {"-Verify", "1", "-CAfile", authority.CaFile(), "-verify_return_error", "-tls1_2"});
  const PluginScript script;
  script.AnswerCertificate(ReadFile(authority.Path("client.pem")),
                           ReadFile(authority.Path("client.key")));
  rest::Config config{.host = "https://127.0.0.1:" + server.port(), .exec = script.Exec()};
  config.tls.caFile = authority.CaFile();
  EXPECT_TRUE(Has(Get(*rest::CurlTransport::New(config).value()).value(), "HTML"));
  config.exec.args = {"other"};
  script.AnswerToken("no-certificate");
  EXPECT_FALSE(Get(*rest::CurlTransport::New(config).value()).has_value());
}

}  // namespace
}  // namespace k8s::test
