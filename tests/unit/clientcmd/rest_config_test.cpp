#include <gtest/gtest.h>
#include <k8s/log.hpp>
#include <k8s/rest/config.hpp>

#include <chrono>
#include <string>
#include <utility>

#include "environment.hpp"
#include "rest/in_cluster.hpp"
#include "support/case_file.hpp"
#include "support/openssl_server.hpp"

namespace k8s::rest {
namespace {

using test::TestAuthority;
using testing::ScopedEnvironment;
using testing::TempDirectory;

std::string Base(const std::string& host, const TlsClientConfig& tls = {}) {
  return BaseUrl({.host = host, .tls = tls}).value_or("error");
}

TEST(BaseUrlTest, ReadsEveryServerOfTheCasesAsGoDoes) {
  const std::string path = "/api/v1/namespaces/d/pods/p";
  int rows = 0;
  for (const auto& line : testing::ReadCases("cases/urls.txt", "----")) {
    if (line.section.find("server URLs") == std::string::npos) continue;
    ++rows;
    EXPECT_EQ(Base(line.column(0)) + path, line.column(1));
  }
  EXPECT_GE(rows, 7);
}

// client-go: TestIsConfigTransportTLS, TestDefaultServerURL
TEST(BaseUrlTest, TheSchemeFollowsTheTlsMaterial) {
  EXPECT_EQ(Base(""), "http://localhost");
  EXPECT_EQ(Base("h.test:80"), "http://h.test:80");
  EXPECT_EQ(Base("h.test", {.insecure = true}), "https://h.test");
  EXPECT_EQ(Base("h.test/", {.caFile = "ca"}), "https://h.test");
  EXPECT_EQ(Base("[::1]:8080", {.certData = "pem"}), "https://[::1]:8080");
  EXPECT_EQ(Base("http://h.test", {.caFile = "ca"}), "http://h.test");
  EXPECT_TRUE(IsTransportTls({.host = "HTTPS://h.test"}));
  EXPECT_FALSE(IsTransportTls({.host = "http://h.test"}));
  EXPECT_FALSE(IsTransportTls({.host = "https://bad host"}));
}

TEST(BaseUrlTest, RefusesWhatIsNoAddress) {
  for (const char* host :
       {"h.test/path", "https://", "https:///path", "ftp://h.test", "https://h.test:x",
        "https://h.test:123456", "https://::1", "https://[::1", "https://[::1]x", "https://a b",
        "https://h.test\n", "://h.test", "https://:443"}) {
    EXPECT_EQ(Base(host), "error") << host;
  }
}

TEST(BaseUrlTest, RefusesCredentialsAndDoesNotTellThem) {
  const auto url = BaseUrl({.host = "https://admin:secret@h.test"});
  ASSERT_FALSE(url.has_value());
  EXPECT_EQ(url.error().kind, ErrorKind::kConfig);
  EXPECT_EQ(url.error().message.find("secret"), std::string::npos);
}

// client-go: TestConfigStringer, TestConfigSprint
TEST(ConfigToStringTest, HidesEverySecret) {
  const Config config{.host = "https://user:secret@h.test",
                      .tls = {.caData = "secret", .certData = "secret", .keyData = "secret"},
                      .bearerToken = "secret",
                      .username = "admin",
                      .password = "secret",
                      .impersonate = {.userName = "jane"},
                      .exec = {.command = "helper", .args = {"secret"}, .env = {{"A", "secret"}}},
                      .proxyUrl = "http://user:secret@proxy.test:3128"};
  const std::string text = ToString(config);
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
  for (const char* part : {"h.test", "admin", "jane", "helper", "proxy.test:3128",
                           "tls.caData: 6 bytes", "bearerToken: --- REDACTED ---",
                           "password: --- REDACTED ---", "tls.keyData: --- REDACTED ---"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  }
}

TEST(ConfigToStringTest, SaysNothingOfWhatIsNotSet) {
  EXPECT_EQ(ToString({.host = "h", .qps = 1, .burst = 2}),
            "rest::Config{host: h, qps: 1.000000, burst: 2}");
}

// client-go: TestAnonymousAuthConfig, TestCopyConfig
TEST(AnonymousClientConfigTest, KeepsTheServerAndDropsWhoAsks) {
  const Config server{.host = "https://h.test",
                      .tls = {.serverName = "n", .caFile = "ca", .caData = "pem"},
                      .proxyUrl = "http://proxy.test",
                      .userAgent = "agent",
                      .disableCompression = true,
                      .qps = 1,
                      .burst = 2,
                      .timeout = std::chrono::milliseconds(3)};
  Config full = server;
  EXPECT_EQ(AnonymousClientConfig(full), server);
  full.tls.certFile = full.tls.certData = full.tls.keyFile = full.tls.keyData = "secret";
  full.bearerToken = full.bearerTokenFile = full.username = full.password = "secret";
  full.impersonate = {.userName = "jane", .uid = "42", .groups = {"g"}, .extra = {{"a", {"b"}}}};
  full.exec = {.command = "helper"};
  full.authProvider = "gcp";
  EXPECT_EQ(AnonymousClientConfig(full), server);
  EXPECT_TRUE(AnonymousClientConfig({.tls = {.insecure = true}}).tls.insecure);
}

std::string Pem(const std::string& label) {
  return "text before\n-----BEGIN " + label + "-----\nAAAA\nAAAA\n-----END " + label + "-----\n";
}

std::string Problem(const Config& config) {
  const auto result = Validate(config);
  if (result) return {};
  EXPECT_EQ(result.error().kind, ErrorKind::kConfig);
  return result.error().message;
}

TEST(ValidateTest, AcceptsOrdinaryConfigurations) {
  EXPECT_EQ(Problem({}), "");
  EXPECT_EQ(Problem({.username = "admin", .password = "pw"}), "");
  EXPECT_EQ(Problem({.tls = {.insecure = true}}), "");
  EXPECT_EQ(Problem({.proxyUrl = "socks5://user:pw@p.test"}), "");
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  const TempDirectory files;
  const auto pem = authority.Read("ca.pem");
  const auto ca = files.Write("ca", "text before\n" + pem + pem);
  EXPECT_EQ(Problem({.host = "https://h.test", .tls = {.caFile = ca}, .bearerToken = "t"}), "");
  EXPECT_EQ(Problem({.tls = {.caData = pem, .certFile = ca, .keyData = authority.Read("ca.key")}}),
            "");
}

TEST(ValidateTest, RefusesKeysThatAreOfNoUse) {
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  authority.Issue("client", "DNS:client.test");
  authority.Openssl("pkcs8 -topk8 -in client.key -passout pass:s3cret -out encrypted.key");
  const auto certificate = authority.Path("client.pem");
  for (const auto& [file, reason] : {std::pair{"encrypted.key", " is encrypted, which is not"},
                                     {"ca.key", " does not fit the client-certificate "}}) {
    const auto problem =
        Problem({.tls = {.certFile = certificate, .keyFile = authority.Path(file)}});
    EXPECT_NE(problem.find("client-key " + authority.Path(file) + reason), std::string::npos)
        << problem;
  }
}

// client-go: TestTLSConfig, TestNew
TEST(ValidateTest, RefusesContradictionsAndUnusableMaterial) {
  struct Row {
    const char* part;
    Config config;
  };
  const TempDirectory files;
  const auto text = files.Write("text", "no PEM");
  const std::string cert = Pem("CERTIFICATE");
  const Row rows[] = {
      {"contradict", {.tls = {.insecure = true, .caData = cert}}},
      {"needed together", {.tls = {.certData = cert}}},
      {"needed together", {.tls = {.keyData = Pem("PRIVATE KEY")}}},
      {"certificate-authority-data is not PEM", {.tls = {.caData = "no PEM"}}},
      {"certificate-authority-data is not PEM", {.tls = {.caData = Pem("PRIVATE KEY")}}},
      {"certificate-authority-data is not PEM",
       {.tls = {.caData = "-----BEGIN CERTIFICATE-----\nAAAA"}}},
      {"certificate-authority-data has no certificate that can be read", {.tls = {.caData = cert}}},
      {"client-key-data has no private key", {.tls = {.keyData = Pem("PRIVATE KEY")}}},
      {"is not PEM", {.tls = {.caFile = text}}},
      {"/nowhere", {.tls = {.caFile = "/nowhere"}}},
      {"cannot read", {.tls = {.caFile = files.path()}}},
      {"exclude each other", {.bearerToken = "t", .username = "u"}},
      {"needs a user", {.impersonate = {.groups = {"g"}}}},
      {"not supported", {.authProvider = "gcp"}},
      {"exec plugin \"helper\": interactiveMode must be Never, IfAvailable or Always (context "
       "\"c\")",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1", .command = "helper"},
        .origin = "context \"c\""}},
      {"interactiveMode must be",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                 .command = "helper",
                 .interactiveMode = "never"}}},
      {"variable without a name",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                 .command = "helper",
                 .env = {{"", "x"}}}}},
      {"exclude each other",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1", .command = "helper"},
        .authProvider = "gcp"}},
      {"unknown apiVersion",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1alpha1", .command = "helper"}}},
      {"proxyUrl is no http, https or socks5 URL", {.proxyUrl = "ftp://p.test"}},
      {"proxyUrl is a URL that cannot be read: No host part in the URL", {.proxyUrl = "http://"}},
      {"an allowlist that does not count",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                 .command = "helper",
                 .pluginPolicy = {.allowlist = {"helper"}}}}},
      {"an allowlist that is empty",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                 .command = "helper",
                 .pluginPolicy = {.policyType = PluginPolicy::Type::kAllowlist}}}},
      {"has an empty entry",
       {.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                 .command = "helper",
                 .pluginPolicy = {.policyType = PluginPolicy::Type::kAllowlist,
                                  .allowlist = {"helper", ""}}}}},
      {"invalid", {.host = "https://a b"}},
  };
  for (const Row& row : rows) {
    const std::string problem = Problem(row.config);
    EXPECT_NE(problem.find(row.part), std::string::npos) << row.part << " in: " << problem;
  }
}

TEST(ValidateTest, AcceptsPluginsWithoutRunningThem) {
  EXPECT_EQ(Problem({.exec = {.apiVersion = "client.authentication.k8s.io/v1",
                              .command = "/nowhere/helper",
                              .interactiveMode = "Never"}}),
            "");
  EXPECT_EQ(Problem({.exec = {.apiVersion = "client.authentication.k8s.io/v1beta1",
                              .command = "/nowhere/helper"}}),
            "");
}

TEST(ValidateTest, APluginThatIsNotNeededIsNoProblem) {
  const ExecConfig exec{.apiVersion = "client.authentication.k8s.io/v1", .command = "helper"};
  EXPECT_EQ(Problem({.bearerToken = "t", .exec = exec}), "");
}

class InClusterConfigTest : public ::testing::Test {
 protected:
  void TearDown() override { log::SetSink(nullptr); }

  ScopedEnvironment environment_;
  TempDirectory files_;
};

TEST_F(InClusterConfigTest, OutsideOfAClusterIsAnErrorOfItsOwn) {
  environment_.Set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  const auto config = InClusterConfig();
  ASSERT_FALSE(config.has_value());
  EXPECT_TRUE(IsNotInCluster(config.error()));
}

TEST_F(InClusterConfigTest, ATokenIsNeeded) {
  environment_.Set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  environment_.Set("KUBERNETES_SERVICE_PORT", "443");
  const auto config = detail::InClusterConfigFrom(files_.path());
  ASSERT_FALSE(config.has_value());
  EXPECT_FALSE(IsNotInCluster(config.error()));
  EXPECT_NE(config.error().message.find("/token"), std::string::npos);
}

TEST_F(InClusterConfigTest, AnUnreadableCaIsWarnedOf) {
  std::string logged;
  log::SetSink([&](log::Level, std::string_view line) { logged += line; });
  environment_.Set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
  environment_.Set("KUBERNETES_SERVICE_PORT", "443");
  files_.Write("token", "token-1");
  const Config config = detail::InClusterConfigFrom(files_.path()).value();
  EXPECT_EQ(config.tls.caFile, "");
  EXPECT_NE(logged.find("ca.crt"), std::string::npos);
}

TEST_F(InClusterConfigTest, AnIpv6AddressGetsBrackets) {
  log::SetSink(nullptr);
  environment_.Set("KUBERNETES_SERVICE_HOST", "fd00::1");
  environment_.Set("KUBERNETES_SERVICE_PORT", "6443");
  files_.Write("token", "token-1");
  EXPECT_EQ(detail::InClusterConfigFrom(files_.path()).value().host, "https://[fd00::1]:6443");
}

TEST(UserAgentTest, NamesTheProgramAndTheLibrary) {
  const std::string agent = DefaultUserAgent();
  EXPECT_NE(agent.find("/unknown (linux/"), std::string::npos);
  EXPECT_NE(agent.find(") client-cpp/"), std::string::npos);
  EXPECT_FALSE(agent.starts_with("/"));
}

}  // namespace
}  // namespace k8s::rest
