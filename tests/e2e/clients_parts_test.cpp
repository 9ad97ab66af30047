// Sub-resources against the real API server.

#include <gtest/gtest.h>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/certificates/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/policy/v1.hpp>
#include <k8s/bytes.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <string>

#include "support/clients_fixture.hpp"

namespace k8s::test {
namespace {

corev1::PodTemplateSpec Template() {
  corev1::PodTemplateSpec pod{.metadata = {.labels = {{"app", "web"}}}};
  pod.spec.containers.push_back({.name = "c", .image = "registry.example.com/c"});
  return pod;
}

template <class T>
T Workload() {
  T web{.metadata = {.name = "web"}};
  web.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  web.spec.template_ = Template();
  return web;
}

std::string ScaleTo(int replicas) {
  return R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"web"},)"
         R"("spec":{"replicas":)" +
         std::to_string(replicas) + "}}";
}

class ClientsPartsTest : public ClientsFixture {
 protected:
  template <class Client, class T>
  void ExpectScales(const Client& client, const T& workload) {
    SCOPED_TRACE(client.core().type().info.kind);
    const auto made = client.Create(workload);
    ASSERT_TRUE(made) << made.error().ToString();
    auto scale = client.GetScale("web").value();
    EXPECT_EQ(scale.spec.replicas, 1);
    EXPECT_EQ(scale.metadata.namespace_, ns_);
    scale.spec.replicas = 3;
    EXPECT_EQ(client.UpdateScale("web", scale).value().spec.replicas, 3);
    EXPECT_TRUE(IsConflict(client.UpdateScale("web", scale).error())) << "an old resourceVersion";
    EXPECT_EQ(client.Get("web").value().spec.replicas, 3);
    const auto refused = client.ApplyScale("web", ScaleTo(4), {.fieldManager = "scaler"});
    ASSERT_FALSE(refused);
    EXPECT_TRUE(IsConflict(refused.error()));
    EXPECT_EQ(FieldManagerConflicts(refused.error()).at(0).field, ".spec.replicas");
    const auto applied =
        client.ApplyScale("web", ScaleTo(4), {.fieldManager = "scaler", .force = true});
    EXPECT_EQ(applied.value().spec.replicas, 4);
    EXPECT_EQ(client.Get("web").value().spec.replicas, 4);
  }
};

TEST_F(ClientsPartsTest, ScalesEverythingThatHasReplicas) {
  ExpectScales(client_->AppsV1().Deployments(ns_), Workload<appsv1::Deployment>());
  ExpectScales(client_->AppsV1().ReplicaSets(ns_), Workload<appsv1::ReplicaSet>());
  ExpectScales(client_->AppsV1().StatefulSets(ns_), Workload<appsv1::StatefulSet>());
  corev1::ReplicationController web{.metadata = {.name = "web"}};
  web.spec.selector = {{"app", "web"}};
  web.spec.template_ = Template();
  ExpectScales(client_->CoreV1().ReplicationControllers(ns_), web);
}

TEST_F(ClientsPartsTest, BindsAPodToANodeOnce) {
  MakePod("a");
  const corev1::Binding binding{.metadata = {.name = "a", .namespace_ = ns_},
                                .target = {.kind = "Node", .name = "n"}};
  const auto bound = Pods().Bind(binding);
  ASSERT_TRUE(bound) << bound.error().ToString();
  EXPECT_EQ(Pods().Get("a").value().spec.nodeName, "n");
  EXPECT_TRUE(IsConflict(Pods().Bind(binding).error()));
}

TEST_F(ClientsPartsTest, AddsEphemeralContainers) {
  MakePod("a");
  auto pod = Pods().Get("a").value();
  corev1::EphemeralContainer debug;
  debug.name = "debug";
  debug.image = "registry.example.com/debug";
  debug.terminationMessagePolicy = "File";
  debug.imagePullPolicy = "Always";
  pod.spec.ephemeralContainers.push_back(debug);
  EXPECT_TRUE(IsInvalid(Pods().Update(pod).error())) << "not in the pod itself";
  const auto added = Pods().UpdateEphemeralContainers("a", pod);
  ASSERT_TRUE(added) << added.error().ToString();
  EXPECT_EQ(Pods().Get("a").value().spec.ephemeralContainers.at(0).name, "debug");
}

TEST_F(ClientsPartsTest, ResizesAPod) {
  corev1::Pod pod{.metadata = {.name = "a"}};
  pod.spec.containers.push_back({.name = "c", .image = "registry.example.com/c"});
  pod.spec.automountServiceAccountToken = false;
  pod.spec.containers[0].resources.requests["cpu"] = resource::Quantity::Parse("100m").value();
  auto made = Pods().Create(pod);
  ASSERT_TRUE(made) << made.error().ToString();
  const auto more = resource::Quantity::Parse("200m").value();
  made->spec.containers[0].resources.requests["cpu"] = more;
  const auto resized = Pods().UpdateResize("a", *made);
  ASSERT_TRUE(resized) << resized.error().ToString();
  EXPECT_EQ(Pods().Get("a").value().spec.containers[0].resources.requests.at("cpu"), more);
}

TEST_F(ClientsPartsTest, LogsOfAPodWithoutANodeAreEmptyAndWrongOnesRefused) {
  MakePod("a");
  EXPECT_EQ(Pods().GetLogs("a", {.follow = true}).value().ReadAll().value(), "");
  const auto wrong = Pods().GetLogs("a", {.container = "none"});
  ASSERT_FALSE(wrong);
  EXPECT_TRUE(IsBadRequest(wrong.error())) << wrong.error().ToString();
  EXPECT_TRUE(IsNotFound(Pods().GetLogs("none").error()));
}

// The server without its namespace controller leaves a namespace in Terminating.
TEST_F(ClientsPartsTest, ANamespaceGoesWhenItIsFinalized) {
  const auto namespaces = client_->CoreV1().Namespaces();
  const auto name = ns_ + "-goes";
  ASSERT_TRUE(namespaces.Create(corev1::Namespace{.metadata = {.name = name}}));
  ASSERT_TRUE(namespaces.Delete(name));
  auto going = namespaces.Get(name).value();
  EXPECT_EQ(going.status.phase, "Terminating");
  going.spec.finalizers.clear();
  const auto finalized = namespaces.Finalize(going);
  ASSERT_TRUE(finalized) << finalized.error().ToString();
  EXPECT_TRUE(IsNotFound(namespaces.Get(name).error()));
}

constexpr const char* kRequest = R"(-----BEGIN CERTIFICATE REQUEST-----
MIHLMHICAQAwEDEOMAwGA1UEAwwFcm9ib3QwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAATAqtPNc1Hi0ApHE6TosBkvZuxr5KLKI5iFLfLBWGQVFu78AyXJSqQ20MHH
yCYUI1t6OmnsO6lo8owRs1H8HyvpoAAwCgYIKoZIzj0EAwIDSQAwRgIhAKG0Bw1R
w9wNY1iL78omuEdMQSE8F8k1pUeA/6nrFRdoAiEA2VEmWc8ap+XYRRUcikrQKfAk
HUhY5B3LVvjR3RvRSDc=
-----END CERTIFICATE REQUEST-----
)";

TEST_F(ClientsPartsTest, ApprovesASigningRequest) {
  const auto requests = client_->CertificatesV1().CertificateSigningRequests();
  certificatesv1::CertificateSigningRequest robot{.metadata = {.name = "robot"}};
  robot.spec.request = ToBytes(kRequest);
  robot.spec.signerName = "example.test/signer";
  robot.spec.usages = {"client auth"};
  auto made = requests.Create(robot);
  ASSERT_TRUE(made) << made.error().ToString();
  made->status.conditions.push_back(
      {.type = "Approved", .status = "True", .reason = "Test", .message = "by a test"});
  const auto approved = requests.UpdateApproval("robot", *made);
  ASSERT_TRUE(approved) << approved.error().ToString();
  EXPECT_EQ(requests.Get("robot").value().status.conditions.at(0).type, "Approved");
}

TEST_F(ClientsPartsTest, EvictionsHappenUnlessABudgetForbidsThem) {
  MakePod("free");
  EXPECT_TRUE(Pods().EvictV1(policyv1::Eviction{.metadata = {.name = "free", .namespace_ = ns_}}));
  EXPECT_TRUE(IsNotFound(Pods().Get("free").error()));
  MakePod("guarded");
  policyv1::PodDisruptionBudget budget{.metadata = {.name = "b"}};
  budget.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  const auto budgets = client_->PolicyV1().PodDisruptionBudgets(ns_);
  auto made = budgets.Create(budget);
  ASSERT_TRUE(made) << made.error().ToString();
  made->status.observedGeneration = made->metadata.generation;
  ASSERT_TRUE(budgets.UpdateStatus(*made));
  const policyv1::Eviction eviction{.metadata = {.name = "guarded", .namespace_ = ns_}};
  const auto pods = Pods();
  // A pod that does not run is not guarded.
  ASSERT_TRUE(pods.PatchStatus(
      "guarded",
      {.text =
           R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"}));
  const auto refused = pods.EvictV1(eviction);
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsTooManyRequests(refused.error())) << refused.error().ToString();
  ASSERT_TRUE(budgets.Delete("b"));
  const auto evicted = pods.EvictV1(eviction);
  EXPECT_TRUE(evicted) << evicted.error().ToString();
}

TEST_F(ClientsPartsTest, CreatesAToken) {
  ASSERT_TRUE(client_->CoreV1().ServiceAccounts(ns_).Create({.metadata = {.name = "robot"}}));
  authenticationv1::TokenRequest request;
  request.spec.expirationSeconds = 600;
  const auto token = client_->CoreV1().ServiceAccounts(ns_).CreateToken("robot", request);
  ASSERT_TRUE(token) << token.error().ToString();
  EXPECT_FALSE(token->status.token.empty());
}

}  // namespace
}  // namespace k8s::test
