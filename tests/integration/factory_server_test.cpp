// The informer factory against the fake API server: every way to ask for an informer, the options,
// the reasons why one does not sync, and what happens when the server misbehaves.

#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/event_recorder.hpp"

namespace k8s::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;
using cache::SyncReason;
using corev1::ConfigMap;
using informers::SharedInformerFactory;
using testing::FakeApiServer;
using testing::Fault;
using testing::FaultKind;
using testing::RequestMatch;

const RequestMatch kWatches{.verb = "watch", .resource = "configmaps"};
const RequestMatch kLists{.verb = "list", .resource = "configmaps"};

std::string MapJson(const std::string& ns, const std::string& name, const std::string& value,
                    const std::string& app = "web") {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":")" + ns + R"(","labels":{"app":")" + app + R"("}},"data":{"k":")" +
         value + R"("}})";
}

std::string WidgetJson(const std::string& kind, const std::string& name, const std::string& ns) {
  return R"({"apiVersion":"example.test/v1","kind":")" + kind + R"(","metadata":{"name":")" + name +
         (ns.empty() ? "" : R"(","namespace":")" + ns) + R"("}})";
}

class FactoryServerTest : public ::testing::Test {
 protected:
  kubernetes::Clientset Client() { return kubernetes::Clientset::New(server_.config()).value(); }
  SharedInformerFactory& Factory(informers::FactoryOptions options = {}) {
    return factory_.emplace(Client(), std::move(options));
  }
  void StartAndSync() {
    factory_->Start(stop_.get_token());
    const auto synced = factory_->WaitForCacheSync(stop_.get_token(), 60s);
    ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  }
  /// The reason why the only informer has not synced within a short time.
  SyncReason ReasonAfter(Clock::Duration timeout) {
    factory_->Start(stop_.get_token());
    auto synced = factory_->WaitForCacheSync(stop_.get_token(), timeout);
    if (synced) return SyncReason::kNotStarted;
    failure_ = synced.error().ToString();
    return synced.error().informers.at(0).reason;
  }

  FakeApiServer server_;
  std::stop_source stop_;
  std::optional<SharedInformerFactory> factory_;
  std::string failure_;
};

class FactoryModesTest : public FactoryServerTest, public ::testing::WithParamInterface<bool> {};

TEST_P(FactoryModesTest, FollowsCreatesUpdatesAndDeletes) {
  server_.Add(MapJson("default", "early", "1"));
  auto& factory = Factory({.useWatchList = GetParam()});
  const auto maps = factory.Core().V1().ConfigMaps();
  EventRecorder<ConfigMap> seen;
  ASSERT_TRUE(maps.Informer().AddEventHandler(seen.Handlers()));
  StartAndSync();
  EXPECT_EQ(server_.RequestCount(kLists), GetParam() ? 0u : 1u);
  EXPECT_TRUE(seen.WaitForEvent("add default/early"));

  server_.Add(MapJson("other", "late", "1"));
  EXPECT_TRUE(seen.WaitForEvent("add other/late"));
  server_.Modify(MapJson("default", "early", "2"));
  EXPECT_TRUE(seen.WaitForEvent("update default/early"));
  server_.Delete(MapJson("other", "late", ""));
  EXPECT_TRUE(seen.WaitForEvent("delete other/late"));

  const auto lister = maps.Lister();
  EXPECT_THAT(lister.List(labels::Everything()), SizeIs(1));
  EXPECT_EQ(lister.ConfigMaps("default").Get("early").value()->data.at("k"), "2");
  EXPECT_TRUE(seen.Faults().empty());
}

TEST_P(FactoryModesTest, TellsTheNetDifferenceAfterTheServerWasGone) {
  server_.Add(MapJson("default", "stays", "1"));
  server_.Add(MapJson("default", "changes", "1"));
  server_.Add(MapJson("default", "goes", "1"));
  auto& factory = Factory({.useWatchList = GetParam()});
  EventRecorder<ConfigMap> seen;
  ASSERT_TRUE(factory.For<ConfigMap>().Informer().AddEventHandler(seen.Handlers()));
  StartAndSync();
  ASSERT_TRUE(seen.WaitForCount(3));

  server_.Kill();
  server_.Modify(MapJson("default", "changes", "2"));
  server_.Delete(MapJson("default", "goes", ""));
  server_.Add(MapJson("default", "comes", "1"));
  server_.Compact();
  server_.Restart();
  EXPECT_TRUE(seen.WaitForEvent("add default/comes"));
  EXPECT_TRUE(seen.WaitForEvent("delete default/goes"));
  EXPECT_TRUE(seen.WaitForEvent("update default/changes"));
  EXPECT_TRUE(seen.Faults().empty());
  EXPECT_THAT(seen.Events(), SizeIs(6));  // "stays" is told of once.
}

INSTANTIATE_TEST_SUITE_P(Modes, FactoryModesTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

TEST_F(FactoryServerTest, ListsWhereTheServerDoesNotStream) {
  server_.SetWatchList(false);
  server_.Add(MapJson("default", "a", "1"));
  auto& factory = Factory();
  const auto maps = factory.For<ConfigMap>().Lister();
  StartAndSync();
  EXPECT_THAT(maps.List(labels::Everything()), SizeIs(1));
  EXPECT_EQ(server_.RequestCount(kLists), 1u);
  EXPECT_EQ(server_.Requests(kLists)[0].Param("resourceVersion"), "0");
}

TEST_F(FactoryServerTest, ReadsListsInPages) {
  server_.SetWatchList(false);
  FakeApiServer uncached({.watchCache = false});
  uncached.CreateMany(1200);
  SharedInformerFactory factory(kubernetes::Clientset::New(uncached.config()).value(),
                                {.useWatchList = false});
  const auto pods = factory.Core().V1().Pods().Lister();
  factory.Start(stop_.get_token());
  const auto synced = factory.WaitForCacheSync(stop_.get_token(), 60s);
  ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  EXPECT_THAT(pods.Pods("default").List(labels::Everything()), SizeIs(1200));
  const auto lists = uncached.Requests({.verb = "list"});
  ASSERT_THAT(lists, SizeIs(3));
  for (const auto& request : lists) EXPECT_EQ(request.Param("limit"), "500");
}

TEST_F(FactoryServerTest, NamespaceAndTweakNarrowListsAndWatches) {
  server_.Add(MapJson("mine", "web", "1"));
  server_.Add(MapJson("mine", "db", "1", "db"));
  server_.Add(MapJson("other", "web", "1"));
  auto& factory = Factory({.namespace_ = "mine", .tweakListOptions = [](auto& options) {
                             options.labelSelector = "app=web";
                           }});
  EventRecorder<ConfigMap> seen;
  ASSERT_TRUE(factory.For<ConfigMap>().Informer().AddEventHandler(seen.Handlers()));
  const auto nodes = factory.Core().V1().Nodes().Lister();  // Cluster-scoped: no namespace.
  StartAndSync();
  server_.Add(MapJson("other", "web2", "1"));
  server_.Add(MapJson("mine", "db2", "1", "db"));
  server_.Add(MapJson("mine", "web2", "1"));
  EXPECT_TRUE(seen.WaitForEvent("add mine/web2"));
  EXPECT_THAT(seen.State(), SizeIs(2));
  for (const auto& request : server_.Requests({.resource = "configmaps"})) {
    EXPECT_EQ(request.namespace_, "mine");
    EXPECT_EQ(request.Param("labelSelector"), "app=web");
  }
  EXPECT_EQ(server_.RequestCount({.resource = "nodes", .path = "/api/v1/nodes"}), 1u);
}

TEST_F(FactoryServerTest, GenericInformersServeBuiltInAndCustomResources) {
  server_.AddResource(
      {.group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"});
  server_.Add(WidgetJson("Widget", "w", "default"));
  server_.Add(MapJson("default", "m", "1"));
  auto& factory = Factory();
  const auto widgets = factory.ForResource({"example.test", "v1", "widgets"});
  const auto maps = factory.ForResource({"", "v1", "configmaps"});
  EventRecorder<ConfigMap> typed;
  ASSERT_TRUE(factory.For<ConfigMap>().Informer().AddEventHandler(typed.Handlers()));
  StartAndSync();
  EXPECT_EQ(widgets.Lister().Namespace("default").Get("w").value()->GetKind(), "Widget");
  EXPECT_EQ(maps.Lister().Namespace("default").Get("m").value()->NestedString({"data", "k"}), "1");
  EXPECT_TRUE(typed.WaitForCount(1));
}

// client-go: TestFilteredDynamicSharedInformerFactory, TestDynamicSharedInformerFactory
TEST_F(FactoryServerTest, GenericInformersFollowChangesNarrowAndTransform) {
  auto& factory =
      Factory({.namespace_ = "mine",
               .tweakListOptions = [](auto& options) { options.labelSelector = "app=web"; },
               .transform = [](const runtime::ObjectType&,
                               runtime::AnyPtr object) -> Result<runtime::AnyPtr> {
                 Unstructured changed = *static_cast<const Unstructured*>(object.get());
                 changed.SetAnnotations({{"seen", "yes"}});
                 return runtime::AnyPtr(std::make_shared<Unstructured>(std::move(changed)));
               }});
  const auto maps = factory.ForResource({"", "v1", "configmaps"});
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;
  const auto record = [&](const std::string& what, const Unstructured& map) {
    const std::lock_guard lock(mutex);
    events.push_back(what + " " + std::string(map.GetName()) + " " +
                     map.GetAnnotations().at("seen"));
    changed.notify_all();
  };
  ASSERT_TRUE(maps.Informer().AddEventHandler(
      {.onAdd = [&](const auto& map, bool) { record("add", *map); },
       .onUpdate = [&](const auto&, const auto& map) { record("update", *map); },
       .onDelete = [&](const auto& gone) { record("delete", *gone.object); }}));
  StartAndSync();
  server_.Add(MapJson("other", "a", "1"));
  server_.Add(MapJson("mine", "b", "1", "db"));
  server_.Add(MapJson("mine", "c", "1"));
  server_.Modify(MapJson("mine", "c", "2"));
  server_.Delete(MapJson("mine", "c", ""));
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, 60s, [&] { return events.size() >= 3; }));
    EXPECT_THAT(events, ElementsAre("add c yes", "update c yes", "delete c yes"));
  }
  stop_.request_stop();
  factory.Shutdown();
}

TEST_F(FactoryServerTest, ANamespaceDoesNotConcernClusterScopedCustomResources) {
  server_.AddResource(
      {.group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"});
  server_.AddResource({.group = "example.test",
                       .version = "v1",
                       .kind = "Gadget",
                       .plural = "gadgets",
                       .scope = Scope::kCluster});
  server_.Add(WidgetJson("Widget", "w", "mine"));
  server_.Add(WidgetJson("Widget", "w", "other"));
  server_.Add(WidgetJson("Gadget", "g", ""));
  auto& factory = Factory({.namespace_ = "mine"});
  const auto widgets = factory.ForResource({"example.test", "v1", "widgets"}).Lister();
  const auto gadgets = factory.ForResource({"example.test", "v1", "gadgets"}).Lister();
  StartAndSync();
  EXPECT_THAT(widgets.List(labels::Everything()), SizeIs(1));
  EXPECT_TRUE(gadgets.Get("g").has_value());
}

TEST_F(FactoryServerTest, SaysThatTheAccountMayNot) {
  server_.SetForbidden({{.match = {.resource = "configmaps"}}});
  auto& factory = Factory();
  (void)factory.For<ConfigMap>().Informer();
  EXPECT_EQ(ReasonAfter(1s), SyncReason::kForbidden);
  // The streaming list (a watch) or the list after it, whichever the deadline meets.
  EXPECT_THAT(failure_, ContainsRegex("configmaps: (list|watch): forbidden: "));
  EXPECT_THAT(failure_, ContainsRegex("cannot (list|watch) resource \"configmaps\""));

  server_.SetForbidden({});
  StartAndSync();
}

TEST_F(FactoryServerTest, SaysThatTheServerDoesNotKnowTheAccount) {
  auto& factory = Factory();
  server_.SetTokens({{"secret", "somebody"}});
  (void)factory.For<ConfigMap>().Informer();
  EXPECT_EQ(ReasonAfter(1s), SyncReason::kUnauthorized);
}

TEST_F(FactoryServerTest, SaysThatTheResourceIsAbsent) {
  auto& factory = Factory();
  (void)factory.ForResource({"example.test", "v1", "widgets"}).Informer();
  EXPECT_EQ(ReasonAfter(1s), SyncReason::kResourceAbsent);
  EXPECT_THAT(failure_, ContainsRegex("widgets.example.test: (list|watch): resource absent: "));
}

TEST_F(FactoryServerTest, SaysThatTheResourceOfANamespaceIsAbsent) {
  auto& factory = Factory({.namespace_ = "mine"});
  (void)factory.ForResource({"example.test", "v1", "widgets"}).Informer();
  EXPECT_EQ(ReasonAfter(1s), SyncReason::kResourceAbsent);
}

TEST_F(FactoryServerTest, SaysThatTheServerCannotBeReached) {
  auto& factory = Factory();
  server_.Stop();
  (void)factory.For<ConfigMap>().Informer();
  EXPECT_EQ(ReasonAfter(1s), SyncReason::kUnreachable);
  server_.Restart();
  StartAndSync();
}

TEST_F(FactoryServerTest, SaysThatTheServerHasNotAnsweredYet) {
  server_.InjectFault(
      {.kind = FaultKind::kStall, .match = {.resource = "configmaps"}, .times = -1});
  auto& factory = Factory();
  (void)factory.For<ConfigMap>().Informer();
  EXPECT_EQ(ReasonAfter(300ms), SyncReason::kNoAnswer);
}

TEST_F(FactoryServerTest, StopsAtOnceWhileARequestStalls) {
  server_.InjectFault(
      {.kind = FaultKind::kStall, .match = {.resource = "configmaps"}, .times = -1});
  auto& factory = Factory();
  const auto maps = factory.For<ConfigMap>().Informer();
  factory.Start(stop_.get_token());
  ASSERT_TRUE(server_.WaitForRequests({.resource = "configmaps"}, 1));
  stop_.request_stop();
  factory.Shutdown();
  EXPECT_TRUE(maps.IsStopped());
}

// client-go: TestReflectorWatchListPageSize, among others: nothing is asked for twice.
TEST_F(FactoryServerTest, OpensTheWatchAgainWithoutAListAfterEveryKindOfEnd) {
  auto& factory = Factory();
  EventRecorder<ConfigMap> seen;
  ASSERT_TRUE(factory.For<ConfigMap>().Informer().AddEventHandler(seen.Handlers()));
  StartAndSync();
  server_.Add(MapJson("default", "a", "1"));
  ASSERT_TRUE(seen.WaitForEvent("add default/a"));
  server_.EndWatches(kWatches);
  ASSERT_TRUE(server_.WaitForRequests(kWatches, 2));
  server_.Add(MapJson("default", "b", "1"));
  ASSERT_TRUE(seen.WaitForEvent("add default/b"));
  server_.ResetWatches(kWatches);
  server_.Add(MapJson("default", "c", "1"));
  ASSERT_TRUE(seen.WaitForEvent("add default/c"));
  server_.InjectFault({.match = kWatches, .times = 1, .status = 429});
  server_.EndWatches(kWatches);
  server_.Add(MapJson("default", "d", "1"));
  ASSERT_TRUE(seen.WaitForEvent("add default/d"));
  EXPECT_EQ(server_.RequestCount(kLists), 0u);
  std::size_t streams = 0;
  for (const auto& request : server_.Requests(kWatches)) {
    if (request.Param("sendInitialEvents") == "true") ++streams;
  }
  EXPECT_EQ(streams, 1u);
  EXPECT_TRUE(seen.Faults().empty());
}

TEST_F(FactoryServerTest, BookmarksMoveTheVersionWithoutEvents) {
  auto& factory = Factory();
  const auto maps = factory.For<ConfigMap>().Informer();
  StartAndSync();
  server_.Add(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})");
  const std::string version = std::to_string(server_.ResourceVersion());
  ASSERT_EQ(server_.SendBookmark(kWatches), 1u);
  server_.EndWatches(kWatches);
  ASSERT_TRUE(server_.WaitForRequests(kWatches, 2));
  EXPECT_EQ(server_.Requests(kWatches)[1].Param("resourceVersion"), version);
  EXPECT_TRUE(maps.Status().lastBookmark.has_value());
}

TEST_F(FactoryServerTest, AServerThatWentBackInTimeIsFollowed) {
  server_.SetResourceVersion(1000);
  server_.Add(MapJson("default", "a", "1"));
  auto& factory = Factory();
  EventRecorder<ConfigMap> seen;
  ASSERT_TRUE(factory.For<ConfigMap>().Informer().AddEventHandler(seen.Handlers()));
  StartAndSync();
  server_.Kill();
  server_.SetResourceVersion(500);
  server_.Delete(MapJson("default", "a", ""));
  server_.Add(MapJson("default", "b", "1"));
  server_.Restart();
  // A watch from the old version is open and would be silent; bookmarks tell.
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(server_.WaitForOpenWatches(kWatches, 1));
    EXPECT_EQ(server_.SendBookmark(kWatches), 1u);
  }
  EXPECT_TRUE(seen.WaitForEvent("add default/b"));
  EXPECT_TRUE(seen.WaitForEvent("delete default/a"));
}

}  // namespace
}  // namespace k8s::test
