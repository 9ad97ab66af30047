#include <gtest/gtest.h>
#include <k8s/discovery/discovery_client.hpp>

#include <algorithm>
#include <memory>
#include <stop_token>
#include <string>

#include "support/case_file.hpp"
#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

using discovery::GroupsAndResources;

FakeAnswer Aggregated(std::string body) {
  auto answer = Body(std::move(body));
  answer.headers = {
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};
  return answer;
}

std::string Recorded(const std::string& name) {
  return testing::ReadTestData("recorded/discovery/" + name);
}

const metav1::APIResource* Find(const GroupsAndResources& found, const std::string& group_version,
                                const std::string& name) {
  for (const auto& list : found.resources) {
    if (list.groupVersion != group_version) continue;
    for (const auto& resource : list.resources) {
      if (resource.name == name) return &resource;
    }
  }
  return nullptr;
}

/// One group with two versions, the second one preferred.
constexpr const char* kGroups =
    R"({"kind":"APIGroupList","groups":[{"name":"g","versions":[{"groupVersion":"g/v2","version":"v2"},{"groupVersion":"g/v1","version":"v1"}],"preferredVersion":{"groupVersion":"g/v1","version":"v1"}}]})";

std::string Resources(const std::string& group_version, const std::string& name) {
  return R"({"kind":"APIResourceList","groupVersion":")" + group_version +
         R"(","resources":[{"name":")" + name +
         R"(","namespaced":true,"kind":"K","verbs":["get"]},{"name":"both","kind":"B","verbs":[]},{"name":"both/status","kind":"B","verbs":[]}]})";
}

class DiscoveryClientTest : public ::testing::Test {
 protected:
  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  rest::Client rest_ = rest::Client::New({.qps = -1}, transport_);
  discovery::DiscoveryClient client_{rest_};
};

// client-go: TestAggregatedServerGroupsAndResources
TEST_F(DiscoveryClientTest, ReadsEverythingInTwoRequests) {
  transport_->Add(Aggregated(Recorded("api.aggregated.json")));
  transport_->Add(Aggregated(Recorded("apis.aggregated.json")));
  const auto found = client_.ServerGroupsAndResources().value();
  EXPECT_EQ(transport_->requests().size(), 2U);
  EXPECT_TRUE(found.failures.empty());
  EXPECT_EQ(found.groups.front().name, "");
  EXPECT_EQ(found.groups.front().preferredVersion.groupVersion, "v1");
  const auto* pods = Find(found, "v1", "pods");
  ASSERT_NE(pods, nullptr);
  EXPECT_TRUE(pods->namespaced);
  EXPECT_EQ(pods->kind, "Pod");
  EXPECT_EQ(pods->shortNames, (std::vector<std::string>{"po"}));
  const auto* scale = Find(found, "apps/v1", "deployments/scale");
  ASSERT_NE(scale, nullptr);
  EXPECT_EQ(scale->group, "autoscaling");
  EXPECT_EQ(scale->kind, "Scale");
}

TEST_F(DiscoveryClientTest, PlainAndAggregatedAnswersSayTheSame) {
  transport_->Add(Aggregated(Recorded("api.aggregated.json")));
  transport_->Add(Aggregated(Recorded("apis.aggregated.json")));
  const auto aggregated = client_.ServerGroupsAndResources().value();
  for (const auto& [file, gv] :
       {std::pair("api_v1.json", "v1"), std::pair("apis_apps_v1.json", "apps/v1")}) {
    transport_->Add(Body(Recorded(file)));
    const auto plain = client_.ServerResourcesForGroupVersion(gv).value();
    for (const auto& resource : plain.resources) {
      SCOPED_TRACE(resource.name);
      const auto* same = Find(aggregated, gv, resource.name);
      ASSERT_NE(same, nullptr);
      EXPECT_EQ(same->kind, resource.kind);
      EXPECT_EQ(same->verbs, resource.verbs);
      EXPECT_EQ(same->namespaced, resource.namespaced);
    }
  }
}

TEST_F(DiscoveryClientTest, TakesAPlainAnswerForWhatItIs) {
  transport_->Add(Body(Recorded("api.json")));
  transport_->Add(Body(Recorded("apis.json")));
  const auto groups = client_.ServerGroups().value();
  EXPECT_EQ(groups.groups.begin()->preferredVersion.groupVersion, "v1");
  EXPECT_TRUE(std::any_of(groups.groups.begin(), groups.groups.end(),
                          [](const auto& group) { return group.name == "apps"; }));
}

// client-go: TestGetServerResourcesForGroupVersion
TEST_F(DiscoveryClientTest, ReportsGroupVersionsThatFailTwiceAndGivesTheRest) {
  transport_->Add(Body("", 404));  // No core group.
  transport_->Add(Body(kGroups));
  transport_->Add(Body("", 503));
  transport_->Add(Body("", 503));
  transport_->Add(Body(Resources("g/v1", "ones")));
  const auto found = client_.ServerGroupsAndResources().value();
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_EQ(found.failures[0].groupVersion, (GroupVersion{"g", "v2"}));
  EXPECT_TRUE(IsServiceUnavailable(found.failures[0].error));
  EXPECT_NE(Find(found, "g/v1", "ones"), nullptr);
}

TEST_F(DiscoveryClientTest, StaleGroupVersionsAreFailures) {
  transport_->Add(Body("", 404));
  transport_->Add(Aggregated(
      R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"g"},"versions":[{"version":"v2","freshness":"Stale"},{"version":"v1","freshness":"Current","resources":[{"resource":"a","responseKind":{"kind":"A"},"scope":"Cluster"}]}]}]})"));
  const auto found = client_.ServerGroupsAndResources().value();
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_EQ(found.failures[0].groupVersion.version, "v2");
  EXPECT_EQ(found.groups.front().preferredVersion.version, "v1");
  EXPECT_NE(Find(found, "g/v1", "a"), nullptr);
}

// client-go: TestServerPreferredResources
TEST_F(DiscoveryClientTest, PrefersTheGroupsVersion) {
  transport_->Add(Body("", 404));
  transport_->Add(Body(kGroups));
  transport_->Add(Body(Resources("g/v2", "twos")));
  transport_->Add(Body(Resources("g/v1", "ones")));
  const auto found = client_.ServerPreferredResources().value();
  EXPECT_NE(Find(found, "g/v1", "both"), nullptr);
  EXPECT_EQ(Find(found, "g/v2", "both"), nullptr);
  EXPECT_NE(Find(found, "g/v2", "twos"), nullptr);
  EXPECT_EQ(Find(found, "g/v1", "both/status"), nullptr);
}

// client-go: TestGetServerGroupsWithBrokenServer
TEST_F(DiscoveryClientTest, AForbiddenOrBrokenRootIsAnError) {
  transport_->Add(Body("", 403));
  EXPECT_TRUE(IsForbidden(client_.ServerGroups().error()));
  transport_->Add(Body(Recorded("api.json")));
  transport_->Add(Body("{"));
  EXPECT_EQ(client_.ServerGroups().error().kind, ErrorKind::kDecode);
  transport_->Add(Body("", 404));
  EXPECT_TRUE(IsNotFound(client_.ServerResourcesForGroupVersion("none/v1").error()));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client_.ServerGroupsAndResources(stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST_F(DiscoveryClientTest, ReadsTheVersion) {
  transport_->Add(Body(Recorded("version.json")));
  EXPECT_EQ(client_.ServerVersion().value().major, "1");
}

}  // namespace
}  // namespace k8s::test
