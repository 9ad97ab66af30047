#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/fields.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/rest/client.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "support/case_file.hpp"
#include "support/fake_transport.hpp"

namespace k8s::test {

/// A user's own resource: a projection of what the server has.
struct Widget {
  struct Spec {
    std::string color;
  };
  ObjectRef metadata;
  Spec spec;
};

}  // namespace k8s::test

CLIENT_CPP_FIELDS(k8s::test::Widget::Spec, color);
CLIENT_CPP_FIELDS(k8s::test::Widget, metadata, spec);
CLIENT_CPP_RESOURCE(k8s::test::Widget, .group = "example.test", .version = "v1", .kind = "Widget",
                    .plural = "widgets");

namespace k8s::test {
namespace {

using std::chrono::seconds;
using watch::EventType;

constexpr const char* kConfigMap =
    R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"d","resourceVersion":"7"},"data":{"k":"v"}})";

class ResourceClientTest : public ::testing::Test {
 protected:
  [[nodiscard]] kubernetes::ResourceClient<corev1::ConfigMap> ConfigMaps(
      std::string_view ns = "d") const {
    return client_.CoreV1().ConfigMaps(ns);
  }
  [[nodiscard]] rest::HttpRequest LastRequest() const { return transport_->requests().back(); }
  static std::string ContentType(const rest::HttpRequest& request) {
    for (const auto& [name, value] : request.headers) {
      if (name == "Content-Type") return value;
    }
    return {};
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  kubernetes::Clientset client_{rest::Client::New({.qps = -1}, transport_)};
};

TEST_F(ResourceClientTest, GetsAValueOfItsOwn) {
  transport_->Add(Body(kConfigMap));
  auto map = ConfigMaps().Get("a", {.resourceVersion = "0"}).value();
  EXPECT_EQ(map.metadata.name, "a");
  map.data["k"] = "changed";
  EXPECT_EQ(LastRequest().method, "GET");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps/a?resourceVersion=0");
}

TEST_F(ResourceClientTest, CreatesUpdatesAndUpdatesTheStatus) {
  for (int i = 0; i < 3; ++i) transport_->Add(Body(kConfigMap, 201));
  const corev1::ConfigMap map{.metadata = {.name = "a"}, .data = {{"k", "v"}}};
  EXPECT_EQ(ConfigMaps().Create(map, {.fieldManager = "me"})->metadata.resourceVersion, "7");
  EXPECT_EQ(LastRequest().method, "POST");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps?fieldManager=me");
  EXPECT_EQ(ContentType(LastRequest()), "application/json");
  EXPECT_TRUE(LastRequest().body.starts_with(R"({"kind":"ConfigMap","apiVersion":"v1",)"))
      << LastRequest().body;
  EXPECT_TRUE(ConfigMaps().Update(map));
  EXPECT_EQ(LastRequest().method, "PUT");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps/a");
  EXPECT_TRUE(ConfigMaps().UpdateStatus(map));
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps/a/status");
}

TEST_F(ResourceClientTest, PatchesInEveryForm) {
  using kubernetes::PatchType;
  const std::vector<std::pair<PatchType, std::string>> types = {
      {PatchType::kJson, "application/json-patch+json"},
      {PatchType::kMerge, "application/merge-patch+json"},
      {PatchType::kStrategicMerge, "application/strategic-merge-patch+json"},
      {PatchType::kApply, "application/apply-patch+yaml"}};
  for (const auto& [type, content_type] : types) {
    transport_->Add(Body(kConfigMap));
    EXPECT_TRUE(ConfigMaps().Patch("a", {type, "{}"}, {.fieldManager = "me"}));
    EXPECT_EQ(LastRequest().method, "PATCH");
    EXPECT_EQ(LastRequest().body, "{}");
    EXPECT_EQ(ContentType(LastRequest()), content_type);
  }
  transport_->Add(Body(kConfigMap));
  EXPECT_TRUE(ConfigMaps().PatchStatus("a", {.text = "{}"}));
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps/a/status");
}

TEST_F(ResourceClientTest, DeletesOneAndMany) {
  transport_->Add(Body(testing::ReadTestData("recorded/status/200-deleted.json")));
  transport_->Add(Body("{}"));
  EXPECT_TRUE(ConfigMaps().Delete("a", {.propagationPolicy = "Foreground"}));
  EXPECT_EQ(LastRequest().method, "DELETE");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps/a");
  EXPECT_EQ(LastRequest().body,
            R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"})");
  EXPECT_TRUE(ConfigMaps().DeleteCollection({}, {.labelSelector = "a=b"}));
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps?labelSelector=a%3Db");
}

TEST_F(ResourceClientTest, SendsNothingForCallsThatWouldMeanSomethingElse) {
  const auto kind = [](const auto& result) { return result.error().kind; };
  EXPECT_EQ(kind(ConfigMaps().Get("")), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps().Delete("")), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps().Delete("../secrets/x")), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps().Update({})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps().Patch("", {})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps("").Get("a")), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps("").Create({})), ErrorKind::kInvalidArgument);
  EXPECT_EQ(kind(ConfigMaps().Patch("a", {kubernetes::PatchType::kApply, "{}"})),
            ErrorKind::kInvalidArgument);
  EXPECT_TRUE(transport_->requests().empty());
}

TEST_F(ResourceClientTest, RefusesAnswersThatAreNotTheObject) {
  transport_->Add(Body(""));
  EXPECT_EQ(ConfigMaps().Get("a").error().kind, ErrorKind::kDecode);
  transport_->Add(Body(R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"a"}})"));
  EXPECT_EQ(ConfigMaps().Get("a").error().kind, ErrorKind::kDecode);
  transport_->Add({.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf"}},
                   .chunks = {std::string("k8s\0", 4)}});
  EXPECT_EQ(ConfigMaps().Get("a").error().kind, ErrorKind::kDecode);
  transport_->Add({.headers = {{"Content-Type", "text/html"}}, .chunks = {"<html>Sign in</html>"}});
  const auto error = ConfigMaps().Get("a").error();
  EXPECT_EQ(error.kind, ErrorKind::kDecode);
  EXPECT_NE(error.message.find("<html>Sign in"), std::string::npos) << error.message;
}

TEST_F(ResourceClientTest, AStatusInPlaceOfTheObjectIsItsError) {
  transport_->Add(Body(testing::ReadTestData("recorded/status/404-not-found.json")));
  EXPECT_TRUE(IsNotFound(ConfigMaps().Get("a").error()));
}

TEST_F(ResourceClientTest, ListsAPage) {
  transport_->Add(Body(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)"
                       R"({"resourceVersion":"10","continue":"next","remainingItemCount":3},)"
                       R"("items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]})"));
  const auto list = ConfigMaps("").List({.limit = 2}).value();
  ASSERT_EQ(list.items.size(), 2U);
  EXPECT_EQ(list.items[1]->metadata.name, "b");
  EXPECT_EQ(list.resourceVersion, "10");
  EXPECT_EQ(list.continueToken, "next");
  EXPECT_EQ(list.remainingItemCount, 3);
  EXPECT_TRUE(list.unreadable.empty());
  EXPECT_EQ(LastRequest().target, "/api/v1/configmaps?limit=2");
}

TEST_F(ResourceClientTest, HandsItemsOverBeforeTheListIsComplete) {
  transport_->Add({.chunks = {R"({"kind":"ConfigMapList","items":[{"metadata":{"name":"a"}},)",
                              R"({"metadata":{"name":"b"}})"},
                   .end = Error{.kind = ErrorKind::kConnectionLost, .message = "reset"}});
  std::vector<std::string> names;
  const auto visited = ConfigMaps().Visit({}, [&names](const ObjectPtr<corev1::ConfigMap>& item) {
    names.push_back(item->metadata.name);
  });
  EXPECT_EQ(visited.error().kind, ErrorKind::kConnectionLost);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
}

TEST_F(ResourceClientTest, ReportsItemsThatCannotBeDecodedBesideTheGoodOnes) {
  transport_->Add(Body(testing::ReadTestData("cases/json/list-secrets-one-bad-item.json")));
  const auto list = client_.CoreV1().Secrets("d").List().value();
  ASSERT_EQ(list.items.size(), 2U);
  ASSERT_EQ(list.unreadable.size(), 1U);
  EXPECT_EQ(list.unreadable[0].kind, ErrorKind::kDecode);
  EXPECT_EQ(list.unreadable[0].reason, cache::kReasonObjectDecode);
  EXPECT_EQ(list.unreadable[0].name, "b");
}

TEST_F(ResourceClientTest, RefusesTablesAndSingleObjectsAsLists) {
  transport_->Add(Body(testing::ReadTestData("recorded/lists/table-of-configmaps.json")));
  EXPECT_FALSE(ConfigMaps().List());
  transport_->Add(Body(kConfigMap));
  EXPECT_FALSE(ConfigMaps().List());
  transport_->Add({.headers = {{"Content-Type", "text/html"}}, .chunks = {"<html>Sign in</html>"}});
  EXPECT_NE(ConfigMaps().List().error().message.find("Sign in"), std::string::npos);
}

TEST_F(ResourceClientTest, WatchesTypedEvents) {
  transport_->Add(
      Body(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",)"
           R"("metadata":{"name":"a","resourceVersion":"11"}}})"
           R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","metadata":{"resourceVersion":"20",)"
           R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
           R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","code":410,)"
           R"("reason":"Expired","message":"too old"}})"));
  auto watch = ConfigMaps().Watch({.resourceVersion = "10"}).value();
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/configmaps?resourceVersion=10&watch=true");
  auto added = watch.Next().value().value();
  EXPECT_EQ(added.type, EventType::kAdded);
  EXPECT_EQ(added.object->metadata.name, "a");
  EXPECT_EQ(added.resourceVersion, "11");
  auto bookmark = watch.Next().value().value();
  EXPECT_EQ(bookmark.type, EventType::kBookmark);
  EXPECT_EQ(bookmark.resourceVersion, "20");
  EXPECT_TRUE(bookmark.initialEventsEnd);
  EXPECT_EQ(bookmark.object, nullptr);
  auto error = watch.Next().value().value();
  EXPECT_EQ(error.type, EventType::kError);
  EXPECT_TRUE(IsExpired(error.status));
  EXPECT_EQ(watch.Next().value(), std::nullopt);
}

TEST_F(ResourceClientTest, OnlyTheValueTrueEndsTheInitialEvents) {
  transport_->Add(Body(
      R"({"type":"BOOKMARK","object":{"metadata":{"annotations":{"k8s.io/initial-events-end":"TRUE"}}}})"));
  auto watch = ConfigMaps().Watch().value();
  EXPECT_FALSE(watch.Next().value()->initialEventsEnd);
}

TEST_F(ResourceClientTest, AnEventThatCannotBeDecodedDoesNotEndTheWatch) {
  transport_->Add(Body(testing::ReadTestData("cases/json/watch-secrets-one-bad-event.txt")));
  auto watch = client_.CoreV1().Secrets("d").Watch().value();
  int good = 0;
  int bad = 0;
  while (true) {
    auto event = watch.Next();
    if (event && !*event) break;
    if (event) {
      ++good;
    } else {
      EXPECT_EQ(event.error().reason, cache::kReasonObjectDecode);
      EXPECT_FALSE(event.error().name.empty());
      ++bad;
    }
  }
  EXPECT_EQ(good, 1);
  EXPECT_EQ(bad, 1);
}

// client-go: TestIsUnsupportedTableObject
TEST_F(ResourceClientTest, RefusesATableInAWatch) {
  transport_->Add(Body(R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                       R"("metadata":{"name":"a"},"rows":[]}})"));
  auto watch = ConfigMaps().Watch().value();
  EXPECT_EQ(watch.Next().error().kind, ErrorKind::kDecode);
}

TEST_F(ResourceClientTest, BoundsWatchesInTimeAndSilence) {
  const auto silence = std::make_shared<std::chrono::milliseconds>(-1);
  const auto request_for = [&](const metav1::ListOptions& options) {
    auto answer = Body("");
    answer.idleTimeout = silence;
    transport_->Add(std::move(answer));
    EXPECT_TRUE(ConfigMaps().Watch(options));
    return LastRequest();
  };
  const auto plain = request_for({});
  EXPECT_EQ(plain.timeout, seconds(0));
  EXPECT_EQ(plain.idleTimeout, seconds(45));  // For the head; the body may be silent.
  EXPECT_EQ(*silence, seconds(0));
  const auto bounded = request_for({.allowWatchBookmarks = true, .timeoutSeconds = 300});
  EXPECT_EQ(bounded.timeout, seconds(330));
  EXPECT_EQ(bounded.idleTimeout, seconds(45));
  EXPECT_EQ(*silence, seconds(120));
}

TEST_F(ResourceClientTest, ListsAndWatchesOfAnInformerAreSilentForAsLongAsItSays) {
  const auto source = cache::NewListWatchFromClient(ConfigMaps().core());
  const auto list = [&] {
    transport_->Add(Body(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[]})"));
    EXPECT_TRUE(source->List({}, [](const runtime::AnyPtr&) {}, {}));
    return LastRequest().idleTimeout;
  };
  const auto open = [&] {
    transport_->Add(Body(""));
    EXPECT_TRUE(source->Watch({}, {}));
    return LastRequest().idleTimeout;
  };
  EXPECT_EQ(list(), seconds(120));
  EXPECT_EQ(open(), seconds(45));
  source->SetRequestOptions({.openingIdle = seconds(7), .listIdle = seconds(9)});
  EXPECT_EQ(list(), seconds(9));
  EXPECT_EQ(open(), seconds(7));
  source->SetRequestOptions({});
  EXPECT_EQ(list(), seconds(0));
  EXPECT_EQ(open(), seconds(0));
}

TEST_F(ResourceClientTest, WhatAnInformersRequestsTryAgainIsTold) {
  const auto source = cache::NewListWatchFromClient(ConfigMaps().core());
  std::vector<int> told;
  source->SetRequestOptions(
      {.onRetry = [&](const Error& error, seconds) { told.push_back(error.code); }});
  transport_->Add({.status = 429, .headers = {{"Retry-After", "0"}}});
  transport_->Add(Body(R"({"kind":"ConfigMapList","apiVersion":"v1","items":[]})"));
  EXPECT_TRUE(source->List({}, [](const runtime::AnyPtr&) {}, {}));
  transport_->Add({.status = 503, .headers = {{"Retry-After", "0"}}});
  transport_->Add(Body(""));
  EXPECT_TRUE(source->Watch({}, {}));
  EXPECT_EQ(told, (std::vector<int>{429, 503}));
}

TEST_F(ResourceClientTest, AStopEndsAWatch) {
  transport_->Add(Body(R"({"type":"BOOKMARK","object":{}})"));
  auto watch = ConfigMaps().Watch().value();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(watch.Next(stop.get_token()).error().kind, ErrorKind::kCancelled);
}

TEST_F(ResourceClientTest, AWatchPassesOnHowItsBodyEnded) {
  transport_->Add({.end = Error{.kind = ErrorKind::kTimeout, .message = "silent"}});
  auto watch = ConfigMaps().Watch().value();
  EXPECT_EQ(watch.Next().error().kind, ErrorKind::kTimeout);
}

TEST_F(ResourceClientTest, RefusesAWatchThatIsNotJson) {
  transport_->Add(
      {.headers = {{"Content-Type", "application/vnd.kubernetes.protobuf;stream=watch"}}});
  EXPECT_EQ(ConfigMaps().Watch().error().kind, ErrorKind::kDecode);
  transport_->Add(Body(testing::ReadTestData("recorded/status/403-forbidden-list.json"), 403));
  EXPECT_TRUE(IsForbidden(ConfigMaps().Watch().error()));
}

TEST_F(ResourceClientTest, ServesAUsersOwnType) {
  transport_->Add(Body(R"({"kind":"Widget","apiVersion":"example.test/v1","metadata":{"name":"w",)"
                       R"("uid":"u"},"spec":{"color":"red","unknown":[1,2]}})"));
  auto widget = client_.Resource<Widget>("d").Get("w").value();
  EXPECT_EQ(widget.spec.color, "red");
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/namespaces/d/widgets/w");
}

TEST_F(ResourceClientTest, ClusterScopedResourcesHaveNoNamespace) {
  transport_->Add(Body(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})"));
  EXPECT_TRUE(client_.CoreV1().Nodes().Get("n"));
  EXPECT_EQ(LastRequest().target, "/api/v1/nodes/n");
  EXPECT_EQ(client_.Resource<corev1::Node>("d").Get("n").error().kind, ErrorKind::kInvalidArgument);
}

}  // namespace
}  // namespace k8s::test
