// Credentials that end, and are renewed, under informers that run: against a real kube-apiserver.

#include <gtest/gtest.h>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "rest/in_cluster.hpp"
#include "support/event_recorder.hpp"
#include "support/log_lines.hpp"
#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"
#include "support/watcher.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::Pod;
using nlohmann::json;

// For broken programs only.
constexpr auto kLimit = 60s;

bool Has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// As expirationTimestamp has it: "2026-01-02T03:04:05Z".
std::string Timestamp(std::time_t time) {
  std::array<char, 32> text{};
  std::tm parts{};
  std::strftime(text.data(), text.size(), "%FT%TZ", gmtime_r(&time, &parts));
  return text.data();
}

/// A volume of a pod as kubelet keeps it: each file is a link through the folder "..data", which is
/// itself a link, so that all files change at once.
class ProjectedVolume {
 public:
  /// In an empty folder.
  explicit ProjectedVolume(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Replaces the contents of all files by name.
  void Publish(const std::map<std::string, std::string>& files) {
    const auto before = Version();
    ++version_;
    std::filesystem::create_directory(Version());
    for (const auto& [name, text] : files) {
      std::ofstream(Version() / name) << text;
      if (version_ == 1) std::filesystem::create_symlink("..data/" + name, folder_ / name);
    }
    std::filesystem::create_symlink(Version().filename(), folder_ / "..data_tmp");
    std::filesystem::rename(folder_ / "..data_tmp", folder_ / "..data");
    std::filesystem::remove_all(before);
  }
  [[nodiscard]] std::string path() const { return folder_; }

 private:
  [[nodiscard]] std::filesystem::path Version() const {
    return folder_ / ("..version_" + std::to_string(version_));
  }

  const std::filesystem::path folder_;
  int version_ = 0;
};

/// Runs an informer for the namespace's pods until the end of the test.
class RunningInformer {
 public:
  RunningInformer(const rest::Config& config, std::string name_space)
      : ns_(std::move(name_space)),
        client_(kubernetes::Clientset::New(config).value()),
        informer_(cache::SharedIndexInformer<Pod>::New(
            cache::NewListWatchFromClient(client_.CoreV1().Pods(ns_).core()))) {
    informer_.AddEventHandler(seen_.Handlers()).value();
    running_ = std::jthread([this](const std::stop_token& stop) { (void)informer_.Run(stop); });
  }

  [[nodiscard]] bool HearsOf(const std::string& pod) {
    return seen_.WaitForEvent("add " + ns_ + "/" + pod);
  }
  [[nodiscard]] cache::InformerStatus Status() const { return informer_.Status(); }
  [[nodiscard]] const kubernetes::Clientset& client() const { return client_; }

 private:
  const std::string ns_;
  const kubernetes::Clientset client_;
  EventRecorder<Pod> seen_;
  const cache::SharedIndexInformer<Pod> informer_;
  std::jthread running_;
};

/// Whom the server takes a client for; what is wrong if it does not know.
std::string UserOf(const kubernetes::Clientset& client) {
  const auto review = client.AuthenticationV1().SelfSubjectReviews().Create({});
  return review ? review->status.userInfo.username : review.error().ToString();
}

/// Who has credentials from somewhere, and how these are renewed there.
struct Bearer {
  const char* name;
  rest::Config config;
  std::function<void()> renew;
};

class RotationTest : public RealServerTest {
 protected:
  void SetUp() override {
    if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
    if (clients_ == nullptr) clients_ = std::make_unique<TestAuthority>();
    RealServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    ns_ = NewNamespace();
    Allow({{{"kind", "Group"}, {"name", "system:serviceaccounts:" + ns_}},
           {{"kind", "User"}, {"name", "one"}},
           {{"kind", "User"}, {"name", "two"}}});
    wire_ = std::make_unique<StallingProxy>(Port());
  }
  static void TearDownTestSuite() {
    RealServerTest::TearDownTestSuite();
    clients_.reset();
  }
  /// Which authorities' client certificates count is what this file says at the time.
  [[nodiscard]] std::vector<std::string> Flags() const override {
    return {"--", "--client-ca-file=" + clients_->CaFile()};
  }

  static int Port() { return std::stoi(Server().Url().substr(Server().Url().rfind(':') + 1)); }
  static void Post(const std::string& path, const json& body) {
    const auto answer = Server().Request("POST", path, body.dump());
    ASSERT_TRUE(answer.has_value());
    ASSERT_EQ(answer->code, 201) << path << answer->body;
  }
  [[nodiscard]] std::string Namespaced(const std::string& path) const {
    return "/api/v1/namespaces/" + ns_ + "/" + path;
  }
  void Allow(const json& subjects) const {
    Post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
         {{"metadata", {{"name", ns_}}},
          {"roleRef",
           {{"apiGroup", "rbac.authorization.k8s.io"},
            {"kind", "ClusterRole"},
            {"name", "cluster-admin"}}},
          {"subjects", subjects}});
  }
  void MakePod(const std::string& name) const {
    Post(Namespaced("pods"), {{"metadata", {{"name", name}}},
                              {"spec", {{"containers", {{{"name", "c"}, {"image", "c"}}}}}}});
  }
  /// Makes a service account. Returns a token of it, good for as long as the account is there.
  [[nodiscard]] std::string NewAccount(const std::string& name) const {
    Post(Namespaced("serviceaccounts"), {{"metadata", {{"name", name}}}});
    const auto answer =
        Server().Request("POST", Namespaced("serviceaccounts/" + name + "/token"), "{}");
    return json::parse(answer.value().body)["status"]["token"];
  }
  /// The server believes who has a certificate of these, and soon nobody else.
  static void Trust(const std::string& authorities) {
    std::ofstream(clients_->CaFile()) << authorities;
  }

  /// A configuration without credentials.
  [[nodiscard]] static rest::Config ConfigFor(const std::string& url) {
    rest::Config config{.host = url};
    config.tls.caFile = Server().CaFile();
    return config;
  }
  /// The same, through the wire that the tests cut.
  [[nodiscard]] rest::Config Config() const {
    return ConfigFor("https://127.0.0.1:" + std::to_string(wire_->port()));
  }
  [[nodiscard]] static rest::Config WithToken(rest::Config config, const std::string& token) {
    config.bearerToken = token;
    return config;
  }
  [[nodiscard]] static rest::Config WithFiles(rest::Config config, const TestAuthority& folder,
                                              const std::string& name) {
    config.tls.certFile = folder.Path(name + ".pem");
    config.tls.keyFile = folder.Path(name + ".key");
    return config;
  }
  [[nodiscard]] static rest::Config WithPlugin(rest::Config config, const PluginScript& script) {
    config.exec = script.Exec();
    return config;
  }
  static void Copy(const TestAuthority& from, const std::string& name, const TestAuthority& to) {
    std::ofstream(to.Path("live.pem")) << from.Read(name + ".pem");
    std::ofstream(to.Path("live.key")) << from.Read(name + ".key");
  }

  /// Waits until somebody may list pods, or is refused with 401; a server needs time for both.
  [[nodiscard]] bool SoonWelcome(rest::Config config, bool welcome = true) const {
    config.qps = -1;
    const auto pods = kubernetes::Clientset::New(config).value().CoreV1().Pods(ns_);
    return Eventually(kLimit, [&] {
      const auto listed = pods.List();
      return welcome ? listed.has_value() : !listed && IsUnauthorized(listed.error());
    });
  }

  /// Runs an informer for each. Renews what they have, and by `end` makes the server refuse what
  /// they had, while their watches are open; then cuts the connections. Nobody misses anything, and
  /// all go on as `user`.
  void ExpectOneReconnectEach(const std::vector<Bearer>& bearers, const std::function<void()>& end,
                              const std::string& user) const {
    std::deque<RunningInformer> informers;
    const auto expect_all_hear_of = [&](const std::string& pod) {
      MakePod(pod);
      for (std::size_t i = 0; i < bearers.size(); ++i) {
        EXPECT_TRUE(informers[i].HearsOf(pod)) << bearers[i].name << " " << pod;
      }
    };
    for (const auto& bearer : bearers) informers.emplace_back(bearer.config, ns_);
    expect_all_hear_of("before");
    for (const auto& bearer : bearers) bearer.renew();
    end();
    if (HasFailure()) return;
    // The server ends no watch for that.
    expect_all_hear_of("meanwhile");
    std::vector<cache::InformerStatus> before;
    for (const auto& informer : informers) before.push_back(informer.Status());
    wire_->Cut();
    expect_all_hear_of("after");
    for (std::size_t i = 0; i < bearers.size(); ++i) {
      SCOPED_TRACE(bearers[i].name);
      const auto now = informers[i].Status();
      EXPECT_EQ(now.relists, 1U);
      EXPECT_EQ(now.watchesOpened, before[i].watchesOpened + 1);
      EXPECT_EQ(now.failures, before[i].failures + 1);  // The cut.
      EXPECT_EQ(UserOf(informers[i].client()), user);
    }
  }

  static inline std::unique_ptr<TestAuthority> clients_;
  std::string ns_;
  std::unique_ptr<StallingProxy> wire_;
};

TEST_F(RotationTest, TokensThatEndUnderRunningInformersCostOneReconnectEach) {
  const auto one = NewAccount("one");
  const auto two = NewAccount("two");
  ASSERT_TRUE(SoonWelcome(WithToken(ConfigFor(Server().Url()), one)));
  const auto expiry = std::time(nullptr) + 2;

  const PluginScript expires;
  expires.Answer(json{{"token", one}, {"expirationTimestamp", Timestamp(expiry)}}.dump());
  const PluginScript lasts;
  lasts.AnswerToken(one);
  const PluginScript files;
  files.Write("token", one);
  std::filesystem::create_directory(files.dir() / "volume");
  ProjectedVolume volume(files.dir() / "volume");
  const auto publish = [&](const std::string& token) {
    volume.Publish({{"token", token}, {"ca.crt", ReadFile(Server().CaFile())}, {"namespace", ns_}});
  };
  publish(one);
  setenv("KUBERNETES_SERVICE_HOST", "127.0.0.1", 1);
  setenv("KUBERNETES_SERVICE_PORT", std::to_string(wire_->port()).c_str(), 1);
  const auto in_cluster = rest::detail::InClusterConfigFrom(volume.path());
  EXPECT_EQ(rest::detail::InClusterNamespaceFrom(volume.path()), ns_);
  unsetenv("KUBERNETES_SERVICE_HOST");
  unsetenv("KUBERNETES_SERVICE_PORT");
  ASSERT_TRUE(in_cluster.has_value()) << in_cluster.error().ToString();

  auto logs_requests = WithPlugin(Config(), expires);
  logs_requests.verbosity = 6;
  auto reads_file = Config();
  reads_file.bearerTokenFile = files.dir() / "token";
  const LogLines log;
  ExpectOneReconnectEach(
      {{"a plugin's that expires", logs_requests, [&] { expires.AnswerToken(two); }},
       {"a plugin's that is revoked", WithPlugin(Config(), lasts), [&] { lasts.AnswerToken(two); }},
       {"a file's", reads_file, [&] { files.Write("token", two); }},
       {"a pod's", *in_cluster, [&] { publish(two); }}},
      [&] {
        const auto account = Server().Request("DELETE", Namespaced("serviceaccounts/one"));
        ASSERT_EQ(account.value().code, 200) << account->body;
        // It remembers for ten seconds that a token was good.
        ASSERT_TRUE(SoonWelcome(WithToken(ConfigFor(Server().Url()), one), false));
        ASSERT_TRUE(Eventually(kLimit, [&] { return std::time(nullptr) > expiry; }));
      },
      "system:serviceaccount:" + ns_ + ":two");
  EXPECT_EQ(expires.Runs(), 2);
  EXPECT_EQ(lasts.Runs(), 2);
  // What has expired is not tried any more.
  EXPECT_TRUE(Has(log.Text(), " 200 in ")) << log.Text();
  EXPECT_FALSE(Has(log.Text(), " 401 in ")) << log.Text();
}

TEST_F(RotationTest, ClientCertificatesThatEndUnderRunningInformersCostOneReconnectEach) {
  const TestAuthority old;
  const TestAuthority fresh;
  old.Issue("one", "DNS:one.test");
  fresh.Issue("two", "DNS:two.test");
  Trust(old.Read("ca.pem") + fresh.Read("ca.pem"));
  const auto one = WithFiles(ConfigFor(Server().Url()), old, "one");
  ASSERT_TRUE(SoonWelcome(one));
  const auto expiry = std::time(nullptr) + 2;

  Copy(old, "one", old);
  const PluginScript lasts;
  lasts.AnswerCertificate(old.Read("one.pem"), old.Read("one.key"));
  const PluginScript expires;
  expires.Answer(json{{"clientCertificateData", old.Read("one.pem")},
                      {"clientKeyData", old.Read("one.key")},
                      {"expirationTimestamp", Timestamp(expiry)}}
                     .dump());
  const auto renew = [&fresh](const PluginScript& plugin) {
    plugin.AnswerCertificate(fresh.Read("two.pem"), fresh.Read("two.key"));
  };
  ExpectOneReconnectEach(
      {{"in files", WithFiles(Config(), old, "live"), [&] { Copy(fresh, "two", old); }},
       {"a plugin's that is revoked", WithPlugin(Config(), lasts), [&] { renew(lasts); }},
       {"a plugin's that expires", WithPlugin(Config(), expires), [&] { renew(expires); }}},
      [&] {
        Trust(fresh.Read("ca.pem"));
        ASSERT_TRUE(SoonWelcome(one, false));
        ASSERT_TRUE(Eventually(kLimit, [&] { return std::time(nullptr) > expiry; }));
      },
      "two");
  EXPECT_EQ(lasts.Runs(), 2);
  EXPECT_EQ(expires.Runs(), 2);
}

TEST_F(RotationTest, AnExpiredCertificateIsToldAndItsSuccessorFound) {
  const TestAuthority authority;
  authority.Issue("two", "DNS:two.test");
  authority.Openssl("req -new -key two.key -subj /CN=one -out one.csr");
  authority.Openssl(
      "x509 -req -days -1 -set_serial 3 -in one.csr -CA ca.pem -CAkey ca.key -out one.pem");
  std::filesystem::copy_file(authority.Path("two.key"), authority.Path("one.key"));
  Trust(authority.Read("ca.pem"));
  ASSERT_TRUE(SoonWelcome(WithFiles(ConfigFor(Server().Url()), authority, "two")));

  Copy(authority, "one", authority);
  const LogLines log;
  RunningInformer informer(WithFiles(Config(), authority, "live"), ns_);
  ASSERT_TRUE(Eventually(kLimit, [&] { return informer.Status().lastError.has_value(); }));
  const auto error = informer.client().CoreV1().Pods(ns_).List().error();
  EXPECT_TRUE(IsUnauthorized(error)) << error.ToString();
  EXPECT_TRUE(IsUnauthorized(*informer.Status().lastError)) << log.Text();
  // The server's own words do not say why.
  EXPECT_TRUE(Has(error.message, "does not accept the client certificate " +
                                     authority.Path("live.pem") + ", which has expired, at "))
      << error.message;
  EXPECT_TRUE(
      Has(log.Text(), "the client-certificate " + authority.Path("live.pem") + " has expired, at "))
      << log.Text();
  EXPECT_FALSE(informer.Status().synced);

  Copy(authority, "two", authority);
  MakePod("after");
  EXPECT_TRUE(informer.HearsOf("after"));
  EXPECT_EQ(UserOf(informer.client()), "two");
}

}  // namespace
}  // namespace k8s::test
