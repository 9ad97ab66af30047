#include <gtest/gtest.h>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/certificates/v1.hpp>
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

TEST_F(ExpansionsTest, ScalesEverythingThatHasReplicas) {
  const auto ask = [&](const auto& client) {
    transport_->Add(Body(kScale));
    EXPECT_EQ(client.GetScale("web").value().status.replicas, 1);
    return LastRequest().target;
  };
  EXPECT_EQ(ask(client_.AppsV1().ReplicaSets("d")),
            "/apis/apps/v1/namespaces/d/replicasets/web/scale");
  EXPECT_EQ(ask(client_.AppsV1().StatefulSets("d")),
            "/apis/apps/v1/namespaces/d/statefulsets/web/scale");
  EXPECT_EQ(ask(client_.CoreV1().ReplicationControllers("d")),
            "/api/v1/namespaces/d/replicationcontrollers/web/scale");
}

TEST_F(ExpansionsTest, UpdatesPartsOfAPod) {
  constexpr const char* kPod = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})";
  transport_->Add(Body(kPod));
  transport_->Add(Body(kPod));
  const auto pods = client_.CoreV1().Pods("d");
  corev1::Pod pod;
  pod.spec.ephemeralContainers.push_back({.name = "debug"});
  EXPECT_TRUE(pods.UpdateEphemeralContainers("a", pod, {.fieldManager = "me"}));
  EXPECT_EQ(LastRequest().method, "PUT");
  EXPECT_EQ(LastRequest().target,
            "/api/v1/namespaces/d/pods/a/ephemeralcontainers?fieldManager=me");
  EXPECT_NE(LastRequest().body.find(R"("metadata":{"name":"a"})"), std::string::npos);
  EXPECT_TRUE(pods.UpdateResize("a", pod));
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/pods/a/resize");
  EXPECT_EQ(pods.UpdateResize("", pod).error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestFinalize (fake namespaces)
TEST_F(ExpansionsTest, FinalizesANamespace) {
  transport_->Add(Body(R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"}})"));
  EXPECT_TRUE(client_.CoreV1().Namespaces().Finalize(corev1::Namespace{.metadata = {.name = "n"}}));
  EXPECT_EQ(LastRequest().method, "PUT");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/n/finalize");
}

TEST_F(ExpansionsTest, ApprovesASigningRequest) {
  transport_->Add(Body(
      R"({"kind":"CertificateSigningRequest","apiVersion":"certificates.k8s.io/v1","metadata":{"name":"r"},"spec":{"request":"","signerName":"s"}})"));
  certificatesv1::CertificateSigningRequest request;
  request.status.conditions.push_back({.type = "Approved", .status = "True"});
  EXPECT_TRUE(client_.CertificatesV1().CertificateSigningRequests().UpdateApproval("r", request));
  EXPECT_EQ(LastRequest().target,
            "/apis/certificates.k8s.io/v1/certificatesigningrequests/r/approval");
  EXPECT_NE(LastRequest().body.find(R"("type":"Approved")"), std::string::npos);
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
