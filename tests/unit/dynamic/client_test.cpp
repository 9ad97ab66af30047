#include <gtest/gtest.h>
#include <k8s/dynamic/client.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/json_reader.hpp"
#include "support/case_file.hpp"
#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

const GroupVersionResource kConfigMaps{.group = "", .version = "v1", .resource = "configmaps"};
const GroupVersionResource kWidgets{
    .group = "example.test", .version = "v1", .resource = "widgets"};

class DynamicClientTest : public ::testing::Test {
 protected:
  [[nodiscard]] rest::HttpRequest LastRequest() const { return transport_->requests().back(); }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  dynamic::Client client_{rest::Client::New({.qps = -1}, transport_)};
};

/// The texts between code marks of a cell.
std::vector<std::string> Codes(const std::string& cell) {
  std::vector<std::string> codes;
  for (auto at = cell.find('`'); at != std::string::npos; at = cell.find('`', at)) {
    const auto end = cell.find('`', at + 1);
    codes.push_back(cell.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return codes;
}

/// JSON objects one after another.
std::vector<nlohmann::json> Objects(const std::string& text) {
  std::vector<nlohmann::json> objects;
  std::istringstream in(text);
  while (in >> std::ws && in.peek() != std::istringstream::traits_type::eof()) {
    in >> objects.emplace_back();
  }
  return objects;
}

TEST_F(DynamicClientTest, GetsWhatTheTableSays) {
  // Allowed by the table: a byte order mark is skipped, a failure Status is an error.
  const std::set<std::string> free = {"get-configmaps-leading-bom.json",
                                      "get-configmaps-status-failure-with-200.json"};
  int seen = 0;
  for (const auto& row : testing::ReadMarkdownTables("cases/json/EXPECTED.md")) {
    const auto file = row.column(0);
    if (!file.starts_with("get-") || free.contains(file)) continue;
    SCOPED_TRACE(file);
    ++seen;
    transport_->Add(Body(testing::ReadTestData("cases/json/" + file)));
    const auto object = client_.Resource(kConfigMaps).Namespace("d").Get("a");
    if (row.column(2).starts_with("error")) {
      EXPECT_FALSE(object);
      continue;
    }
    ASSERT_TRUE(object) << object.error().message;
    const auto expected = Codes(row.column(2)).at(0);
    EXPECT_EQ(object->json(), runtime::detail::ReadJson(expected).value());
    // And written and read again it is the same.
    EXPECT_EQ(Unstructured::Parse(object->ToJson()).value(), *object);
  }
  EXPECT_GE(seen, 60);
}

TEST_F(DynamicClientTest, ListsWhatTheTableSays) {
  // Allowed, or preferred, by the table: a null item is left out and reported; one object is no
  // list.
  const std::set<std::string> free = {"list-configmaps-null-item.json",
                                      "list-configmaps-single-object.json"};
  int seen = 0;
  for (const auto& row : testing::ReadMarkdownTables("cases/json/EXPECTED.md")) {
    const auto file = row.column(0);
    if (!file.starts_with("list-") || free.contains(file)) continue;
    SCOPED_TRACE(file);
    ++seen;
    transport_->Add(Body(testing::ReadTestData("cases/json/" + file)));
    const auto list = client_.Resource(kConfigMaps).List();
    if (row.column(2).starts_with("error")) {
      EXPECT_FALSE(list);
      continue;
    }
    ASSERT_TRUE(list) << list.error().message;
    EXPECT_TRUE(list->unreadable.empty());
    const auto codes = Codes(row.column(2));
    std::vector<nlohmann::json> items;
    for (const auto& item : list->items) items.push_back(item->json());
    EXPECT_EQ(items, Objects(codes.at(0)));
  }
  EXPECT_GT(seen, 10);
}

TEST_F(DynamicClientTest, ANullItemIsReported) {
  transport_->Add(Body(testing::ReadTestData("cases/json/list-configmaps-null-item.json")));
  const auto list = client_.Resource(kConfigMaps).List().value();
  EXPECT_EQ(list.items.size(), 1U);
  EXPECT_EQ(list.unreadable.size(), 1U);
}

TEST_F(DynamicClientTest, ChoosesNamespacesOrNone) {
  transport_->Add(Body(R"({"kind":"Widget","metadata":{"name":"w"}})"));
  EXPECT_TRUE(client_.Resource(kWidgets).Namespace("d").Get("w"));
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/namespaces/d/widgets/w");
  transport_->Add(Body(R"({"kind":"Widget","metadata":{"name":"w"}})"));
  EXPECT_TRUE(client_.Resource(kWidgets).Get("w"));
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/widgets/w");
}

TEST_F(DynamicClientTest, RefusesOtherKindsWhenTheKindIsKnown) {
  const ResourceInfo info{
      .group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"};
  transport_->Add(Body(R"({"kind":"Gadget","metadata":{"name":"w"}})"));
  EXPECT_EQ(client_.Resource(info).Namespace("d").Get("w").error().kind, ErrorKind::kDecode);
  transport_->Add(Body(R"({"metadata":{"name":"w"}})"));
  const auto object = client_.Resource(info).Namespace("d").Get("w").value();
  EXPECT_EQ(object.GetKind(), "Widget");
  EXPECT_EQ(object.GetAPIVersion(), "example.test/v1");
  EXPECT_FALSE(client_.Resource(info).Get("w")) << "namespaced";
}

TEST_F(DynamicClientTest, SendsObjectsWithTheirKind) {
  const ResourceInfo info{
      .group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"};
  transport_->Add(Body(R"({"kind":"Widget","metadata":{"name":"w"}})", 201));
  Unstructured widget;
  widget.SetName("w");
  widget.json()["spec"]["size"] = 3;
  EXPECT_TRUE(client_.Resource(info).Namespace("d").Create(widget));
  EXPECT_EQ(LastRequest().method, "POST");
  EXPECT_EQ(LastRequest().body,
            R"({"apiVersion":"example.test/v1","kind":"Widget","metadata":{"name":"w"},)"
            R"("spec":{"size":3}})");
}

constexpr const char* kWidget =
    R"({"apiVersion":"example.test/v1","kind":"Widget","metadata":{"name":"w"}})";
const ResourceInfo kWidgetInfo{
    .group = "example.test", .version = "v1", .kind = "Widget", .plural = "widgets"};

// client-go: TestGet, TestCreate, TestUpdate, TestPatch, TestDelete (dynamic), their subresources
TEST_F(DynamicClientTest, ReadsAndWritesPartsOfObjects) {
  const auto widgets = client_.Resource(kWidgetInfo).Namespace("d");
  const std::string path = "/apis/example.test/v1/namespaces/d/widgets/w/";
  constexpr const char* kScale =
      R"({"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"w"},"spec":{"replicas":1}})";
  for (int i = 0; i < 4; ++i) transport_->Add(Body(kScale));
  const auto scale = widgets.Get("w", {}, "scale").value();
  EXPECT_EQ(scale.GetKind(), "Scale") << "another kind than the resource's";
  EXPECT_EQ(LastRequest().target, path + "scale");
  EXPECT_TRUE(widgets.Update(scale, {}, "scale"));
  EXPECT_EQ(LastRequest().method, "PUT");
  EXPECT_EQ(LastRequest().body, kScale);
  EXPECT_TRUE(widgets.Patch("w", {.text = "{}"}, {}, "scale"));
  EXPECT_EQ(LastRequest().method + LastRequest().target, "PATCH" + path + "scale");
  EXPECT_TRUE(widgets.Apply("w", scale, {.fieldManager = "me"}, "scale"));
  EXPECT_EQ(LastRequest().target, path + "scale?fieldManager=me&force=false");
  transport_->Add(Body(R"({"kind":"Status","apiVersion":"v1","status":"Success"})", 201));
  EXPECT_EQ(widgets.Create(scale, {}, "eviction").value().GetKind(), "Status");
  EXPECT_EQ(LastRequest().method + LastRequest().target, "POST" + path + "eviction");
  transport_->Add(Body("{}"));
  EXPECT_TRUE(widgets.Delete("w", {}, "part"));
  EXPECT_EQ(LastRequest().method + LastRequest().target, "DELETE" + path + "part");
  EXPECT_EQ(widgets.Get("", {}, "scale").error().kind, ErrorKind::kInvalidArgument);
}

// client-go: TestUpdate (dynamic), its status
TEST_F(DynamicClientTest, AStatusIsOfTheResourcesKind) {
  const auto widgets = client_.Resource(kWidgetInfo).Namespace("d");
  Unstructured widget;
  widget.SetName("w");
  transport_->Add(Body(kWidget));
  EXPECT_TRUE(widgets.UpdateStatus(widget));
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/namespaces/d/widgets/w/status");
  EXPECT_NE(LastRequest().body.find(R"("kind":"Widget")"), std::string::npos);
  transport_->Add(Body(R"({"kind":"Gadget","apiVersion":"example.test/v1","metadata":{}})"));
  EXPECT_EQ(widgets.Get("w", {}, "status").error().kind, ErrorKind::kDecode);
}

// client-go: TestApply, TestApplyStatus (fake dynamic client)
TEST_F(DynamicClientTest, AppliesObjects) {
  const auto widgets = client_.Resource(kWidgetInfo).Namespace("d");
  Unstructured widget;
  widget.SetName("w");
  widget.json()["spec"]["size"] = 3;
  transport_->Add(Body(kWidget));
  EXPECT_TRUE(widgets.Apply("w", widget, {.fieldManager = "me", .force = true}));
  EXPECT_EQ(LastRequest().method, "PATCH");
  EXPECT_EQ(LastRequest().target,
            "/apis/example.test/v1/namespaces/d/widgets/w?fieldManager=me&force=true");
  EXPECT_EQ(LastRequest().body,
            R"({"apiVersion":"example.test/v1","kind":"Widget","metadata":{"name":"w"},)"
            R"("spec":{"size":3}})");
  transport_->Add(Body(kWidget));
  EXPECT_TRUE(widgets.ApplyStatus("w", widget, {.fieldManager = "me"}));
  EXPECT_EQ(LastRequest().target,
            "/apis/example.test/v1/namespaces/d/widgets/w/status?fieldManager=me&force=false");
  EXPECT_EQ(widgets.Apply("w", widget, {}).error().kind, ErrorKind::kInvalidArgument);
  widget.json()["metadata"]["managedFields"] = nlohmann::json::array();
  const auto refused = widgets.Apply("w", widget, {.fieldManager = "me"});
  EXPECT_EQ(refused.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(transport_->requests().size(), 2U);
}

// client-go: TestDeleteCollection, TestWatch, TestList (dynamic)
TEST_F(DynamicClientTest, DeletesListsAndWatchesInOrAcrossNamespaces) {
  const auto all = client_.Resource(kWidgets);
  transport_->Add(Body("{}"));
  EXPECT_TRUE(all.Namespace("d").DeleteCollection({}, {.labelSelector = "a=b"}));
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/namespaces/d/widgets?labelSelector=a%3Db");
  transport_->Add(Body("{}"));
  EXPECT_TRUE(all.DeleteCollection({}, {.fieldSelector = "metadata.name=w"}));
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/widgets?fieldSelector=metadata.name%3Dw");
  transport_->Add(Body(
      R"({"kind":"WidgetList","apiVersion":"example.test/v1","metadata":{"resourceVersion":"7","continue":"c","remainingItemCount":4},"items":[{"metadata":{"name":"w"}}]})"));
  const auto page = all.Namespace("d").List({.limit = 1}).value();
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/namespaces/d/widgets?limit=1");
  EXPECT_EQ(page.items.at(0)->GetKind(), "Widget");
  EXPECT_EQ(page.continueToken, "c");
  EXPECT_EQ(page.remainingItemCount, 4);
  transport_->Add(Body(std::string(R"({"type":"DELETED","object":)") + kWidget + "}"));
  auto watch = all.Watch({.resourceVersion = "7"}).value();
  EXPECT_EQ(LastRequest().target, "/apis/example.test/v1/widgets?resourceVersion=7&watch=true");
  const auto event = watch.Next().value();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->type, watch::EventType::kDeleted);
  EXPECT_EQ(event->object->GetName(), "w");
}

// client-go: TestIsUnsupportedTableObject
TEST_F(DynamicClientTest, RefusesATable) {
  transport_->Add(Body(R"({"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1",)"
                       R"("metadata":{"name":"a"},"rows":[]}})"));
  auto watch = client_.Resource(kConfigMaps).Watch().value();
  EXPECT_EQ(watch.Next().error().kind, ErrorKind::kDecode);
  transport_->Add(Body(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]})"));
  EXPECT_FALSE(client_.Resource(kConfigMaps).Namespace("d").Get("a"));
  transport_->Add(Body(testing::ReadTestData("recorded/lists/table-of-configmaps.json")));
  EXPECT_FALSE(client_.Resource(kConfigMaps).List());
}

}  // namespace
}  // namespace k8s::test
