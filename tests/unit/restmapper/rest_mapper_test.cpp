#include <gtest/gtest.h>
#include <k8s/restmapper/rest_mapper.hpp>

#include <memory>
#include <string>

#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

metav1::APIResource Resource(const std::string& name, const std::string& kind,
                             const std::string& short_name = {}) {
  metav1::APIResource resource;
  resource.name = name;
  resource.kind = kind;
  resource.namespaced = true;
  if (!short_name.empty()) resource.shortNames.push_back(short_name);
  resource.categories.push_back("all");
  return resource;
}

void Add(discovery::GroupsAndResources& found, const std::string& group, const std::string& version,
         std::vector<metav1::APIResource> resources) {
  const auto gv = GroupVersion{group, version}.ToString();
  if (found.groups.empty() || found.groups.back().name != group) {
    found.groups.push_back({.name = group});
    found.groups.back().preferredVersion = {.groupVersion = gv, .version = version};
  }
  found.groups.back().versions.push_back({.groupVersion = gv, .version = version});
  metav1::APIResourceList list;
  list.groupVersion = gv;
  for (auto& resource : resources) list.resources.push_back(std::move(resource));
  found.resources.push_back(std::move(list));
}

discovery::GroupsAndResources Server() {
  discovery::GroupsAndResources found;
  Add(found, "", "v1",
      {Resource("pods", "Pod", "po"), Resource("events", "Event", "ev"),
       Resource("pods/log", "Pod")});
  Add(found, "apps", "v1", {Resource("deployments", "Deployment", "deploy")});
  Add(found, "events.k8s.io", "v1", {Resource("events", "Event", "ev")});
  Add(found, "twice.test", "v2", {Resource("new", "Thing"), Resource("po", "Po")});
  Add(found, "twice.test", "v1", {Resource("old", "Thing"), Resource("older", "Thing")});
  return found;
}

class RESTMapperTest : public ::testing::Test {
 protected:
  /// "group/version resource", or the reason of the failure.
  static std::string Text(const Result<ResourceInfo>& info) {
    return info ? info->ApiVersion() + " " + info->plural : info.error().reason;
  }
  [[nodiscard]] std::string For(const std::string& resource, const std::string& group = {},
                                const std::string& version = {}) const {
    return Text(mapper_.ResourceFor({group, version, resource}));
  }
  restmapper::DiscoveryRESTMapper mapper_{Server()};
};

// client-go: TestRESTMapper
TEST_F(RESTMapperTest, FindsResourcesByWhatPeopleWrite) {
  EXPECT_EQ(For("pods"), "v1 pods");
  EXPECT_EQ(For("Pod"), "v1 pods");
  EXPECT_EQ(For("deploy"), "apps/v1 deployments");
  EXPECT_EQ(For("events"), "v1 events");
  EXPECT_EQ(For("events", "events"), "events.k8s.io/v1 events");
  EXPECT_EQ(For("ev", "events.k8s.io", "v1"), "events.k8s.io/v1 events");
  EXPECT_EQ(For("po"), "twice.test/v2 po");  // A full name goes before a short one.
  EXPECT_EQ(For("pods/log"), "NoMatch");
  EXPECT_EQ(For("pods", "", "v2"), "NoMatch");
}

TEST_F(RESTMapperTest, FindsTheResourceOfAKindInTheVersionWanted) {
  const GroupKind thing{"twice.test", "Thing"};
  EXPECT_EQ(Text(mapper_.RESTMapping(thing)), "twice.test/v2 new");
  EXPECT_EQ(Text(mapper_.RESTMapping(thing, {"v3", "v2"})), "twice.test/v2 new");
  EXPECT_EQ(Text(mapper_.RESTMapping(thing, {"v3"})), "NoMatch");
  EXPECT_EQ(Text(mapper_.RESTMapping(thing, {"v1"})), "Ambiguous");
  EXPECT_EQ(Text(mapper_.RESTMapping({"", "Pod"})), "v1 pods");
}

// client-go: TestCategoryExpansion
TEST_F(RESTMapperTest, ExpandsCategories) {
  EXPECT_EQ(mapper_.Expand("all").size(), 8U);
  EXPECT_EQ(mapper_.Expand("all").front(), (GroupResource{"", "pods"}));
  EXPECT_TRUE(mapper_.Expand("none").empty());
}

TEST_F(RESTMapperTest, SaysWhatTheServerCouldNotTell) {
  auto found = Server();
  found.failures.push_back({{"broken.test", "v1"}, {}});
  const restmapper::DiscoveryRESTMapper mapper(found);
  const auto missing = mapper.ResourceFor({"", "", "widgets"});
  EXPECT_NE(missing.error().message.find("broken.test/v1"), std::string::npos);
}

std::string Served(const std::string& name) {
  return R"({"kind":"APIResourceList","groupVersion":"v1","resources":[{"name":")" + name +
         R"(","kind":"K","namespaced":true,"verbs":[]}]})";
}

// client-go: TestDeferredDiscoveryRESTMapper_CacheMiss
TEST(DeferredDiscoveryRESTMapperTest, AsksAgainOnceWhenThereIsNoMatch) {
  const auto transport = std::make_shared<FakeTransport>();
  const auto serve = [&](const std::string& name) {
    transport->Add(Body(R"({"kind":"APIVersions","versions":["v1"]})"));
    transport->Add(Body(R"({"kind":"APIGroupList","groups":[]})"));
    transport->Add(Body(Served(name)));
  };
  restmapper::DeferredDiscoveryRESTMapper mapper{
      discovery::DiscoveryClient(rest::Client::New({.qps = -1}, transport))};
  serve("old");
  EXPECT_EQ(mapper.ResourceFor({"", "", "old"}).value().plural, "old");
  EXPECT_TRUE(mapper.RESTMapping({"", "K"}));
  EXPECT_EQ(transport->requests().size(), 3U);
  serve("new");
  EXPECT_EQ(mapper.ResourceFor({"", "", "new"}).value().plural, "new");
  EXPECT_EQ(transport->requests().size(), 6U);
  serve("new");
  EXPECT_TRUE(restmapper::IsNoMatch(mapper.ResourceFor({"", "", "none"}).error()));
  EXPECT_EQ(transport->requests().size(), 9U);
}

}  // namespace
}  // namespace k8s::test
