#include <gtest/gtest.h>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/policy/v1.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

constexpr const char* kScale =
    R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web","resourceVersion":"3"},"spec":{"replicas":2},"status":{"replicas":1}})";
constexpr const char* kSuccess = R"({"kind":"Status","apiVersion":"v1","status":"Success"})";

class ExpansionsTest : public ::testing::Test {
 protected:
  [[nodiscard]] rest::HttpRequest LastRequest() const { return transport_->requests().back(); }
  std::string NextLine(kubernetes::LogStream& logs) {
    auto line = logs.ReadLine();
    return line && *line ? **line : "none";
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  kubernetes::Clientset client_{rest::Client::New({.qps = -1}, transport_)};
};

TEST_F(ExpansionsTest, ReadsWritesAndAppliesAScale) {
  for (int i = 0; i < 3; ++i) transport_->Add(Body(kScale));
  const auto deployments = client_.AppsV1().Deployments("d");
  auto scale = deployments.GetScale("web").value();
  EXPECT_EQ(scale.spec.replicas, 2);
  EXPECT_EQ(LastRequest().target, "/apis/apps/v1/namespaces/d/deployments/web/scale");
  scale.spec.replicas = 5;
  EXPECT_TRUE(deployments.UpdateScale("web", scale));
  EXPECT_EQ(LastRequest().method, "PUT");
  EXPECT_TRUE(LastRequest().body.starts_with(R"({"kind":"Scale","apiVersion":"autoscaling/v1",)"));
  EXPECT_NE(LastRequest().body.find(R"("replicas":5)"), std::string::npos);
  EXPECT_TRUE(deployments.ApplyScale("web", "{}", {.fieldManager = "me", .force = true}));
  EXPECT_EQ(LastRequest().target,
            "/apis/apps/v1/namespaces/d/deployments/web/scale?fieldManager=me&force=true");
}

// client-go: TestFakePodsEvict
TEST_F(ExpansionsTest, EvictsAndBindsPods) {
  transport_->Add(Body(kSuccess, 201));
  transport_->Add(Body(kSuccess, 201));
  const auto pods = client_.CoreV1().Pods("d");
  EXPECT_TRUE(pods.EvictV1(policyv1::Eviction{.metadata = {.name = "a"}}));
  EXPECT_EQ(LastRequest().method, "POST");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/pods/a/eviction");
  EXPECT_TRUE(LastRequest().body.starts_with(R"({"kind":"Eviction","apiVersion":"policy/v1",)"));
  EXPECT_TRUE(pods.Bind(
      corev1::Binding{.metadata = {.name = "a"}, .target = {.kind = "Node", .name = "n"}}));
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/pods/a/binding");
  EXPECT_EQ(pods.EvictV1(policyv1::Eviction{}).error().kind, ErrorKind::kInvalidArgument);
}

TEST_F(ExpansionsTest, CreatesTokens) {
  transport_->Add(Body(
      R"({"kind":"TokenRequest","apiVersion":"authentication.k8s.io/v1","metadata":{},"spec":{"audiences":["x"]},"status":{"token":"t","expirationTimestamp":null}})",
      201));
  const auto token = client_.CoreV1().ServiceAccounts("d").CreateToken(
      "default", authenticationv1::TokenRequest{});
  EXPECT_EQ(token.value().status.token, "t");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/serviceaccounts/default/token");
}

TEST_F(ExpansionsTest, ReadsLogsLineByLine) {
  transport_->Add(
      {.headers = {{"Content-Type", "text/plain"}}, .chunks = {"one\ntw", "o\n\nla", "st"}});
  auto logs = client_.CoreV1()
                  .Pods("d")
                  .GetLogs("a", {.container = "c",
                                 .follow = true,
                                 .sinceSeconds = 5,
                                 .timestamps = true,
                                 .tailLines = 0})
                  .value();
  EXPECT_EQ(LastRequest().target,
            "/api/v1/namespaces/d/pods/a/"
            "log?container=c&follow=true&sinceSeconds=5&tailLines=0&timestamps=true");
  EXPECT_EQ(LastRequest().idleTimeout.count(), 0);
  EXPECT_EQ(NextLine(logs), "one");
  EXPECT_EQ(NextLine(logs), "two");
  EXPECT_EQ(NextLine(logs), "");
  EXPECT_EQ(NextLine(logs), "last");
  EXPECT_EQ(NextLine(logs), "none");
}

TEST_F(ExpansionsTest, LogsFailAndStopAsStreamsDo) {
  transport_->Add({.chunks = {"all\nof it"}});
  EXPECT_EQ(client_.CoreV1().Pods("d").GetLogs("a").value().ReadAll().value(), "all\nof it");
  EXPECT_GT(LastRequest().idleTimeout.count(), 0);
  transport_->Add({.chunks = {"half"}, .end = Error{.kind = ErrorKind::kConnectionLost}});
  auto cut = client_.CoreV1().Pods("d").GetLogs("a").value();
  EXPECT_EQ(cut.ReadLine().error().kind, ErrorKind::kConnectionLost);
  transport_->Add({.chunks = {"x"}});
  auto stopped = client_.CoreV1().Pods("d").GetLogs("a").value();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(stopped.ReadLine(stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST_F(ExpansionsTest, AppliesFields) {
  transport_->Add(Body(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})"));
  const auto maps = client_.CoreV1().ConfigMaps("d");
  EXPECT_TRUE(maps.Apply("a", "{}", {.fieldManager = "me", .dryRun = {"All"}}));
  EXPECT_EQ(LastRequest().target,
            "/api/v1/namespaces/d/configmaps/a?dryRun=All&fieldManager=me&force=false");
  EXPECT_EQ(maps.Apply("a", "{}", {}).error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace k8s::test
