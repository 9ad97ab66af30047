// Untyped clients, discovery and metadata against the real API server.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/discovery/cached_discovery.hpp>
#include <k8s/discovery/discovery_client.hpp>
#include <k8s/dynamic/client.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/metadata/client.hpp>
#include <k8s/pager/list_pager.hpp>
#include <k8s/restmapper/rest_mapper.hpp>
#include <k8s/retry/retry.hpp>

#include <chrono>
#include <nlohmann/json.hpp>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "support/clients_fixture.hpp"
#include "support/event_recorder.hpp"

namespace k8s::test {
namespace {

using metav1::PartialObjectMetadata;

const GroupVersionResource kDefinitions{
    .group = "apiextensions.k8s.io", .version = "v1", .resource = "customresourcedefinitions"};
const retry::Backoff kUntilServed{.steps = 300, .duration = std::chrono::milliseconds(100)};

class ClientsDynamicTest : public ClientsFixture {
 protected:
  [[nodiscard]] dynamic::Client Dynamic() const { return dynamic::Client(client_->RESTClient()); }

  /// Defines a resource with status and scale, waits until it is served.
  GroupVersionResource Define(const std::string& plural, const std::string& kind,
                              const std::string& scope) {
    nlohmann::json version = {{"name", "v1"}, {"served", true}, {"storage", true}};
    version["schema"]["openAPIV3Schema"] = nlohmann::json::parse(
        R"({"type":"object","properties":{)"
        R"("spec":{"type":"object","properties":{"replicas":{"type":"integer"},"size":{"type":"string"}}},)"
        R"("status":{"type":"object","properties":{"replicas":{"type":"integer"},"phase":{"type":"string"}}}}})");
    version["subresources"] = nlohmann::json::parse(
        R"({"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}})");
    Unstructured definition(nlohmann::json{{"apiVersion", "apiextensions.k8s.io/v1"},
                                           {"kind", "CustomResourceDefinition"}});
    definition.SetName(plural + ".example.test");
    definition.json()["spec"] = {{"group", "example.test"},
                                 {"scope", scope},
                                 {"names", {{"plural", plural}, {"kind", kind}}},
                                 {"versions", nlohmann::json::array({version})}};
    const auto made = Dynamic().Resource(kDefinitions).Create(definition);
    EXPECT_TRUE(made) << made.error().ToString();
    const GroupVersionResource resource{
        .group = "example.test", .version = "v1", .resource = plural};
    // Right after its definition a resource is not there (404), then its storage is not (429).
    const auto served = retry::OnError(
        kUntilServed,
        [](const Error& error) { return IsNotFound(error) || IsTooManyRequests(error); },
        [&] { return Dynamic().Resource(resource).List(); });
    EXPECT_TRUE(served) << served.error().ToString();
    return resource;
  }

  static Unstructured Object(const std::string& kind, const std::string& name,
                             const std::string& size = "small") {
    Unstructured object(nlohmann::json{{"apiVersion", "example.test/v1"}, {"kind", kind}});
    object.SetName(name);
    object.SetLabels({{"size", size}});
    object.json()["spec"] = {{"size", size}, {"replicas", 1}};
    return object;
  }
  /// The same with nothing but a spec, or a status.
  static Unstructured Part(const std::string& name, const std::string& field,
                           const nlohmann::json& value) {
    Unstructured object(nlohmann::json{{"apiVersion", "example.test/v1"}, {"kind", "Widget"}});
    object.SetName(name);
    object.json()[field] = value;
    return object;
  }
};

TEST_F(ClientsDynamicTest, CreatesReadsUpdatesAndAppliesACustomResource) {
  const auto widgets = Dynamic().Resource(Define("widgets", "Widget", "Namespaced")).Namespace(ns_);
  auto widget = widgets.Create(Object("Widget", "w")).value();
  EXPECT_EQ(widgets.Get("w").value(), widget);

  widget.json()["status"]["phase"] = "Ready";
  widget.json()["spec"]["size"] = "ignored";
  widget = widgets.UpdateStatus(widget).value();
  EXPECT_EQ(widget.NestedString({"status", "phase"}), "Ready");
  EXPECT_EQ(widget.NestedString({"spec", "size"}), "small") << "of the status alone";
  EXPECT_EQ(widgets.Get("w", {}, "status").value(), widget);

  const auto stale = widget;
  widget.json()["spec"]["size"] = "big";
  widget = widgets.Update(widget).value();
  EXPECT_EQ(widget.NestedString({"spec", "size"}), "big");
  EXPECT_TRUE(IsConflict(widgets.Update(stale).error()));

  const auto huge = Part("w", "spec", {{"size", "huge"}});
  const auto refused = widgets.Apply("w", huge, {.fieldManager = "applier"});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(IsConflict(refused.error())) << refused.error().ToString();
  EXPECT_EQ(FieldManagerConflicts(refused.error()).at(0).field, ".spec.size");
  widget = widgets.Apply("w", huge, {.fieldManager = "applier", .force = true}).value();
  EXPECT_EQ(widget.NestedString({"spec", "size"}), "huge");
  EXPECT_EQ(widgets.Apply("w", widget, {.fieldManager = "applier"}).error().kind,
            ErrorKind::kInvalidArgument)
      << "with the managedFields of a server";

  const auto done = Part("w", "status", {{"phase", "Done"}});
  widget = widgets.ApplyStatus("w", done, {.fieldManager = "applier", .force = true}).value();
  EXPECT_EQ(widget.NestedString({"status", "phase"}), "Done");
  EXPECT_EQ(widget.NestedString({"spec", "size"}), "huge");

  const auto unknown =
      widgets.Patch("w", {.text = R"({"spec":{"colour":"red"}})"}, {.fieldValidation = "Strict"});
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().ToString().find(R"(unknown field "spec.colour")"), std::string::npos)
      << unknown.error().ToString();
  EXPECT_TRUE(widgets.Delete("w", {.dryRun = {"All"}}));
  const metav1::Preconditions old{.resourceVersion = "1"};
  EXPECT_TRUE(IsConflict(widgets.Delete("w", {.preconditions = old}).error()));
  EXPECT_TRUE(widgets.Delete("w"));
  EXPECT_TRUE(IsNotFound(widgets.Get("w").error()));
}

TEST_F(ClientsDynamicTest, ScalesACustomResource) {
  const auto cogs = Dynamic().Resource(Define("cogs", "Cog", "Namespaced")).Namespace(ns_);
  ASSERT_TRUE(cogs.Create(Object("Cog", "c")));
  auto scale = cogs.Get("c", {}, "scale").value();
  EXPECT_EQ(scale.GetKind(), "Scale");
  scale.json()["spec"]["replicas"] = 5;
  EXPECT_TRUE(cogs.Update(scale, {}, "scale"));
  EXPECT_TRUE(cogs.Patch("c", {.text = R"({"spec":{"replicas":7}})"}, {}, "scale"));
  EXPECT_EQ(*cogs.Get("c").value().NestedField({"spec", "replicas"}), 7);
}

TEST_F(ClientsDynamicTest, ListsInPagesWatchesAndDeletesClusterScopedResources) {
  const auto wheels = Dynamic().Resource(Define("wheels", "Wheel", "Cluster"));
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(wheels.Create(Object("Wheel", name)));
  const auto page = wheels.List({.limit = 2}).value();
  EXPECT_EQ(page.items.size(), 2U);
  EXPECT_EQ(page.remainingItemCount, 1);
  const auto rest = wheels.List({.limit = 2, .continue_ = page.continueToken}).value();
  ASSERT_EQ(rest.items.size(), 1U);
  EXPECT_EQ(rest.items[0]->GetName(), "c");
  const auto all = pager::ListPager<Unstructured>(wheels, {.pageSize = 1}).List();
  EXPECT_EQ(all.value().items.size(), 3U);

  auto watch = wheels.Watch({.resourceVersion = rest.resourceVersion}).value();
  ASSERT_TRUE(wheels.Create(Object("Wheel", "big", "big")));
  EXPECT_TRUE(wheels.DeleteCollection({}, {.labelSelector = "size=small"}));
  std::vector<std::string> events;
  while (events.size() < 4) {
    const auto event = watch.Next().value();
    ASSERT_TRUE(event.has_value());
    const bool added = event->type == watch::EventType::kAdded;
    events.push_back((added ? "added " : "deleted ") + std::string(event->object->GetName()));
  }
  EXPECT_EQ(std::set(events.begin(), events.end()),
            (std::set<std::string>{"added big", "deleted a", "deleted b", "deleted c"}));
  EXPECT_EQ(wheels.List().value().items.size(), 1U);
}

TEST_F(ClientsDynamicTest, WritesBuiltInResourcesAndTheirParts) {
  MakePod("a");
  const auto pods =
      Dynamic().Resource({.group = "", .version = "v1", .resource = "pods"}).Namespace(ns_);
  Unstructured binding(nlohmann::json{{"apiVersion", "v1"}, {"kind", "Binding"}});
  binding.SetName("a");
  binding.json()["target"] = {{"kind", "Node"}, {"name", "n"}};
  EXPECT_EQ(pods.Create(binding, {}, "binding").value().GetKind(), "Status");
  EXPECT_EQ(pods.Get("a").value().NestedString({"spec", "nodeName"}), "n");
  EXPECT_TRUE(pods.Delete("a", {.gracePeriodSeconds = 0}));
}

TEST_F(ClientsDynamicTest, PlainAndAggregatedDiscoveryAgree) {
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

TEST_F(ClientsDynamicTest, TheCacheKnowsANewDefinitionOnceItIsInvalidated) {
  const discovery::CachedDiscoveryClient cached{discovery::DiscoveryClient(client_->RESTClient())};
  restmapper::DeferredDiscoveryRESTMapper mapper(cached);
  EXPECT_EQ(mapper.ResourceFor({"", "", "po"}).value().plural, "pods");
  EXPECT_EQ(mapper.ResourceFor({"", "", "cm"}).value().kind, "ConfigMap");
  EXPECT_EQ(mapper.ResourceFor({"apps", "", "sts"}).value().kind, "StatefulSet");
  EXPECT_TRUE(cached.Fresh());
  const auto before = cached.ServerGroupsAndResources().value().resources.size();
  (void)Define("bolts", "Bolt", "Namespaced");
  EXPECT_EQ(cached.ServerGroupsAndResources().value().resources.size(), before);
  const auto found = retry::OnError(kUntilServed, restmapper::IsNoMatch, [&] {
    return mapper.RESTMapping({"example.test", "Bolt"});
  });
  ASSERT_TRUE(found) << found.error().ToString();
  EXPECT_EQ(found->plural, "bolts");
  EXPECT_TRUE(cached.ServerResourcesForGroupVersion("example.test/v1"));
}

TEST_F(ClientsDynamicTest, TheMapperFindsADefinitionMadeLater) {
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

TEST_F(ClientsDynamicTest, MetadataOfPodsComesWithoutTheirSpecs) {
  MakePod("a");
  const metadata::Client client(client_->RESTClient());
  const auto pods =
      client.Resource({.group = "", .version = "v1", .resource = "pods"}).Namespace(ns_);
  const auto list = pods.List().value();
  ASSERT_EQ(list.items.size(), 1U);
  EXPECT_EQ(list.items[0]->metadata.labels.at("app"), "web");
  EXPECT_EQ(pods.Get("a").value().metadata.uid, list.items[0]->metadata.uid);
}

TEST_F(ClientsDynamicTest, MetadataInformersFollowBuiltInAndCustomResources) {
  const auto nuts = Define("nuts", "Nut", "Namespaced");
  MakePod("a");
  ASSERT_TRUE(Dynamic().Resource(nuts).Namespace(ns_).Create(Object("Nut", "n")));
  informers::SharedInformerFactory factory(*client_, {.namespace_ = ns_});
  const GroupVersionResource pods{.group = "", .version = "v1", .resource = "pods"};
  EventRecorder<PartialObjectMetadata> seen;
  ASSERT_TRUE(factory.ForMetadata(pods).Informer().AddEventHandler(seen.Handlers()));
  const auto nut_metadata = factory.ForMetadata(nuts).Lister();
  const auto nut_objects = factory.ForResource(nuts).Lister();
  const auto typed = factory.Core().V1().Pods().Lister();
  std::stop_source stop;
  factory.Start(stop.get_token());
  const auto synced = factory.WaitForCacheSync(stop.get_token(), std::chrono::seconds(60));
  ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  EXPECT_TRUE(seen.WaitForEvent("add " + ns_ + "/a"));
  EXPECT_EQ(typed.Pods(ns_).Get("a").value()->spec.containers.size(), 1U);
  EXPECT_EQ(nut_metadata.Namespace(ns_).Get("n").value()->metadata.labels.at("size"), "small");
  EXPECT_EQ(nut_objects.Namespace(ns_).Get("n").value()->NestedString({"spec", "size"}), "small");

  EXPECT_TRUE(Pods().Patch("a", {.text = R"({"metadata":{"labels":{"x":"y"}}})"}));
  EXPECT_TRUE(seen.WaitForEvent("update " + ns_ + "/a"));
  MakePod("b");
  EXPECT_TRUE(seen.WaitForEvent("add " + ns_ + "/b"));
  EXPECT_TRUE(Pods().Delete("b", {.gracePeriodSeconds = 0}));
  EXPECT_TRUE(seen.WaitForEvent("delete " + ns_ + "/b"));
  EXPECT_TRUE(seen.Faults().empty());
  stop.request_stop();
  factory.Shutdown();
}

}  // namespace
}  // namespace k8s::test
