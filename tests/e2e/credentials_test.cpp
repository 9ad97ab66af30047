// Every form of credentials, and proxies, against a real kube-apiserver: with the pod-watcher
// example where a kubeconfig can name them, and under running informers where they rotate.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "rest/in_cluster.hpp"
#include "support/child_process.hpp"
#include "support/event_recorder.hpp"
#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/proxy_program.hpp"
#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::Pod;
using nlohmann::json;

#ifdef CLIENT_CPP_POD_WATCHER
constexpr const char* kPodWatcher = CLIENT_CPP_POD_WATCHER;
#else
constexpr const char* kPodWatcher = "";
#endif

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Waits for what no event tells. Returns false after a minute.
template <class Predicate>
bool Soon(Predicate holds) {
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!holds()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
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
    EXPECT_TRUE(Soon([&] { return Has(ReadFile(output), line); })) << ReadFile(output);
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
                                         Server().Url() + ")");
}

TEST_F(CredentialsTest, ProxiesOfTheEnvironment) {
  if (const auto why = ProxyProgram::Unavailable("tinyproxy"); !why.empty()) GTEST_SKIP() << why;
  const auto admin = "tokenFile: '" + Out("admin.token") + "'";
  // This machine by an address for which the environment's proxies count, unlike for 127.0.0.1.
  const auto elsewhere = "0.0.0.0:" + std::to_string(Port());
  const auto server = ", server: 'https://" + elsewhere + "', tls-server-name: localhost";
  const auto proxy = ProxyProgram::Tinyproxy("user", "s3cret");
  const struct Variable {
    Variable(const char* name_in, const std::string& value) : name(name_in) {
      setenv(name, value.c_str(), 1);
    }
    ~Variable() { unsetenv(name); }
    const char* name;
  } https("HTTPS_PROXY", "http://user:s3cret@" + proxy.address());
  {
    const Variable none("NO_PROXY", "10.0.0.0/8,0.0.0.0/32");
    ExpectWatches(Kubeconfig(admin, server));
  }
  ExpectWatches(Kubeconfig(admin));  // 127.0.0.1 is exempt.
  EXPECT_FALSE(proxy.Logged("HTTP/1.1"));
  {
    const Variable none("NO_PROXY", "10.0.0.0/8,.test");
    ExpectWatches(Kubeconfig(admin, server));
    EXPECT_TRUE(proxy.Logged("CONNECT " + elsewhere));
  }
}

/// A service account that may do everything, in the test's namespace.
class ServiceAccountTest : public CredentialsTest {
 protected:
  void SetUp() override {
    CredentialsTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    Post("/api/v1/namespaces/" + ns_ + "/serviceaccounts", R"({"metadata":{"name":"watcher"}})");
    const json binding{
        {"metadata", {{"name", ns_}}},
        {"roleRef",
         {{"apiGroup", "rbac.authorization.k8s.io"},
          {"kind", "ClusterRole"},
          {"name", "cluster-admin"}}},
        {"subjects", {{{"kind", "ServiceAccount"}, {"name", "watcher"}, {"namespace", ns_}}}}};
    Post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding.dump());
  }
  /// A token that is good for as long as the secret of this name exists.
  [[nodiscard]] std::string NewToken(const std::string& secret) const {
    Post("/api/v1/namespaces/" + ns_ + "/secrets", R"({"metadata":{"name":")" + secret + "\"}}");
    const auto answer = Server().Request(
        "POST", "/api/v1/namespaces/" + ns_ + "/serviceaccounts/watcher/token",
        R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":")" + secret +
            "\"}}}");
    return json::parse(answer.value().body)["status"]["token"];
  }
  void Revoke(const std::string& secret) const {
    const auto path = "/api/v1/namespaces/" + ns_ + "/secrets/" + secret;
    EXPECT_EQ(Server().Request("DELETE", path).value().code, 200);
  }
  /// Whether the server refuses the token with 401; it remembers good ones for ten seconds.
  [[nodiscard]] bool IsRefused(const std::string& token) const {
    rest::Config config{.host = Server().Url(), .bearerToken = token};
    config.tls.caFile = Server().CaFile();
    const auto pods = kubernetes::Clientset::New(config).value().CoreV1().Pods(ns_).List();
    return !pods && IsUnauthorized(pods.error());
  }
};

TEST_F(ServiceAccountTest, TheFilesOfAPodAreEnough) {
  files_.Write("token", NewToken("one"));
  files_.Write("namespace", ns_);
  std::filesystem::copy_file(Server().CaFile(), files_.dir() / "ca.crt");
  setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", std::to_string(Port()).c_str(), 1);
  const auto config = rest::detail::InClusterConfigFrom(files_.dir());
  const auto name_space = rest::detail::InClusterNamespaceFrom(files_.dir());
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(config.has_value()) << config.error().ToString();
  EXPECT_EQ(name_space, ns_);
  const auto client = kubernetes::Clientset::New(*config).value();
  const auto pods = client.CoreV1().Pods(name_space).List();
  ASSERT_TRUE(pods.has_value()) << pods.error().ToString();
  EXPECT_EQ(pods->items.size(), 1U);
}

/// Runs an informer for the namespace's pods until the end of the test.
class RunningInformer {
 public:
  RunningInformer(const rest::Config& config, const std::string& name_space)
      : informer_(cache::SharedIndexInformer<Pod>::New(cache::NewListWatchFromClient(
            kubernetes::Clientset::New(config).value().CoreV1().Pods(name_space).core()))),
        running_([this](const std::stop_token& stop) { (void)informer_.Run(stop); }) {}

  [[nodiscard]] bool WaitForSync() const {
    return Soon([this] { return informer_.HasSynced(); });
  }
  [[nodiscard]] cache::InformerStatus Status() const { return informer_.core()->Status(); }

 private:
  cache::SharedIndexInformer<Pod> informer_;
  std::jthread running_;
};

TEST_F(ServiceAccountTest, ATokenRotatedUnderARunningInformerCostsOneReconnect) {
  const auto one = NewToken("one");
  const auto two = NewToken("two");
  files_.Write("token", one);
  StallingProxy wire(Port());
  rest::Config config{.host = "https://127.0.0.1:" + std::to_string(wire.port()),
                      .bearerTokenFile = files_.dir() / "token"};
  config.tls.caFile = Server().CaFile();
  const RunningInformer informer(config, ns_);
  ASSERT_TRUE(informer.WaitForSync());
  files_.Write("token", two);
  Revoke("one");
  ASSERT_TRUE(Soon([&] { return IsRefused(one); }));

  // The token that was read before is not old yet: the first request is refused and sent once more.
  const auto before = informer.Status();
  wire.Cut();
  ASSERT_TRUE(Soon([&] { return informer.Status().watchesOpened > before.watchesOpened; }));
  EXPECT_EQ(informer.Status().watchesOpened, before.watchesOpened + 1);
  EXPECT_EQ(informer.Status().relists, before.relists);
}

TEST(ClientCertificateTest, OneRotatedUnderARunningInformerCountsFromTheNextConnectionOn) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  const TestAuthority other;
  authority.Issue("one", "DNS:one.test");
  other.Issue("two", "DNS:two.test");
  std::ofstream(authority.Path("clients.pem")) << authority.Read("ca.pem") << other.Read("ca.pem");
  auto started = RealServer::Start({"--", "--client-ca-file=" + authority.Path("clients.pem")});
  ASSERT_TRUE(started.has_value()) << started.error().ToString();
  auto& server = **started;
  for (const char* user : {"one", "two"}) {
    const json binding{
        {"metadata", {{"name", user}}},
        {"roleRef",
         {{"apiGroup", "rbac.authorization.k8s.io"},
          {"kind", "ClusterRole"},
          {"name", "cluster-admin"}}},
        {"subjects",
         {{{"kind", "User"}, {"apiGroup", "rbac.authorization.k8s.io"}, {"name", user}}}}};
    const auto made = server.Request(
        "POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", binding.dump());
    ASSERT_EQ(made.value().code, 201) << made->body;
  }
  StallingProxy wire(std::stoi(server.Url().substr(server.Url().rfind(':') + 1)));
  rest::Config config{.host = "https://127.0.0.1:" + std::to_string(wire.port())};
  config.tls.caFile = server.CaFile();
  config.tls.certFile = authority.Path("live.pem");
  config.tls.keyFile = authority.Path("live.key");
  const auto install = [&](const TestAuthority& from, const std::string& name) {
    std::ofstream(config.tls.certFile) << from.Read(name + ".pem");
    std::ofstream(config.tls.keyFile) << from.Read(name + ".key");
  };
  install(authority, "one");
  const RunningInformer informer(config, "default");
  ASSERT_TRUE(informer.WaitForSync());

  install(other, "two");
  // The server reads its file again, and refuses whoever still shows a certificate of the first.
  std::ofstream(authority.Path("clients.pem")) << other.Read("ca.pem");
  rest::Config old{.host = server.Url()};
  old.tls = {.caFile = server.CaFile(),
             .certFile = authority.Path("one.pem"),
             .keyFile = authority.Path("one.key")};
  const auto client = kubernetes::Clientset::New(old).value();
  ASSERT_TRUE(Soon([&] {
    const auto pods = client.CoreV1().Pods("default").List();
    return !pods && IsUnauthorized(pods.error());
  }));
  const auto before = informer.Status();
  wire.Cut();
  ASSERT_TRUE(Soon([&] { return informer.Status().watchesOpened > before.watchesOpened; }));
  EXPECT_EQ(informer.Status().watchesOpened, before.watchesOpened + 1);
  EXPECT_EQ(informer.Status().relists, before.relists);
}

}  // namespace
}  // namespace k8s::test
