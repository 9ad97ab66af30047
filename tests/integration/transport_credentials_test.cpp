#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/log.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <filesystem>
#include <fstream>
#include <stop_token>
#include <string>
#include <utility>

#include "support/openssl_server.hpp"
#include "support/proxy_program.hpp"
#include "support/raw_http_server.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

/// Answers each request with its own text.
void Echo(RawConnection& peer) {
  while (true) {
    const auto request = peer.ReadRequest();
    if (request.empty() || !peer.Answer(request)) return;
  }
}

std::string EchoFor(const rest::Config& config, const rest::Headers& headers = {}) {
  auto transport = rest::CurlTransport::New(config).value();
  auto response = transport->RoundTrip({.target = "/", .headers = headers}, {}).value();
  return ReadAll(*response).value();
}

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST(CurlTransportCredentialsTest, SendsABearerToken) {
  const RawHttpServer server(Echo);
  EXPECT_TRUE(Has(EchoFor({.host = server.url(), .bearerToken = "t0ken"}),
                  "Authorization: Bearer t0ken\r\n"));
}

TEST(CurlTransportCredentialsTest, SendsBasicAuthentication) {
  const RawHttpServer server(Echo);
  EXPECT_TRUE(Has(EchoFor({.host = server.url(), .username = "user", .password = "pass word"}),
                  "Authorization: Basic dXNlcjpwYXNzIHdvcmQ=\r\n"));
}

// client-go: TestBearerAuthRoundTripper
TEST(CurlTransportCredentialsTest, KeepsAnAuthorizationThatIsThere) {
  const RawHttpServer server(Echo);
  const auto echo =
      EchoFor({.host = server.url(), .bearerToken = "t0ken"}, {{"authorization", "Bearer mine"}});
  EXPECT_TRUE(Has(echo, "authorization: Bearer mine\r\n"));
  EXPECT_FALSE(Has(echo, "t0ken"));
}

TEST(CurlTransportCredentialsTest, SendsNoneOverPlainHttpThatWasNotAskedFor) {
  const RawHttpServer server(Echo);
  const auto echo = EchoFor({.host = "127.0.0.1:" + std::to_string(server.port()),
                             .bearerToken = "t0ken",
                             .impersonate = {.userName = "jane"}});
  EXPECT_FALSE(Has(echo, "t0ken"));
  EXPECT_FALSE(Has(echo, "jane"));
}

TEST(CurlTransportCredentialsTest, SendsNoneOverPlainHttpBeyondThisMachineAndWarnsOnce) {
  const RawHttpServer proxy(Echo);
  std::string logged;
  log::SetSink([&logged](log::Level, std::string_view line) { logged.append(line) += '\n'; });
  const rest::Config config{.host = "http://plain.kubernetes.test",
                            .bearerToken = "t0ken",
                            .impersonate = {.userName = "jane"},
                            .proxyUrl = proxy.url()};
  for (int i = 0; i < 2; ++i) {
    const auto echo = EchoFor(config);
    EXPECT_FALSE(Has(echo, "t0ken"));
    EXPECT_FALSE(Has(echo, "jane"));
  }
  log::SetSink(nullptr);
  EXPECT_EQ(logged, "no credentials are sent to http://plain.kubernetes.test, which has no TLS\n");
}

// client-go: TestImpersonationRoundTripper
TEST(CurlTransportCredentialsTest, ActsAsSomebodyElse) {
  const RawHttpServer server(Echo);
  const auto echo = EchoFor({.host = server.url(),
                             .impersonate = {.userName = "jane",
                                             .uid = "42",
                                             .groups = {"dev", "ops"},
                                             .extra = {{"Example.com/a b%", {"x", "y"}}}}});
  EXPECT_TRUE(Has(echo, "Impersonate-User: jane\r\n"));
  EXPECT_TRUE(Has(echo, "Impersonate-Uid: 42\r\n"));
  EXPECT_TRUE(Has(echo, "Impersonate-Group: dev\r\n"));
  EXPECT_TRUE(Has(echo, "Impersonate-Group: ops\r\n"));
  EXPECT_TRUE(Has(echo, "Impersonate-Extra-example.com%2Fa%20b%25: x\r\n"));
  EXPECT_TRUE(Has(echo, "Impersonate-Extra-example.com%2Fa%20b%25: y\r\n"));
}

TEST(CurlTransportCredentialsTest, FollowsNoRedirectSoThatNoHostGetsWhatIsNotItsOwn) {
  const RawHttpServer other(Echo);
  const RawHttpServer server([&other](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 307 Temporary Redirect\r\nLocation: " + other.url() +
              "/\r\nContent-Length: 0\r\n\r\n");
  });
  auto transport = rest::CurlTransport::New({.host = server.url(), .bearerToken = "t0ken"}).value();
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  EXPECT_EQ(response->status(), 307);
  EXPECT_EQ(other.connections(), 0);
}

TEST(CurlTransportCredentialsTest, NoErrorShowsASecret) {
  const RawHttpServer server([](RawConnection& peer) { peer.ReadRequest(); });
  auto transport = rest::CurlTransport::New({.host = server.url(), .bearerToken = "t0ken"}).value();
  const auto error = Get(*transport).error();
  EXPECT_FALSE(Has(error.message, "t0ken")) << error.message;
}

TEST(CurlTransportCredentialsTest, ReadsTheTokenFileAgainAfterA401AndTriesOnceMore) {
  const auto path =
      std::filesystem::temp_directory_path() /
      ("client-cpp-token-" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
       std::to_string(reinterpret_cast<std::uintptr_t>(&Echo)));
  std::ofstream(path) << "old\n";
  RawHttpServer server([&path](RawConnection& peer) {
    while (true) {
      const auto request = peer.ReadRequest();
      if (request.empty()) return;
      if (Has(request, "Bearer new\r\n")) {
        peer.Answer("welcome");
      } else {
        std::ofstream(path) << "new\n";
        peer.Send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
      }
    }
  });
  auto transport =
      rest::CurlTransport::New({.host = server.url(), .bearerTokenFile = path.string()}).value();
  EXPECT_EQ(Get(*transport).value(), "welcome");
  std::filesystem::remove(path);
}

/// Serves one pod to who shows this user and password.
void ServeToBasicUser(RawConnection& peer) {
  for (auto request = peer.ReadRequest(); !request.empty(); request = peer.ReadRequest()) {
    if (!Has(request, "Authorization: Basic amFuZTpzM2NyZXQgOgo=\r\n")) {  // jane:s3cret :\n
      peer.Send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    } else if (Has(request, "sendInitialEvents=true")) {
      peer.Send("HTTP/1.1 422 Unprocessable Entity\r\nContent-Length: 0\r\n\r\n");
    } else if (Has(request, "watch=true")) {
      peer.Send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
          "Transfer-Encoding: chunked\r\n\r\n");
      peer.AwaitClose();
    } else {
      peer.Answer(R"({"kind":"PodList","metadata":{"resourceVersion":"5"},"items":[)"
                  R"({"metadata":{"name":"web","namespace":"d","resourceVersion":"4"}}]})",
                  "Content-Type: application/json\r\n");
    }
  }
}

// API servers have given it up; gateways before them have not.
TEST(BasicAuthenticationTest, AnInformerOfAKubeconfigWithUserAndPasswordIsLetIn) {
  for (const auto& why : {TestAuthority::Unavailable(), ProxyProgram::Unavailable("stunnel")}) {
    if (!why.empty()) GTEST_SKIP() << why;
  }
  const TestAuthority authority;
  authority.Issue("server", "IP:127.0.0.1");
  const RawHttpServer server(ServeToBasicUser);
  const auto front =
      ProxyProgram::Stunnel(authority, "server", "127.0.0.1:" + std::to_string(server.port()));
  const auto load = [&](const std::string& password) {
    std::ofstream(authority.Path("config"))
        << "{clusters: [{name: c, cluster: {server: 'https://" << front.address()
        << "', certificate-authority: ca.pem}}], users: [{name: u, user: {username: jane, "
           "password: \""
        << password
        << "\"}}], contexts: [{name: x, context: {cluster: c, user: u, namespace: d}}], "
           "current-context: x}";
    return clientcmd::Load({.explicitPath = authority.Path("config")}, {}).value();
  };
  const auto client = kubernetes::Clientset::New(load("s3cret :\\n").config).value();
  informers::SharedInformerFactory factory(client, {});
  auto pods = factory.Core().V1().Pods();
  (void)pods.Informer();
  std::stop_source stop;
  factory.Start(stop.get_token());
  const auto synced = factory.WaitForCacheSync(stop.get_token(), std::chrono::seconds(60));
  ASSERT_TRUE(synced) << synced.error().ToString();
  EXPECT_NE(pods.Lister().Pods("d").Get("web").value(), nullptr);
  stop.request_stop();
  factory.Shutdown();

  const auto wrong = kubernetes::Clientset::New(load("wr0ng").config).value();
  const auto refused = wrong.CoreV1().Pods("d").List().error();
  EXPECT_TRUE(IsUnauthorized(refused)) << refused.ToString();
  EXPECT_FALSE(Has(refused.ToString(), "wr0ng")) << refused.ToString();
}

TEST(CurlTransportCredentialsTest, UsesAnHttpProxy) {
  const RawHttpServer proxy(Echo);
  const auto echo = EchoFor({.host = "http://kubernetes.test:81", .proxyUrl = proxy.url()});
  EXPECT_TRUE(echo.starts_with("GET http://kubernetes.test:81/ HTTP/1.1\r\n")) << echo;
  EXPECT_FALSE(Has(echo, "Proxy-Authorization")) << echo;
}

// client-go: TestHTTPProxy
TEST(CurlTransportCredentialsTest, TellsAProxyItsUserAndPassword) {
  const RawHttpServer proxy(Echo);
  const auto echo =
      EchoFor({.host = "http://kubernetes.test:81",
               .bearerToken = "t0ken",
               .credentialsOverHttp = true,
               .proxyUrl = "http://us%40er:pa%3Ass@127.0.0.1:" + std::to_string(proxy.port())});
  EXPECT_TRUE(Has(echo, "Proxy-Authorization: Basic dXNAZXI6cGE6c3M=\r\n")) << echo;
  EXPECT_TRUE(Has(echo, "Authorization: Bearer t0ken\r\n")) << echo;
}

}  // namespace
}  // namespace k8s::test
