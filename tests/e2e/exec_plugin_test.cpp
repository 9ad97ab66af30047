// Credential plugins, named by a kubeconfig, against a real kube-apiserver.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>

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
  /// A client of a kubeconfig whose only credential is the script.
  static kubernetes::Clientset Connect(const PluginScript& script) {
    script.Write("config", "clusters: [{name: c, cluster: {server: '" + Server().Url() +
                               "', certificate-authority: '" + Server().CaFile() +
                               "'}}]\n"
                               "users:\n- name: u\n  user:\n    exec:\n"
                               "      apiVersion: client.authentication.k8s.io/v1\n"
                               "      command: ./plugin\n      interactiveMode: Never\n"
                               "      provideClusterInfo: true\n"
                               "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
                               "current-context: x\n");
    const auto config = clientcmd::BuildConfigFromFlags("", script.dir() / "config").value();
    return kubernetes::Clientset::New(config).value();
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

}  // namespace
}  // namespace k8s::test
