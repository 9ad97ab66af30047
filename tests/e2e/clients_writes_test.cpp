// Writes, sub-resources and discovery against the real API server.

#include <gtest/gtest.h>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/policy/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/discovery/discovery_client.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/metadata/client.hpp>
#include <k8s/pager/list_pager.hpp>
#include <k8s/restmapper/rest_mapper.hpp>
#include <k8s/retry/retry.hpp>

#include <chrono>
#include <optional>
#include <set>
#include <string>

#include "support/real_server.hpp"

namespace k8s::test {
namespace {

using corev1::ConfigMap;

class ClientsWritesTest : public RealServerTest {
 protected:
  void SetUp() override {
    RealServerTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    config_ = clientcmd::BuildConfigFromFlags("", Server().AdminKubeconfig()).value();
    config_.qps = -1;
    client_.emplace(kubernetes::Clientset::New(config_).value());
    ns_ = NewNamespace();
  }
  [[nodiscard]] auto ConfigMaps() const { return client_->CoreV1().ConfigMaps(ns_); }
  void Make(const std::string& name, const std::string& app = "a") const {
    ASSERT_TRUE(ConfigMaps().Create(
        ConfigMap{.metadata = {.name = name, .labels = {{"app", app}}}, .data = {{"k", "v"}}}));
  }
  void MakePod(const std::string& name) const {
    corev1::Pod pod{.metadata = {.name = name, .labels = {{"app", "web"}}}};
    pod.spec.containers.push_back({.name = "c", .image = "registry.example.com/c"});
    pod.spec.automountServiceAccountToken = false;
    const auto made = client_->CoreV1().Pods(ns_).Create(pod);
    ASSERT_TRUE(made) << made.error().ToString();
  }

  rest::Config config_;
  std::optional<kubernetes::Clientset> client_;
  std::string ns_;
};

std::string Fields(const std::string& value) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"m"},"data":{"mode":")" +
         value + R"("}})";
}

TEST_F(ClientsWritesTest, AnApplyNamesEveryConflictAndForceTakesTheField) {
  ASSERT_TRUE(ConfigMaps().Apply("m", Fields("one"), {.fieldManager = "first"}));
  const auto refused = ConfigMaps().Apply("m", Fields("two"), {.fieldManager = "second"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsConflict(refused.error()));
  const auto conflicts = FieldManagerConflicts(refused.error());
  ASSERT_EQ(conflicts.size(), 1U) << refused.error().ToString();
  EXPECT_EQ(conflicts[0].manager, "first");
  EXPECT_EQ(conflicts[0].field, ".data.mode");
  const auto forced =
      ConfigMaps().Apply("m", Fields("two"), {.fieldManager = "second", .force = true});
  EXPECT_EQ(forced.value().data.at("mode"), "two");
}

TEST_F(ClientsWritesTest, ADryRunChangesNothing) {
  Make("m");
  const auto tried =
      ConfigMaps().Patch("m", {.text = R"({"data":{"k":"x"}})"}, {.dryRun = {"All"}});
  EXPECT_EQ(tried.value().data.at("k"), "x");
  EXPECT_TRUE(ConfigMaps().Delete("m", {.dryRun = {"All"}}));
  EXPECT_EQ(ConfigMaps().Get("m").value().data.at("k"), "v");
}

TEST_F(ClientsWritesTest, StrictValidationRefusesUnknownFields) {
  Make("m");
  const kubernetes::PatchBody patch{.text = R"({"datum":{"k":"x"}})"};
  EXPECT_FALSE(ConfigMaps().Patch("m", patch, {.fieldValidation = "Strict"}));
  EXPECT_TRUE(ConfigMaps().Patch("m", patch, {.fieldValidation = "Ignore"}));
}

TEST_F(ClientsWritesTest, PreconditionsGuardADelete) {
  Make("m");
  const metav1::Preconditions other{.uid = "another"};
  EXPECT_TRUE(IsConflict(ConfigMaps().Delete("m", {.preconditions = other}).error()));
  const metav1::Preconditions same{.uid = ConfigMaps().Get("m").value().metadata.uid};
  EXPECT_TRUE(ConfigMaps().Delete("m", {.preconditions = same}));
}

TEST_F(ClientsWritesTest, DeletesWhatASelectorSelectsAndListsInPages) {
  for (const char* name : {"a", "b", "c"}) Make(name);
  Make("stays", "other");
  const auto all =
      pager::ListPager<ConfigMap>(ConfigMaps(), {.pageSize = 2}).List({.labelSelector = "app"});
  EXPECT_EQ(all.value().items.size(), 4U);
  EXPECT_TRUE(ConfigMaps().DeleteCollection({}, {.labelSelector = "app=a"}));
  const auto left = ConfigMaps().List({.labelSelector = "app"}).value();
  ASSERT_EQ(left.items.size(), 1U);
  EXPECT_EQ(left.items[0]->metadata.name, "stays");
}

TEST_F(ClientsWritesTest, RetryOnConflictWinsAgainstAnotherWriter) {
  Make("m");
  int tries = 0;
  const auto written = retry::RetryOnConflict(retry::DefaultRetry, [&]() -> Result<ConfigMap> {
    auto map = ConfigMaps().Get("m");
    if (!map) return map;
    if (++tries == 1) {
      (void)ConfigMaps().Patch("m", {.text = R"({"data":{"other":"x"}})"}).has_value();
    }
    map->data["k"] = "mine";
    return ConfigMaps().Update(*map);
  });
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(written.value().data.at("k"), "mine");
  EXPECT_EQ(written->data.at("other"), "x");
}

TEST_F(ClientsWritesTest, ScalesADeployment) {
  appsv1::Deployment web{.metadata = {.name = "web"}};
  web.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  web.spec.template_.metadata.labels = {{"app", "web"}};
  web.spec.template_.spec.containers.push_back({.name = "c", .image = "registry.example.com/c"});
  const auto deployments = client_->AppsV1().Deployments(ns_);
  const auto made = deployments.Create(web);
  ASSERT_TRUE(made) << made.error().ToString();
  auto scale = deployments.GetScale("web").value();
  EXPECT_EQ(scale.spec.replicas, 1);
  scale.spec.replicas = 3;
  EXPECT_TRUE(deployments.UpdateScale("web", scale));
  EXPECT_EQ(deployments.Get("web").value().spec.replicas, 3);
}

TEST_F(ClientsWritesTest, ABudgetForbidsAnEviction) {
  MakePod("guarded");
  policyv1::PodDisruptionBudget budget{.metadata = {.name = "b"}};
  budget.spec.selector = metav1::LabelSelector{.matchLabels = {{"app", "web"}}};
  const auto budgets = client_->PolicyV1().PodDisruptionBudgets(ns_);
  auto made = budgets.Create(budget);
  ASSERT_TRUE(made) << made.error().ToString();
  made->status.observedGeneration = made->metadata.generation;
  ASSERT_TRUE(budgets.UpdateStatus(*made));
  const policyv1::Eviction eviction{.metadata = {.name = "guarded", .namespace_ = ns_}};
  const auto pods = client_->CoreV1().Pods(ns_);
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

TEST_F(ClientsWritesTest, CreatesAToken) {
  ASSERT_TRUE(client_->CoreV1().ServiceAccounts(ns_).Create({.metadata = {.name = "robot"}}));
  authenticationv1::TokenRequest request;
  request.spec.expirationSeconds = 600;
  const auto token = client_->CoreV1().ServiceAccounts(ns_).CreateToken("robot", request);
  ASSERT_TRUE(token) << token.error().ToString();
  EXPECT_FALSE(token->status.token.empty());
}

TEST_F(ClientsWritesTest, PlainAndAggregatedDiscoveryAgree) {
  const auto names = [](const discovery::GroupsAndResources& found) {
    std::set<std::string> all;
    for (const auto& list : found.resources) {
      for (const auto& resource : list.resources) {
        all.insert(list.groupVersion + " " + resource.name + " " + resource.kind);
      }
    }
    return all;
  };
  const discovery::DiscoveryClient aggregated(client_->RESTClient());
  const discovery::DiscoveryClient plain(client_->RESTClient(), {.aggregated = false});
  const auto once = aggregated.ServerGroupsAndResources().value();
  EXPECT_TRUE(names(once).contains("apps/v1 deployments/scale Scale"));
  EXPECT_EQ(names(once), names(plain.ServerGroupsAndResources().value()));
  EXPECT_EQ(aggregated.ServerVersion().value().major, "1");
}

TEST_F(ClientsWritesTest, TheMapperFindsADefinitionMadeLater) {
  restmapper::DeferredDiscoveryRESTMapper mapper{discovery::DiscoveryClient(client_->RESTClient())};
  EXPECT_EQ(mapper.ResourceFor({"", "", "deploy"}).value().kind, "Deployment");
  const GroupVersionResource partial{"", "", "gdgt"};
  EXPECT_TRUE(restmapper::IsNoMatch(mapper.ResourceFor(partial).error()));
  const auto made = Server().Request(
      "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
      R"("metadata":{"name":"gadgets.example.test"},"spec":{"group":"example.test",)"
      R"("scope":"Namespaced","names":{"plural":"gadgets","singular":"gadget","kind":"Gadget",)"
      R"("shortNames":["gdgt"]},"versions":[{"name":"v1","served":true,"storage":true,)"
      R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})");
  ASSERT_EQ(made.value().code, 201) << made->body;
  const retry::Backoff until_served{.steps = 100, .duration = std::chrono::milliseconds(100)};
  const auto found = retry::OnError(until_served, restmapper::IsNoMatch,
                                    [&] { return mapper.ResourceFor(partial); });
  ASSERT_TRUE(found) << found.error().ToString();
  EXPECT_EQ(found->plural, "gadgets");
  EXPECT_TRUE(mapper.RESTMapping({"example.test", "Gadget"}));
}

TEST_F(ClientsWritesTest, MetadataOfPodsComesWithoutTheirSpecs) {
  MakePod("a");
  const metadata::Client client(client_->RESTClient());
  const auto pods =
      client.Resource({.group = "", .version = "v1", .resource = "pods"}).Namespace(ns_);
  const auto list = pods.List().value();
  ASSERT_EQ(list.items.size(), 1U);
  EXPECT_EQ(list.items[0]->metadata.labels.at("app"), "web");
  EXPECT_EQ(pods.Get("a").value().metadata.uid, list.items[0]->metadata.uid);
}

}  // namespace
}  // namespace k8s::test
