// Every form of credentials, and proxies, against a real kube-apiserver: with the pod-watcher
// example where a kubeconfig can name them. See rotation_test.cpp for those that change.

#include <gtest/gtest.h>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "support/child_process.hpp"
#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/proxy_program.hpp"
#include "support/real_server.hpp"
#include "support/watcher.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

#ifdef CLIENT_CPP_POD_WATCHER
constexpr const char* kPodWatcher = CLIENT_CPP_POD_WATCHER;
#else
constexpr const char* kPodWatcher = "";
#endif

// For broken programs only.
constexpr auto kLimit = 60s;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CredentialsTest : public RealServerTest {
 protected:
  void SetUp() override {
    if (*kPodWatcher == '\0') GTEST_SKIP() << "the examples are not built";
    RealServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ns_ = NewNamespace();
    Post("/api/v1/namespaces/" + ns_ + "/pods",
         R"({"metadata":{"name":"web"},"spec":{"containers":[{"name":"web","image":"nginx"}]}})");
  }

  static void Post(const std::string& path, const std::string& body) {
    const auto answer = Server().Request("POST", path, body);
    ASSERT_TRUE(answer.has_value());
    ASSERT_EQ(answer->code, 201) << path << answer->body;
  }
  static std::string Out(const std::string& name) {
    return std::filesystem::path(Server().Directory()) / name;
  }
  static int Port() { return std::stoi(Server().Url().substr(Server().Url().rfind(':') + 1)); }

  /// A kubeconfig in YAML's flow style. `cluster`: more members, each with a comma before it.
  [[nodiscard]] std::string Kubeconfig(const std::string& user, const std::string& cluster = "",
                                       bool with_ca = true) const {
    files_.Write("config",
                 "{clusters: [{name: c, cluster: {server: '" + Server().Url() + "'" +
                     (with_ca ? ", certificate-authority: '" + Server().CaFile() + "'" : "") +
                     cluster + "}}], users: [{name: u, user: {" + user +
                     "}}], contexts: [{name: x, context: {cluster: c, user: u}}]," +
                     " current-context: x}");
    return files_.dir() / "config";
  }

  struct Ended {
    int status;
    std::string output;
  };
  [[nodiscard]] ChildProcess StartWatcher(const std::string& kubeconfig,
                                          const std::filesystem::path& output) const {
    std::filesystem::remove(output);
    return ChildProcess::Start({kPodWatcher, "--kubeconfig", kubeconfig, "--namespace", ns_},
                               output)
        .value();
  }
  /// pod-watcher shows the pod, and ends well when it is told to.
  void ExpectWatches(const std::string& kubeconfig) const {
    const auto output = files_.dir() / "output";
    auto process = StartWatcher(kubeconfig, output);
    const std::string line = "INITIAL " + ns_ + "/web";
    EXPECT_TRUE(Eventually(kLimit, [&] { return Has(ReadFile(output), line); }))
        << ReadFile(output);
    process.Signal(SIGTERM);
    EXPECT_EQ(process.Wait(), 0) << ReadFile(output);
  }
  /// pod-watcher ends by itself and says why.
  void ExpectRefused(const std::string& kubeconfig, const std::string& reason) const {
    const auto output = files_.dir() / "output";
    EXPECT_EQ(StartWatcher(kubeconfig, output).Wait(), 1);
    EXPECT_TRUE(Has(ReadFile(output), reason)) << ReadFile(output);
  }

  std::string ns_;
  PluginScript files_;
};

TEST_F(CredentialsTest, ClientCertificatesAsDataAndAsFiles) {
  ExpectWatches(Server().AdminKubeconfig());
  ExpectWatches(Kubeconfig("client-certificate: '" + Out("admin.crt") + "', client-key: '" +
                           Out("admin.key") + "'"));
}

TEST_F(CredentialsTest, TokensAndTokenFiles) {
  ExpectWatches(Kubeconfig("token: '" + ReadFile(Out("admin.token")) + "'"));
  ExpectWatches(Kubeconfig("tokenFile: '" + Out("admin.token") + "'"));
}

TEST_F(CredentialsTest, APlugin) {
  files_.AnswerToken(ReadFile(Out("admin.token")));
  ExpectWatches(
      Kubeconfig("exec: {apiVersion: client.authentication.k8s.io/v1, command: ./plugin,"
                 " interactiveMode: Never}"));
  EXPECT_EQ(files_.Runs(), 1);
}

TEST_F(CredentialsTest, Impersonation) {
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  ExpectWatches(Kubeconfig(admin + ", as: jane, as-uid: '42', as-groups: ['system:masters']"));
  const auto loaded =
      clientcmd::Load({.explicitPath = Kubeconfig(admin + ", as: jane")}, {}).value();
  const auto pods = kubernetes::Clientset::New(loaded.config).value().CoreV1().Pods(ns_).List();
  ASSERT_FALSE(pods.has_value());
  EXPECT_TRUE(Has(pods.error().message, "User \"jane\" cannot ")) << pods.error().ToString();
}

TEST_F(CredentialsTest, TheServerSeesAllOfWhomAKubeconfigActsAs) {
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  const auto loaded =
      clientcmd::Load({.explicitPath = Kubeconfig(
                           admin + ", as: jane, as-uid: '42', as-groups: [dev, ops], "
                                   "as-user-extra: {Scopes: [a, b], 'acme.test/Team %': [x]}")},
                      {})
          .value();
  const auto client = kubernetes::Clientset::New(loaded.config).value();
  const auto review = client.AuthenticationV1().SelfSubjectReviews().Create({});
  ASSERT_TRUE(review.has_value()) << review.error().ToString();
  const auto& seen = review->status.userInfo;
  EXPECT_EQ(seen.username, "jane");
  EXPECT_EQ(seen.uid, "42");
  EXPECT_EQ(seen.groups, (std::vector<std::string>{"dev", "ops", "system:authenticated"}));
  // Header names have no case.
  const StringMap<RequiredList<std::string>> extra{{"scopes", {"a", "b"}},
                                                   {"acme.test/team %", {"x"}}};
  EXPECT_EQ(seen.extra, extra);
}

TEST_F(CredentialsTest, WhoHasNoRightsIsToldWhatIsMissing) {
  ExpectRefused(Server().UserKubeconfig(), "User \"test-user\" cannot ");
}

TEST_F(CredentialsTest, InsecureAndAServerNameOfItsOwn) {
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  ExpectWatches(Kubeconfig(admin, ", insecure-skip-tls-verify: true", false));
  ExpectWatches(Kubeconfig(admin, ", tls-server-name: kubernetes.default.svc"));
}

TEST_F(CredentialsTest, AnHttpAndASocks5Proxy) {
  for (const char* name : {"tinyproxy", "microsocks"}) {
    if (const auto why = ProxyProgram::Unavailable(name); !why.empty()) GTEST_SKIP() << why;
  }
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  const auto http = ProxyProgram::Tinyproxy("user", "s3cret");
  ExpectWatches(Kubeconfig(admin, ", proxy-url: 'http://user:s3cret@" + http.address() + "'"));
  EXPECT_TRUE(http.Logged("CONNECT 127.0.0.1:" + std::to_string(Port())));
  const auto socks = ProxyProgram::Microsocks();
  ExpectWatches(Kubeconfig(admin, ", proxy-url: 'socks5://" + socks.address() + "'"));
  EXPECT_TRUE(socks.Logged("127.0.0.1:" + std::to_string(Port())));
}

TEST_F(CredentialsTest, AProxyOverTlsOfItsOwn) {
  for (const auto& why : {ProxyProgram::Unavailable("tinyproxy"),
                          ProxyProgram::Unavailable("stunnel"), TestAuthority::Unavailable()}) {
    if (!why.empty()) GTEST_SKIP() << why;
  }
  const TestAuthority authority;
  authority.Issue("proxy", "IP:127.0.0.1");
  const auto http = ProxyProgram::Tinyproxy("user", "s3cret");
  const auto proxy = ProxyProgram::Stunnel(authority, "proxy", http.address());
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  const auto through = ", proxy-url: 'https://user:s3cret@" + proxy.address() + "'";
  // One CA for both, as in Go: a file with the server's and the proxy's.
  files_.Write("both.pem", ReadFile(Server().CaFile()) + ReadFile(authority.CaFile()));
  ExpectWatches(Kubeconfig(admin, through + ", certificate-authority: both.pem", false));
  EXPECT_TRUE(http.Logged("CONNECT 127.0.0.1:" + std::to_string(Port())));
  const auto loaded = clientcmd::Load({.explicitPath = Kubeconfig(admin, through)}, {}).value();
  const auto pods = kubernetes::Clientset::New(loaded.config).value().CoreV1().Pods(ns_).List();
  ASSERT_FALSE(pods.has_value());
  EXPECT_EQ(pods.error().kind, ErrorKind::kTls);
  EXPECT_EQ(pods.error().ToString(), "GET /api/v1/namespaces/" + ns_ + "/pods (proxy https://" +
                                         proxy.address() +
                                         "): the proxy's certificate: SSL certificate problem: "
                                         "unable to get local issuer certificate (" +
                                         Server().Url() + ") (" + loaded.config.origin + ")");
}

TEST_F(CredentialsTest, ProxiesOfTheEnvironment) {
  if (const auto why = ProxyProgram::Unavailable("tinyproxy"); !why.empty()) GTEST_SKIP() << why;
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  // This machine by an address for which the environment's proxies count, unlike for 127.0.0.1.
  const auto elsewhere = "0.0.0.0:" + std::to_string(Port());
  const auto server = ", server: 'https://" + elsewhere + "', tls-server-name: localhost";
  struct Variable {
    Variable(const char* name_in, const std::string& value) : name(name_in) {
      setenv(name, value.c_str(), 1);
    }
    ~Variable() { unsetenv(name); }
    const char* name;
  };
  for (const auto& [https_proxy, no_proxy] :
       {std::pair{"HTTPS_PROXY", "NO_PROXY"}, std::pair{"https_proxy", "no_proxy"}}) {
    SCOPED_TRACE(https_proxy);
    const auto proxy = ProxyProgram::Tinyproxy("user", "s3cret");
    const Variable https(https_proxy, "http://user:s3cret@" + proxy.address());
    {
      const Variable none(no_proxy, "10.0.0.0/8,0.0.0.0/32");
      ExpectWatches(Kubeconfig(admin, server));
    }
    ExpectWatches(Kubeconfig(admin));  // 127.0.0.1 is exempt.
    EXPECT_FALSE(proxy.Logged("HTTP/1.1"));
    {
      const Variable none(no_proxy, "10.0.0.0/8,.test");
      ExpectWatches(Kubeconfig(admin, server));
      EXPECT_TRUE(proxy.Logged("CONNECT " + elsewhere));
    }
  }
}

}  // namespace
}  // namespace k8s::test
