// Writes against the real API server.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/log.hpp>
#include <k8s/pager/list_pager.hpp>
#include <k8s/retry/retry.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/clients_fixture.hpp"

namespace k8s::test {
namespace {

using corev1::ConfigMap;

class ClientsWritesTest : public ClientsFixture {};

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

TEST_F(ClientsWritesTest, UnknownFieldsAreRefusedWarnedOfOrIgnored) {
  Make("m");
  const kubernetes::PatchBody patch{.text = R"({"datum":{"k":"x"}})"};
  const auto strict = ConfigMaps().Patch("m", patch, {.fieldValidation = "Strict"});
  ASSERT_FALSE(strict);
  EXPECT_NE(strict.error().ToString().find(R"(unknown field "datum")"), std::string::npos)
      << strict.error().ToString();
  std::mutex mutex;
  std::vector<std::string> warnings;
  log::SetSink([&](log::Level level, std::string_view text) {
    const std::lock_guard lock(mutex);
    if (level == log::Level::kWarning) warnings.emplace_back(text);
  });
  EXPECT_TRUE(ConfigMaps().Patch("m", patch, {.fieldValidation = "Ignore"}));
  EXPECT_TRUE(warnings.empty());
  EXPECT_TRUE(ConfigMaps().Patch("m", patch, {.fieldValidation = "Warn"}));
  log::SetSink({});
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_NE(warnings[0].find(R"(unknown field "datum")"), std::string::npos) << warnings[0];
}

TEST_F(ClientsWritesTest, PreconditionsGuardADelete) {
  Make("m");
  const auto live = ConfigMaps().Get("m").value().metadata;
  const auto erase = [&](const metav1::Preconditions& which) {
    return ConfigMaps().Delete("m", {.preconditions = which});
  };
  EXPECT_TRUE(IsConflict(erase({.uid = "another"}).error()));
  EXPECT_TRUE(IsConflict(erase({.resourceVersion = "1"}).error()));
  EXPECT_TRUE(IsConflict(erase({.uid = live.uid, .resourceVersion = "1"}).error()));
  EXPECT_TRUE(erase({.uid = live.uid, .resourceVersion = live.resourceVersion}));
  EXPECT_TRUE(IsNotFound(ConfigMaps().Get("m").error()));
}

// The server without its garbage collector shows what that is told.
TEST_F(ClientsWritesTest, APropagationPolicyIsAFinalizerForTheGarbageCollector) {
  for (const auto& [policy, finalizer] :
       {std::pair("Foreground", "foregroundDeletion"), {"Orphan", "orphan"}}) {
    SCOPED_TRACE(policy);
    Make("m");
    EXPECT_TRUE(ConfigMaps().Delete("m", {.propagationPolicy = policy}));
    auto going = ConfigMaps().Get("m").value();
    EXPECT_TRUE(going.metadata.deletionTimestamp.has_value());
    EXPECT_EQ(going.metadata.finalizers, std::vector<std::string>{finalizer});
    going.metadata.finalizers.clear();
    EXPECT_TRUE(ConfigMaps().Update(going));
    EXPECT_TRUE(IsNotFound(ConfigMaps().Get("m").error()));
  }
  Make("m");
  EXPECT_TRUE(ConfigMaps().Delete("m", {.propagationPolicy = "Background"}));
  EXPECT_TRUE(IsNotFound(ConfigMaps().Get("m").error()));
}

TEST_F(ClientsWritesTest, ImpersonationIsAllowedOrRefused) {
  Make("m");
  const auto read_as = [&](rest::Config config, const rest::ImpersonationConfig& whom) {
    config.impersonate = whom;
    return kubernetes::Clientset::New(config).value().CoreV1().ConfigMaps(ns_).Get("m");
  };
  EXPECT_TRUE(read_as(config_, {.userName = "boss", .groups = {"system:masters"}}));
  const auto no_rights = read_as(config_, {.userName = "jane"});
  ASSERT_FALSE(no_rights);
  EXPECT_TRUE(IsForbidden(no_rights.error()));
  EXPECT_NE(no_rights.error().ToString().find("User \"jane\""), std::string::npos);
  const auto user = clientcmd::BuildConfigFromFlags("", Server().UserKubeconfig()).value();
  const auto refused = read_as(user, {.userName = "boss", .groups = {"system:masters"}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsForbidden(refused.error()));
  EXPECT_NE(refused.error().ToString().find("cannot impersonate"), std::string::npos)
      << refused.error().ToString();
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

}  // namespace
}  // namespace k8s::test
