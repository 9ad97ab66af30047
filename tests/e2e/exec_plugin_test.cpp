// Credential plugins, named by a kubeconfig, against a real kube-apiserver.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <latch>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/openssl_server.hpp"
#include "support/plugin_script.hpp"
#include "support/real_server.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

class ExecPluginServerTest : public RealServerTest {
 protected:
  static std::string ReadOut(const std::string& name) {
    return ReadFile(std::filesystem::path(Server().Directory()) / name);
  }
  /// Of a kubeconfig whose only credential is the script.
  static rest::Config ConfigFor(const PluginScript& script) {
    script.Write("config", "clusters: [{name: c, cluster: {server: '" + Server().Url() +
                               "', certificate-authority: '" + Server().CaFile() +
                               "'}}]\n"
                               "users:\n- name: u\n  user:\n    exec:\n"
                               "      apiVersion: client.authentication.k8s.io/v1\n"
                               "      command: ./plugin\n      interactiveMode: Never\n"
                               "      provideClusterInfo: true\n"
                               "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                               "current-context: x\n");
    return clientcmd::BuildConfigFromFlags("", script.dir() / "config").value();
  }
  static kubernetes::Clientset Connect(const PluginScript& script) {
    return kubernetes::Clientset::New(ConfigFor(script)).value();
  }
};

TEST_F(ExecPluginServerTest, ATokenThatTheServerRefusesIsRotated) {
  const PluginScript script("cat answer; cp next answer");
  script.AnswerToken(ReadOut("admin.token"));
  std::filesystem::rename(script.dir() / "answer", script.dir() / "next");
  script.AnswerToken("revoked");
  const auto client = Connect(script);
  for (int i = 0; i < 2; ++i) {
    const auto pods = client.CoreV1().Pods("default").List();
    ASSERT_TRUE(pods.has_value()) << pods.error().ToString();
  }
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(ExecPluginServerTest, ATokenThatIsNeverGoodIsUnauthorized) {
  const PluginScript script;
  script.AnswerToken("unknown");
  const auto pods = Connect(script).CoreV1().Pods("default").List();
  ASSERT_FALSE(pods.has_value());
  EXPECT_TRUE(IsUnauthorized(pods.error())) << pods.error().ToString();
  EXPECT_EQ(script.Runs(), 2);
}

TEST_F(ExecPluginServerTest, AConnectionServesOneCertificateOnly) {
  const nlohmann::json token = {{"token", ReadOut("user.token")},
                                {"expirationTimestamp", "2020-01-01T00:00:00Z"}};
  const nlohmann::json certificate = {{"clientCertificateData", ReadOut("admin.crt")},
                                      {"clientKeyData", ReadOut("admin.key")},
                                      {"expirationTimestamp", "2020-01-01T00:00:00Z"}};
  const PluginScript script;
  script.Answer(token.dump());
  const auto client = Connect(script);
  const auto list = [&client] { return client.CoreV1().Pods("default").List(); };
  EXPECT_TRUE(IsForbidden(list().error()));
  script.Answer(certificate.dump());
  EXPECT_TRUE(list().has_value());
  // The server looks at a certificate before it looks at a token.
  script.Answer(token.dump());
  EXPECT_TRUE(IsForbidden(list().error()));
}

TEST_F(ExecPluginServerTest, InformersWorkWithAClientCertificate) {
  const PluginScript script("printf %s \"$KUBERNETES_EXEC_INFO\" >info; cat answer");
  script.AnswerCertificate(ReadOut("admin.crt"), ReadOut("admin.key"));
  std::stop_source stop;
  informers::SharedInformerFactory factory(Connect(script));
  const auto pods = factory.Core().V1().Pods().Informer();
  const auto namespaces = factory.Core().V1().Namespaces().Lister();
  factory.Start(stop.get_token());
  const auto synced = factory.WaitForCacheSync(stop.get_token(), 60s);
  ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  EXPECT_TRUE(pods.HasSynced());
  EXPECT_NE(namespaces.Get("default"), nullptr);
  EXPECT_EQ(script.Runs(), 1);
  const auto info = nlohmann::json::parse(script.Read("info"));
  EXPECT_EQ(info["spec"]["cluster"]["server"], Server().Url());
  EXPECT_TRUE(info["spec"]["cluster"].contains("certificate-authority-data"));
}

TEST_F(ExecPluginServerTest, InformersAndRequestsAtATimeShareOneRun) {
  constexpr int kRequests = 10;
  // As long as the gate is there and somebody holds it open for writing, the plugin waits.
  const PluginScript script("[ ! -p gate ] || cat gate; cat answer");
  script.AnswerToken(ReadOut("admin.token"));
  const std::string gate = script.dir() / "gate";
  ASSERT_EQ(mkfifo(gate.c_str(), 0600), 0);
  const auto config = ConfigFor(script);
  std::stop_source stop;
  informers::SharedInformerFactory factory(kubernetes::Clientset::New(config).value());
  (void)factory.Core().V1().Pods().Informer();
  (void)factory.Core().V1().Namespaces().Informer();
  factory.Start(stop.get_token());
  std::latch asking(kRequests);
  std::atomic<int> answered = 0;
  std::vector<std::jthread> threads;
  for (int i = 0; i < kRequests; ++i) {
    threads.emplace_back([&] {
      const auto pods = kubernetes::Clientset::New(config).value().CoreV1().Pods("default");
      asking.count_down();
      answered += pods.List().has_value() ? 1 : 0;
    });
  }
  const int open_gate = open(gate.c_str(), O_WRONLY | O_CLOEXEC);  // Waits for the plugin.
  asking.wait();
  std::filesystem::remove(gate);
  close(open_gate);
  threads.clear();
  const auto synced = factory.WaitForCacheSync(stop.get_token(), 60s);
  EXPECT_TRUE(synced.has_value()) << synced.error().ToString();
  EXPECT_EQ(answered, kRequests);
  EXPECT_EQ(script.Runs(), 1);
}

TEST_F(ExecPluginServerTest, AnInformerRecoversFromAPluginThatHangs) {
  const PluginScript script("[ -e works ] || { : >works; exec sleep 1000; }; cat answer");
  script.AnswerToken(ReadOut("admin.token"));
  auto config = ConfigFor(script);
  config.exec.timeout = 1s;
  const auto client = kubernetes::Clientset::New(config).value();
  const auto informer = cache::SharedIndexInformer<corev1::Namespace>::New(
      cache::NewListWatchFromClient(client.CoreV1().Namespaces().core()));
  EventRecorder<corev1::Namespace> seen;
  informer.AddEventHandler(seen.Handlers()).value();
  std::vector<Error> errors;
  ASSERT_TRUE(informer.SetWatchErrorHandler([&](const Error& error) { errors.push_back(error); }));
  {
    const std::jthread running([&](const std::stop_token& stop) { (void)informer.Run(stop); });
    EXPECT_TRUE(seen.WaitForEvent("add default"));
  }
  ASSERT_FALSE(errors.empty());
  EXPECT_EQ(errors[0].kind, ErrorKind::kTimeout);
  const std::string reason = "exec plugin \"" + script.path() +
                             "\" (context \"x\", cluster \"c\", " + "user \"u\", kubeconfig " +
                             (script.dir() / "config").string() +
                             "): no answer within its time limit; killed";
  EXPECT_EQ(errors[0].message, reason);
  // On a slow machine the next run may last too long as well.
  EXPECT_EQ(script.Runs(), static_cast<int>(errors.size()) + 1);
}

}  // namespace
}  // namespace k8s::test
