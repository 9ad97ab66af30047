#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/dynamic/client.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

/// The typed and the dynamic client against a server, over the real transport.
namespace k8s::test {
namespace {

using corev1::ConfigMap;
using kubernetes::Clientset;
using kubernetes::PatchType;
using testing::FakeApiServer;
using testing::FaultKind;
using watch::EventType;

class ClientServerTest : public ::testing::Test {
 protected:
  [[nodiscard]] kubernetes::ResourceClient<ConfigMap> ConfigMaps() const {
    return client_.CoreV1().ConfigMaps("d");
  }
  static ConfigMap Map(std::string_view name, std::string_view value) {
    return {.metadata = {.name = std::string(name), .namespace_ = "d"},
            .data = {{"k", std::string(value)}}};
  }

  FakeApiServer server_;
  Clientset client_ = Clientset::New(server_.config()).value();
  dynamic::Client dynamic_{client_.RESTClient()};
};

TEST_F(ClientServerTest, TheLifeOfAnObject) {
  auto created = ConfigMaps().Create(Map("a", "1")).value();
  EXPECT_FALSE(created.metadata.uid.empty());
  EXPECT_TRUE(IsAlreadyExists(ConfigMaps().Create(Map("a", "1")).error()));

  auto stale = ConfigMaps().Get("a").value();
  EXPECT_EQ(stale, created);
  created.data["k"] = "2";
  const auto updated = ConfigMaps().Update(created).value();
  EXPECT_EQ(updated.data.at("k"), "2");
  EXPECT_NE(updated.metadata.resourceVersion, created.metadata.resourceVersion);
  EXPECT_TRUE(IsConflict(ConfigMaps().Update(stale).error()));

  EXPECT_EQ(ConfigMaps().Patch("a", {PatchType::kMerge, R"({"data":{"m":"3"}})"})->data.at("m"),
            "3");
  EXPECT_EQ(ConfigMaps()
                .Patch("a", {PatchType::kJson, R"([{"op":"remove","path":"/data/k"}])"})
                ->data.count("k"),
            0U);

  EXPECT_TRUE(ConfigMaps().Delete("a"));
  const auto gone = ConfigMaps().Get("a").error();
  EXPECT_TRUE(IsNotFound(gone));
  EXPECT_EQ(gone.resource, "configmaps");
  EXPECT_EQ(gone.name, "a");
}

TEST_F(ClientServerTest, ListsInPages) {
  server_.CreateMany(25, "d");
  auto pods = client_.CoreV1().Pods("d");
  metav1::ListOptions options{.limit = 10};
  std::vector<std::string> names;
  int pages = 0;
  do {
    auto page = pods.List(options).value();
    for (const auto& pod : page.items) names.push_back(pod->metadata.name);
    options.continue_ = page.continueToken;
    ++pages;
  } while (!options.continue_.empty());
  EXPECT_EQ(pages, 3);
  EXPECT_EQ(names.size(), 25U);
}

TEST_F(ClientServerTest, AVisitorMayUseTheClient) {
  server_.CreateMany(500, "d");
  auto pods = client_.CoreV1().Pods("d");
  int seen = 0;
  const auto visited = pods.Visit({}, [&](const ObjectPtr<corev1::Pod>& pod) {
    if (seen++ % 100 == 0) {
      EXPECT_TRUE(pods.Get(pod->metadata.name));
    }
  });
  ASSERT_TRUE(visited) << visited.error().message;
  EXPECT_EQ(seen, 500);
}

TEST_F(ClientServerTest, WatchesFromTheListsVersion) {
  server_.Add(Map("a", "1"));
  const auto list = ConfigMaps().List().value();
  auto watch = ConfigMaps().Watch({.resourceVersion = list.resourceVersion}).value();
  server_.Modify(Map("a", "2"));
  server_.Delete(Map("a", "2"));
  auto modified = watch.Next().value().value();
  EXPECT_EQ(modified.type, EventType::kModified);
  EXPECT_EQ(modified.object->data.at("k"), "2");
  EXPECT_EQ(watch.Next().value()->type, EventType::kDeleted);
  server_.EndWatches();
  EXPECT_EQ(watch.Next().value().has_value(), false);
}

TEST_F(ClientServerTest, AWatchWhoseEventsAreGzipMembers) {
  server_.InjectFault({.kind = FaultKind::kGzip, .match = {.verb = "watch"}});
  auto watch = ConfigMaps().Watch().value();
  for (const char* value : {"1", "2", "3"}) {
    server_.Apply(Map("a", value));
    EXPECT_EQ(watch.Next().value()->object->data.at("k"), value);
  }
}

TEST_F(ClientServerTest, AWatchThatIsResetIsALostConnection) {
  auto watch = ConfigMaps().Watch().value();
  server_.ResetWatches();
  EXPECT_EQ(watch.Next().error().kind, ErrorKind::kConnectionLost);
}

TEST_F(ClientServerTest, AStopEndsAWatchThatIsSilent) {
  auto watch = ConfigMaps().Watch().value();
  std::stop_source stop;
  std::thread stopper([&stop] { stop.request_stop(); });
  EXPECT_EQ(watch.Next(stop.get_token()).error().kind, ErrorKind::kCancelled);
  stopper.join();
}

TEST_F(ClientServerTest, TriesAgainWhenTheServerAsksForIt) {
  server_.Add(Map("a", "1"));
  server_.InjectFault({.kind = FaultKind::kStatus, .status = 429, .retryAfter = 1});
  EXPECT_TRUE(ConfigMaps().Get("a"));
  EXPECT_EQ(server_.FaultsMet(), 1U);
}

TEST_F(ClientServerTest, TheDynamicClientSeesTheSameObjects) {
  const auto maps = dynamic_.Resource({.group = "", .version = "v1", .resource = "configmaps"});
  Unstructured object;
  object.SetAPIVersion("v1");
  object.SetKind("ConfigMap");
  object.SetName("a");
  object.json()["data"]["k"] = "1";
  EXPECT_TRUE(maps.Namespace("d").Create(object));
  EXPECT_EQ(ConfigMaps().Get("a")->data.at("k"), "1");
  const auto list = maps.List().value();
  ASSERT_EQ(list.items.size(), 1U);
  EXPECT_EQ(list.items[0]->GetKind(), "ConfigMap");
  EXPECT_EQ(list.items[0]->NestedString({"data", "k"}), "1");
  EXPECT_TRUE(maps.Namespace("d").Delete("a"));
  EXPECT_TRUE(IsNotFound(maps.Namespace("d").Get("a").error()));
}

TEST_F(ClientServerTest, AStoppedServerIsRefused) {
  server_.Stop();
  EXPECT_EQ(ConfigMaps().Get("a").error().kind, ErrorKind::kConnect);
}

}  // namespace
}  // namespace k8s::test
