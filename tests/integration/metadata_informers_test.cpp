// Informers of metadata alone against the fake API server: what goes over the wire, the factory's
// options, and all three informers of one resource in one factory.

#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "support/event_recorder.hpp"

namespace k8s::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;
using corev1::ConfigMap;
using informers::SharedInformerFactory;
using metav1::PartialObjectMetadata;

const GroupVersionResource kMaps{.group = "", .version = "v1", .resource = "configmaps"};
const GroupVersionResource kWidgets{
    .group = "example.test", .version = "v1", .resource = "widgets"};
const GroupVersionResource kGadgets{
    .group = "example.test", .version = "v1", .resource = "gadgets"};

std::string MapJson(const std::string& ns, const std::string& name, const std::string& value,
                    const std::string& app = "web") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":")" + ns + R"(","labels":{"app":")" + app + R"("}},"data":{"k":")" +
         value + R"("}})";
}

std::string CustomJson(const std::string& kind, const std::string& name, const std::string& ns) {
  return R"({"apiVersion":"example.test/v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
         (ns.empty() ? "" : R"(","namespace":")" + ns) + R"("}})";
}

class MetadataInformersTest : public ::testing::Test {
 protected:
  SharedInformerFactory& Factory(informers::FactoryOptions options = {}) {
    return factory_.emplace(kubernetes::Clientset::New(server_.config()).value(),
                            std::move(options));
  }
  void StartAndSync() {
    factory_->Start(stop_.get_token());
    const auto synced = factory_->WaitForCacheSync(stop_.get_token(), 60s);
    ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  }

  testing::FakeApiServer server_;
  std::stop_source stop_;
  std::optional<SharedInformerFactory> factory_;
};

class MetadataInformersModesTest : public MetadataInformersTest,
                                   public ::testing::WithParamInterface<bool> {};

// client-go: TestMetadataSharedInformerFactory
TEST_P(MetadataInformersModesTest, FollowCreatesUpdatesAndDeletes) {
  server_.Add(MapJson("default", "early", "1"));
  auto& factory = Factory({.useWatchList = GetParam()});
  const auto maps = factory.ForMetadata(kMaps);
  EventRecorder<PartialObjectMetadata> seen;
  ASSERT_TRUE(maps.Informer().AddEventHandler(seen.Handlers()));
  StartAndSync();
  EXPECT_TRUE(seen.WaitForEvent("add default/early"));
  server_.Add(MapJson("other", "late", "1"));
  EXPECT_TRUE(seen.WaitForEvent("add other/late"));
  server_.Modify(MapJson("default", "early", "2", "db"));
  EXPECT_TRUE(seen.WaitForEvent("update default/early"));
  server_.Delete(MapJson("other", "late", ""));
  EXPECT_TRUE(seen.WaitForEvent("delete other/late"));
  EXPECT_TRUE(seen.Faults().empty());

  const auto lister = maps.Lister();
  EXPECT_THAT(lister.List(labels::Everything()), SizeIs(1));
  EXPECT_EQ(lister.Namespace("default").Get("early").value()->metadata.labels.at("app"), "db");
}

INSTANTIATE_TEST_SUITE_P(Modes, MetadataInformersModesTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

TEST_F(MetadataInformersTest, AskForMetadataAloneInListsAndWatches) {
  auto& factory = Factory({.useWatchList = false});
  (void)factory.ForMetadata(kMaps).Informer();
  StartAndSync();
  ASSERT_TRUE(server_.WaitForOpenWatches({.resource = "configmaps"}, 1));
  const auto lists = server_.Requests({.verb = "list", .resource = "configmaps"});
  ASSERT_THAT(lists, SizeIs(1));
  EXPECT_THAT(lists[0].Header("Accept"),
              StartsWith("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"));
  const auto watches = server_.Requests({.verb = "watch", .resource = "configmaps"});
  ASSERT_THAT(watches, SizeIs(1));
  EXPECT_THAT(watches[0].Header("Accept"),
              StartsWith("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"));
}

// client-go: TestFilteredMetadataSharedInformerFactory, TestListerListMethod,
// TestNamespaceGetMethod (metadatalister)
TEST_F(MetadataInformersTest, NarrowTransformAndListBySelector) {
  server_.Add(MapJson("mine", "a", "1"));
  server_.Add(MapJson("mine", "b", "1"));
  server_.Add(MapJson("mine", "c", "1", "db"));
  server_.Add(MapJson("other", "a", "1"));
  auto& factory = Factory(
      {.namespace_ = "mine",
       .tweakListOptions = [](auto& options) { options.labelSelector = "app=web"; },
       .transform = [](const runtime::ObjectType& type,
                       runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
         if (type.as.empty()) return object;
         auto changed = *static_cast<const PartialObjectMetadata*>(object.get());
         if (changed.metadata.name == "b") changed.metadata.labels["app"] = "mine";
         return runtime::AnyPtr(std::make_shared<const PartialObjectMetadata>(std::move(changed)));
       }});
  const auto maps = factory.ForMetadata(kMaps).Lister();
  StartAndSync();
  EXPECT_THAT(maps.List(labels::Everything()), SizeIs(2));
  EXPECT_THAT(maps.Namespace("mine").List(labels::Parse("app=mine").value()), SizeIs(1));
  EXPECT_THAT(maps.Namespace("other").List(labels::Everything()), SizeIs(0));
  const auto absent = maps.Namespace("mine").Get("c");
  ASSERT_FALSE(absent.has_value());
  EXPECT_TRUE(IsNotFound(absent.error()));
  EXPECT_EQ(absent.error().resource, "configmaps");
  for (const auto& request : server_.Requests({.resource = "configmaps"})) {
    EXPECT_EQ(request.namespace_, "mine");
    EXPECT_EQ(request.Param("labelSelector"), "app=web");
  }
}

TEST_F(MetadataInformersTest, LiveBesideTheGenericAndTheTypedInformer) {
  server_.Add(MapJson("default", "m", "1"));
  auto& factory = Factory();
  const auto typed = factory.Core().V1().ConfigMaps();
  const auto generic = factory.ForResource(kMaps);
  const auto metadata = factory.ForMetadata(kMaps);
  EventRecorder<ConfigMap> typed_seen;
  EventRecorder<PartialObjectMetadata> metadata_seen;
  ASSERT_TRUE(typed.Informer().AddEventHandler(typed_seen.Handlers()));
  ASSERT_TRUE(metadata.Informer().AddEventHandler(metadata_seen.Handlers()));
  StartAndSync();
  EXPECT_EQ(generic.Lister().Namespace("default").Get("m").value()->NestedString({"data", "k"}),
            "1");
  ASSERT_TRUE(server_.WaitForOpenWatches({.resource = "configmaps"}, 3));
  server_.Modify(MapJson("default", "m", "2"));
  EXPECT_TRUE(typed_seen.WaitForEvent("update default/m"));
  EXPECT_TRUE(metadata_seen.WaitForEvent("update default/m"));
  EXPECT_EQ(typed.Lister().ConfigMaps("default").Get("m").value()->data.at("k"), "2");
}

TEST_F(MetadataInformersTest, ANamespaceDoesNotConcernClusterScopedResources) {
  server_.AddResource(
      {.group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"});
  server_.AddResource({.group = "example.test",
                       .version = "v1",
                       .kind = "Gadget",
                       .plural = "gadgets",
                       .scope = Scope::kCluster});
  server_.Add(CustomJson("Widget", "w", "mine"));
  server_.Add(CustomJson("Widget", "w", "other"));
  server_.Add(CustomJson("Gadget", "g", ""));
  server_.Add(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}})");
  auto& factory = Factory({.namespace_ = "mine"});
  const auto widgets = factory.ForMetadata(kWidgets).Lister();
  const auto gadgets = factory.ForMetadata(kGadgets).Lister();
  const auto nodes = factory.ForMetadata({"", "v1", "nodes"}).Lister();
  StartAndSync();
  EXPECT_THAT(widgets.List(labels::Everything()), SizeIs(1));
  EXPECT_TRUE(gadgets.Get("g").has_value());
  EXPECT_TRUE(nodes.Get("n").has_value());
}

TEST_F(MetadataInformersTest, SayWhichResourceIsAbsent) {
  auto& factory = Factory({.namespace_ = "mine"});
  (void)factory.ForMetadata(kWidgets).Informer();
  factory.Start(stop_.get_token());
  const auto synced = factory.WaitForCacheSync(stop_.get_token(), 1s);
  ASSERT_FALSE(synced.has_value());
  EXPECT_EQ(synced.error().informers.at(0).reason, cache::SyncReason::kResourceAbsent);
  EXPECT_THAT(synced.error().ToString(), HasSubstr("widgets.example.test"));
}

}  // namespace
}  // namespace k8s::test
