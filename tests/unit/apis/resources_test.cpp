#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/resources.hpp>
#include <k8s/apis/scheme.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace k8s::testing {
namespace {

TEST(ResourceFactsTest, DescribeAPod) {
  const apis::ResourceFacts* pods = apis::FindResource(GroupVersionResource{"", "v1", "pods"});
  ASSERT_NE(pods, nullptr);
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_EQ(pods->singular, "pod");
  EXPECT_EQ(pods->scope, Scope::kNamespaced);
  EXPECT_TRUE(pods->servedByDefault);
  ASSERT_EQ(pods->shortNames.size(), 1u);
  EXPECT_EQ(pods->shortNames[0], "po");
  ASSERT_EQ(pods->categories.size(), 1u);
  EXPECT_EQ(pods->categories[0], "all");
  EXPECT_TRUE(pods->HasVerb("watch"));
  EXPECT_FALSE(pods->HasVerb("fly"));
  EXPECT_EQ(pods->Info(), runtime::ObjectTypeOf<corev1::Pod>().info);
}

TEST(ResourceFactsTest, SubresourcesNameWhatTheyTakeOrReturn) {
  const apis::ResourceFacts* deployments =
      apis::FindResource(GroupVersionKind{"apps", "v1", "Deployment"});
  ASSERT_NE(deployments, nullptr);
  const apis::SubresourceFacts* scale = deployments->Subresource("scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->group, "autoscaling");
  EXPECT_EQ(scale->version, "v1");
  EXPECT_EQ(scale->kind, "Scale");
  const apis::SubresourceFacts* status = deployments->Subresource("status");
  ASSERT_NE(status, nullptr);
  EXPECT_EQ(status->group, "apps");
  EXPECT_EQ(status->kind, "Deployment");
  EXPECT_EQ(deployments->Subresource("exec"), nullptr);
}

TEST(ResourceFactsTest, AreOrderedAndFoundByBothNames) {
  const auto facts = apis::BuiltinResources();
  EXPECT_EQ(facts.size(), 93u);
  EXPECT_TRUE(std::is_sorted(facts.begin(), facts.end(), [](const auto& a, const auto& b) {
    return a.Info().Gvk() < b.Info().Gvk();
  }));
  std::set<std::string> group_versions;
  for (const apis::ResourceFacts& each : facts) {
    const ResourceInfo info = each.Info();
    EXPECT_EQ(apis::FindResource(info.Gvk()), &each);
    EXPECT_EQ(apis::FindResource(info.Gvr()), &each);
    group_versions.insert(info.ApiVersion());
  }
  EXPECT_EQ(group_versions.size(), 33u);
}

TEST(ResourceFactsTest, UnknownNamesAreNull) {
  EXPECT_EQ(apis::FindResource(GroupVersionResource{"", "v2", "pods"}), nullptr);
  EXPECT_EQ(apis::FindResource(GroupVersionKind{"apps", "v1", "Pod"}), nullptr);
  EXPECT_EQ(apis::FindObjectType({"apps", "v1", "Pod"}), nullptr);
  EXPECT_EQ(apis::FindType("core/v1", "Nothing"), nullptr);
  EXPECT_EQ(apis::FindType("core/v9", "Pod"), nullptr);
}

}  // namespace
}  // namespace k8s::testing
