#include "clientcmd/client_config.hpp"

#include <gtest/gtest.h>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/log.hpp>

#include <chrono>
#include <string>
#include <vector>

#include "environment.hpp"

namespace k8s::clientcmd {
namespace {

using testing::ScopedEnvironment;
using testing::TempDirectory;

KubeConfig TwoContexts() {
  return {.clusters = {{"c1",
                        {.server = "https://one.test",
                         .tlsServerName = "inner.test",
                         .certificateAuthorityData = "pem"}},
                       {"c2", {.server = "https://two.test", .insecureSkipTlsVerify = true}}},
          .users = {{"u1", {.token = "t1"}}, {"u2", {.username = "admin", .password = "pw"}}},
          .contexts = {{"x1", {.cluster = "c1", .user = "u1", .namespace_ = "n1"}},
                       {"x2", {.cluster = "c2", .user = "u2"}}},
          .currentContext = "x1"};
}

ClientConfig ResolveWith(const Overrides& overrides) {
  return Resolve(TwoContexts(), overrides).value();
}

// client-go: TestMergeContext
TEST(OverridesTest, TheContextCanBeChosen) {
  const ClientConfig first = ResolveWith({});
  EXPECT_EQ(first.context, "x1");
  EXPECT_EQ(first.namespace_, "n1");
  EXPECT_EQ(first.config.host, "https://one.test");
  const ClientConfig second = ResolveWith({.currentContext = "x2"});
  EXPECT_EQ(second.context, "x2");
  EXPECT_EQ(second.namespace_, "default");
  EXPECT_EQ(second.config.username, "admin");
}

TEST(OverridesTest, NamesThatAreAskedForMustExist) {
  for (const Overrides& overrides :
       {Overrides{.currentContext = "x3"}, Overrides{.cluster = "c3"}, Overrides{.user = "u3"}}) {
    const auto result = Resolve(TwoContexts(), overrides);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().kind, ErrorKind::kConfig);
    EXPECT_FALSE(IsEmptyConfig(result.error()));
  }
}

TEST(OverridesTest, ClusterUserAndNamespaceReplaceTheContexts) {
  const ClientConfig client = ResolveWith({.namespace_ = "n2", .cluster = "c2", .user = "u2"});
  EXPECT_EQ(client.namespace_, "n2");
  EXPECT_EQ(client.config.host, "https://two.test");
  EXPECT_EQ(client.config.username, "admin");
  EXPECT_EQ(client.config.bearerToken, "");
}

// client-go: TestTLSServerName, TestTLSServerNameClearsWhenServerNameSet
TEST(OverridesTest, AServerClearsTheFilesServerName) {
  EXPECT_EQ(ResolveWith({}).config.tls.serverName, "inner.test");
  const ClientConfig other = ResolveWith({.server = "https://three.test"});
  EXPECT_EQ(other.config.host, "https://three.test");
  EXPECT_EQ(other.config.tls.serverName, "");
  EXPECT_EQ(ResolveWith({.tlsServerName = "new.test"}).config.tls.serverName, "new.test");
}

// client-go: TestInsecureOverridesCA
TEST(OverridesTest, InsecureClearsTheFilesCa) {
  const auto tls = ResolveWith({.insecureSkipTlsVerify = true}).config.tls;
  EXPECT_TRUE(tls.insecure);
  EXPECT_EQ(tls.caData, "");
}

// client-go: TestCAOverridesCAData
TEST(OverridesTest, ACaReplacesBothFormsAndInsecure) {
  const TempDirectory directory;
  const std::string ca = directory.Write("ca.crt", "pem");
  const auto tls = ResolveWith({.certificateAuthority = ca}).config.tls;
  EXPECT_EQ(tls.caFile, ca);
  EXPECT_EQ(tls.caData, "");
  EXPECT_FALSE(
      ResolveWith({.currentContext = "x2", .certificateAuthority = ca}).config.tls.insecure);
}

// client-go: TestClientCertificateOverrides
TEST(OverridesTest, AClientCertificateReplacesBothForms) {
  const TempDirectory directory;
  const std::string file = directory.Write("client.pem", "pem");
  KubeConfig kubeconfig = TwoContexts();
  kubeconfig.users["u1"] = {.clientCertificateData = "old", .clientKeyData = "old"};
  const auto tls =
      Resolve(kubeconfig, {.clientCertificate = file, .clientKey = file}).value().config.tls;
  EXPECT_EQ(tls.certFile, file);
  EXPECT_EQ(tls.keyFile, file);
  EXPECT_EQ(tls.certData + tls.keyData, "");
}

TEST(OverridesTest, CredentialsAndTheRestReplaceTheFiles) {
  const auto config = ResolveWith({.proxyUrl = "http://proxy.test",
                                   .disableCompression = true,
                                   .token = "t2",
                                   .impersonate = {.userName = "jane", .groups = {"g"}},
                                   .timeout = std::chrono::seconds(3)})
                          .config;
  EXPECT_EQ(config.bearerToken, "t2");
  EXPECT_EQ(config.proxyUrl, "http://proxy.test");
  EXPECT_TRUE(config.disableCompression);
  EXPECT_EQ(config.impersonate.userName, "jane");
  EXPECT_EQ(config.impersonate.groups, std::vector<std::string>{"g"});
  EXPECT_EQ(config.timeout, std::chrono::seconds(3));
}

TEST(OverridesTest, AServerIsEnoughOfAConfiguration) {
  EXPECT_EQ(Resolve({}, {.server = "https://h.test"}).value().config.host, "https://h.test");
  EXPECT_TRUE(IsEmptyConfig(Resolve({}, {}).error()));
}

TEST(ResolveTest, AllProblemsAreToldAtOnceAndNoSecret) {
  KubeConfig kubeconfig = TwoContexts();
  kubeconfig.clusters["c1"].proxyUrl = "ftp://user:secret-1@proxy.test";
  kubeconfig.clusters["c1"].certificateAuthority = "/nowhere/ca.crt";
  kubeconfig.users["u1"] = {.token = "secret-2", .username = "u", .password = "secret-3"};
  const Error error = Resolve(kubeconfig, {}).error();
  for (const char* part :
       {"proxy-url", "both as a file and as data", "/nowhere/ca.crt", "both a token and basic"}) {
    EXPECT_NE(error.message.find(part), std::string::npos) << part;
  }
  EXPECT_EQ(error.message.find("secret"), std::string::npos) << error.message;
}

TEST(ResolveTest, AnEncryptedConnectionIsNeededForCredentials) {
  const auto config = ResolveWith({.server = "http://127.0.0.1:8080"}).config;
  EXPECT_EQ(config.bearerToken, "");
  EXPECT_EQ(config.tls, rest::TlsClientConfig());
}

TEST(LoadTest, APluginKnowsItsPlaceAndTheClustersExtension) {
  const TempDirectory directory;
  const auto file = directory.Write(
      "config",
      "clusters: [{name: c, cluster: {server: 'https://h.test', extensions: [{name: "
      "client.authentication.k8s.io/exec, extension: {audience: a}}]}}]\n"
      "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, "
      "command: bin/helper, interactiveMode: Never, provideClusterInfo: true}}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]\ncurrent-context: x\n");
  const auto config = Load({.explicitPath = file}, {}).value().config;
  const auto& exec = config.exec;
  EXPECT_EQ(exec.command, directory.path() + "/bin/helper");
  EXPECT_EQ(exec.config, R"({"audience":"a"})");
  EXPECT_EQ(config.origin, R"(context "x", cluster "c", user "u", kubeconfig )" + file);
}

TEST(LoadTest, TheOriginNamesEachFileThatASelectionComesFrom) {
  const TempDirectory directory;
  const auto cluster =
      directory.Write("cluster",
                      "clusters: [{name: c, cluster: {server: 'https://h.test'}}]\n"
                      "contexts: [{name: x, context: {cluster: c, user: u}}]\n");
  const auto user = directory.Write("user", "users: [{name: u, user: {token: t}}]\n");
  const LoadingRules rules{.precedence = {cluster, user}};
  const auto config = Load(rules, {.currentContext = "x"}).value().config;
  EXPECT_EQ(config.origin, R"(context "x", cluster "c", user "u", kubeconfig )" + cluster +
                               ", user's kubeconfig " + user);
  EXPECT_EQ(Load(rules, {.currentContext = "y"}).error().message,
            R"(invalid configuration: context "y" does not exist (kubeconfig )" + cluster + ", " +
                user + ")");
}

TEST(LoadTest, ReadsKubeconfigInTheHomeDirectory) {
  ScopedEnvironment environment;
  const TempDirectory home;
  home.Write(".kube/config",
             "clusters: [{name: c, cluster: {server: 'https://home.test'}}]\n"
             "contexts: [{name: x, context: {cluster: c}}]\n"
             "current-context: x\n");
  environment.Set("HOME", home.path());
  EXPECT_EQ(LoadDefaultConfig().value().host, "https://home.test");
  environment.Set("KUBECONFIG", home.path() + "/missing");
  log::SetSink(nullptr);
  EXPECT_TRUE(IsEmptyConfig(LoadDefaultConfig().error()));
}

TEST(LoadTest, AnExplicitFileMustExist) {
  const auto result = Load({.explicitPath = "/nowhere/config"}, {});
  ASSERT_FALSE(result.has_value());
  EXPECT_NE(result.error().message.find("/nowhere/config"), std::string::npos);
}

// client-go: TestWarningMissingFiles, TestNoWarningMissingFiles
TEST(LoadTest, WarnsIfNoFileOfTheEnvironmentExists) {
  ScopedEnvironment environment;
  const TempDirectory directory;
  const auto warnings = [&](const std::string& list) {
    std::vector<std::string> lines;
    log::SetSink([&](log::Level level, std::string_view line) {
      if (level == log::Level::kWarning) lines.emplace_back(line);
    });
    environment.Set("KUBECONFIG", list);
    EXPECT_TRUE(LoadKubeConfig({}).has_value());
    log::SetSink(nullptr);
    return lines;
  };
  const auto missing = directory.path() + "/missing";
  EXPECT_EQ(warnings(missing + ":" + missing + "2"),
            std::vector<std::string>{"no file that KUBECONFIG names exists: " + missing + ":" +
                                     missing + "2"});
  EXPECT_TRUE(warnings(missing + ":" + directory.Write("there", "")).empty());
}

TEST(LoadTest, EveryBrokenFileIsNamed) {
  const TempDirectory directory;
  const auto one = directory.Write("one", "kind: Secret\n");
  const auto two = directory.Write("two", "clusters: 5\n");
  const Error error = LoadKubeConfig({.precedence = {one, two}}).error();
  EXPECT_NE(error.message.find(one), std::string::npos);
  EXPECT_NE(error.message.find(two), std::string::npos);
}

TEST(LoadTest, AFileInTheWorkingDirectoryHasAbsolutePaths) {
  const TempDirectory directory;
  directory.Write("config", "users: [{name: u, user: {tokenFile: ../token}}]\n");
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory.path());
  const auto kubeconfig = LoadFromFile("config");
  std::filesystem::current_path(before);
  const auto expected = std::filesystem::path(directory.path()).parent_path() / "token";
  EXPECT_EQ(kubeconfig.value().users.at("u").tokenFile, expected.string());
}

class InClusterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    environment_.Set("KUBERNETES_SERVICE_HOST", "10.0.0.1");
    environment_.Set("KUBERNETES_SERVICE_PORT", "443");
    files_.Write("token", " token-1\n");
    files_.Write("ca.crt", "pem");
    files_.Write("namespace", "team-a\n");
  }
  Result<ClientConfig> LoadNothing(const Overrides& overrides = {}) {
    return detail::LoadWith({.precedence = {"/nowhere"}}, overrides, files_.path());
  }

  ScopedEnvironment environment_;
  TempDirectory files_;
};

TEST_F(InClusterTest, IsUsedWhenThereIsNoKubeconfig) {
  const ClientConfig client = LoadNothing().value();
  EXPECT_EQ(client.config.host, "https://10.0.0.1:443");
  EXPECT_EQ(client.config.bearerToken, "token-1");
  EXPECT_EQ(client.config.bearerTokenFile, files_.path() + "/token");
  EXPECT_EQ(client.config.tls.caFile, files_.path() + "/ca.crt");
  EXPECT_EQ(client.namespace_, "team-a");
  EXPECT_EQ(client.context, "");
}

TEST_F(InClusterTest, IsNotUsedWhenAKubeconfigIsUsableOrBroken) {
  const auto good =
      files_.Write("good",
                   "clusters: [{name: c, cluster: {server: 'https://h.test'}}]\n"
                   "contexts: [{name: x, context: {cluster: c}}]\ncurrent-context: x\n");
  const auto client = detail::LoadWith({.precedence = {good}}, {}, files_.path()).value();
  EXPECT_EQ(client.config.host, "https://h.test");
  EXPECT_EQ(client.namespace_, "default");
  const auto broken = files_.Write("broken", "contexts: []\ncurrent-context: x\n");
  EXPECT_FALSE(detail::LoadWith({.precedence = {broken}}, {}, files_.path()).has_value());
}

// client-go: TestInClusterClientConfigPrecedence
TEST_F(InClusterTest, OverridesWin) {
  const ClientConfig client = LoadNothing({.namespace_ = "n", .token = "t"}).value();
  EXPECT_EQ(client.namespace_, "n");
  EXPECT_EQ(client.config.bearerToken, "t");
  EXPECT_EQ(client.config.bearerTokenFile, "");
}

TEST_F(InClusterTest, TheNamespaceComesFromTheEnvironmentFirst) {
  environment_.Set("POD_NAMESPACE", "from-env");
  EXPECT_EQ(LoadNothing().value().namespace_, "from-env");
  environment_.Set("POD_NAMESPACE", "");
  files_.Write("namespace", " \n");
  EXPECT_EQ(LoadNothing().value().namespace_, "default");
}

TEST_F(InClusterTest, OutsideOfAClusterThereIsNoConfiguration) {
  environment_.Set("KUBERNETES_SERVICE_PORT", std::nullopt);
  EXPECT_TRUE(IsEmptyConfig(LoadNothing().error()));
}

TEST_F(InClusterTest, WithoutATokenFileThereIsNoConfiguration) {
  std::filesystem::remove(files_.path() + "/token");
  EXPECT_TRUE(IsEmptyConfig(LoadNothing().error()));
}

TEST(BuildConfigFromFlagsTest, TakesTheServerOfTheFlag) {
  ScopedEnvironment environment;
  const TempDirectory directory;
  const auto file =
      directory.Write("config",
                      "clusters: [{name: c, cluster: {server: 'https://file.test'}}]\n"
                      "users: [{name: u, user: {token: t}}]\n"
                      "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                      "current-context: x\n");
  EXPECT_EQ(BuildConfigFromFlags("", file).value().host, "https://file.test");
  EXPECT_EQ(BuildConfigFromFlags("https://flag.test", file).value().host, "https://flag.test");
  environment.Set("KUBECONFIG", file);
  // The file of the environment has not been asked for, nor is its token for this server.
  EXPECT_EQ(BuildConfigFromFlags("https://flag.test", "").value(),
            rest::Config{.host = "https://flag.test"});
  EXPECT_TRUE(rest::IsNotInCluster(BuildConfigFromFlags("", "").error()));
}

}  // namespace
}  // namespace k8s::clientcmd
