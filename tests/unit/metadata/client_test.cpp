#include <gtest/gtest.h>
#include <k8s/metadata/client.hpp>

#include <memory>
#include <string>

#include "support/case_file.hpp"
#include "support/fake_transport.hpp"

namespace k8s::test {
namespace {

const GroupVersionResource kPods{.group = "", .version = "v1", .resource = "pods"};

class MetadataClientTest : public ::testing::Test {
 protected:
  [[nodiscard]] rest::HttpRequest LastRequest() const { return transport_->requests().back(); }
  [[nodiscard]] std::string LastAccept() const {
    for (const auto& [name, value] : LastRequest().headers) {
      if (name == "Accept") return value;
    }
    return {};
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  metadata::Client client_{rest::Client::New({.qps = -1}, transport_)};
};

// client-go: TestClient
TEST_F(MetadataClientTest, AsksForMetadataAlone) {
  transport_->Add(Body(testing::ReadTestData("recorded/lists/metadata-of-pods.json")));
  const auto list = client_.Resource(kPods).List().value();
  EXPECT_EQ(LastRequest().target, "/api/v1/pods");
  EXPECT_EQ(LastAccept(),
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json");
  ASSERT_FALSE(list.items.empty());
  EXPECT_TRUE(list.unreadable.empty());
  EXPECT_FALSE(list.items[0]->metadata.ownerReferences.empty());
}

TEST_F(MetadataClientTest, TakesWholeObjectsToo) {
  transport_->Add(Body(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","uid":"u"},"spec":{"x":[1]}})"));
  const auto pod = client_.Resource(kPods).Namespace("d").Get("a").value();
  EXPECT_EQ(pod.metadata.uid, "u");
  EXPECT_EQ(LastRequest().target, "/api/v1/namespaces/d/pods/a");
  EXPECT_EQ(LastAccept(),
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json");
}

TEST_F(MetadataClientTest, PatchesDeletesAndWatches) {
  const auto pods = client_.Resource(kPods).Namespace("d");
  transport_->Add(Body(
      R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}})"));
  EXPECT_TRUE(pods.Patch("a", {.text = "{}"}));
  EXPECT_EQ(LastRequest().method, "PATCH");
  transport_->Add(Body("{}"));
  EXPECT_TRUE(pods.Delete("a"));
  EXPECT_EQ(LastRequest().method, "DELETE");
  transport_->Add(Body(
      R"({"type":"ADDED","object":{"kind":"PartialObjectMetadata","metadata":{"name":"b","resourceVersion":"9"}}})"));
  auto watch = pods.Watch().value();
  const auto event = watch.Next().value();
  ASSERT_TRUE(event.has_value());
  EXPECT_EQ(event->object->metadata.name, "b");
  EXPECT_EQ(event->resourceVersion, "9");
}

TEST_F(MetadataClientTest, RefusesWhatIsNoObject) {
  const auto pods = client_.Resource(kPods).Namespace("d");
  transport_->Add(Body(R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404})"));
  EXPECT_TRUE(IsNotFound(pods.Get("a").error()));
  transport_->Add(Body(R"({"kind":"Pod","metadata":{}})"));
  EXPECT_EQ(pods.Get("a").error().kind, ErrorKind::kDecode);
}

}  // namespace
}  // namespace k8s::test
