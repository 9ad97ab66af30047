// Informers of types that the library does not know: a projection of a built-in kind, a custom
// resource described by macro, and one that only nlohmann's functions describe.

#include <k8s/apis/json.hpp>
#include <k8s/fields.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <utility>

#include "support/event_recorder.hpp"

namespace {

struct PodView {
  struct Spec {
    std::string nodeName;
  };
  struct Status {
    std::string phase;
    std::string podIP;
  };
  k8s::ObjectRef metadata;
  Spec spec;
  Status status;
};

struct Widget {
  struct Spec {
    std::int64_t size = 0;
    std::vector<std::string> colors;
  };
  k8s::metav1::ObjectMeta metadata;
  Spec spec;
};

struct JsonWidget {
  k8s::ObjectRef metadata;
  nlohmann::json spec;
  NLOHMANN_DEFINE_TYPE_INTRUSIVE_WITH_DEFAULT(JsonWidget, metadata, spec)
};

}  // namespace

CLIENT_CPP_FIELDS(PodView::Spec, nodeName);
CLIENT_CPP_FIELDS(PodView::Status, phase, podIP);
CLIENT_CPP_FIELDS(PodView, metadata, spec, status);
CLIENT_CPP_RESOURCE(PodView, .version = "v1", .kind = "Pod", .plural = "pods");
CLIENT_CPP_FIELDS(Widget::Spec, size, colors);
CLIENT_CPP_FIELDS(Widget, metadata, spec);
CLIENT_CPP_RESOURCE(Widget, .group = "example.test", .version = "v1", .kind = "Widget",
                    .plural = "widgets");
CLIENT_CPP_RESOURCE(JsonWidget, .group = "example.test", .version = "v1", .kind = "Widget",
                    .plural = "widgets");

namespace k8s::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;
using namespace std::chrono_literals;

constexpr char kWidget[] =
    R"({"apiVersion":"example.test/v1","kind":"Widget",)"
    R"("metadata":{"name":"w","namespace":"default","labels":{"app":"web"}},)"
    R"("spec":{"size":3,"colors":["red","blue"],"unknown":{"deep":[1,2]}}})";

class UserTypesTest : public ::testing::TestWithParam<bool> {
 protected:
  UserTypesTest()
      : factory_(kubernetes::Clientset::New(server_.config()).value(),
                 {.useWatchList = GetParam()}) {}

  void StartAndSync() {
    factory_.Start(stop_.get_token());
    const auto synced = factory_.WaitForCacheSync(stop_.get_token(), 60s);
    ASSERT_TRUE(synced.has_value()) << synced.error().ToString();
  }

  testing::FakeApiServer server_;
  std::stop_source stop_;
  informers::SharedInformerFactory factory_;
};

TEST_P(UserTypesTest, AProjectionOfPods) {
  server_.CreateMany(20);
  EventRecorder<PodView> seen;
  ASSERT_TRUE(factory_.For<PodView>().Informer().AddEventHandler(seen.Handlers()));
  const auto pods = factory_.For<PodView>().Lister();
  StartAndSync();
  ASSERT_TRUE(seen.WaitForCount(20));
  const auto pod = pods.Namespace("default").Get("pod-00003").value();
  EXPECT_EQ(pod->status.phase, "Running");
  EXPECT_FALSE(pod->spec.nodeName.empty());
  EXPECT_FALSE(pod->metadata.uid.empty());
  EXPECT_TRUE(pod->status.podIP.starts_with("10."));

  server_.Delete({"", "pods"}, "default", "pod-00003");
  EXPECT_TRUE(seen.WaitForEvent("delete default/pod-00003"));
  EXPECT_THAT(pods.List(labels::Everything()), SizeIs(19));
}

TEST_P(UserTypesTest, ACustomResource) {
  server_.AddResource<Widget>();
  server_.Add(kWidget);
  EventRecorder<Widget> seen;
  ASSERT_TRUE(factory_.For<Widget>().Informer().AddEventHandler(seen.Handlers()));
  const auto widgets = factory_.For<Widget>().Lister();
  StartAndSync();
  const auto before = widgets.Namespace("default").Get("w").value();
  EXPECT_EQ(before->spec.size, 3);
  EXPECT_THAT(before->spec.colors, ElementsAre("red", "blue"));
  EXPECT_THAT(widgets.List(labels::Parse("app=web").value()), SizeIs(1));
  EXPECT_THAT(widgets.List(labels::Parse("app=db").value()), SizeIs(0));

  Widget after = *before;
  after.spec.size = 4;
  server_.Modify(after);
  ASSERT_TRUE(seen.WaitForEvent("update default/w"));
  EXPECT_EQ(widgets.Namespace("default").Get("w").value()->spec.size, 4);
  EXPECT_EQ(before->spec.size, 3);
}

TEST_P(UserTypesTest, ATypeWithOnlyFromJson) {
  server_.AddResource<Widget>();
  server_.Add(kWidget);
  EventRecorder<JsonWidget> seen;
  ASSERT_TRUE(factory_.For<JsonWidget>().Informer().AddEventHandler(seen.Handlers()));
  const auto widgets = factory_.For<JsonWidget>().Lister();
  StartAndSync();
  EXPECT_TRUE(seen.WaitForEvent("add default/w"));
  EXPECT_EQ(widgets.Namespace("default").Get("w").value()->spec["unknown"]["deep"][1], 2);
}

TEST_P(UserTypesTest, OneObjectThatDoesNotFitIsLeftOut) {
  server_.AddResource<Widget>();
  server_.Add(kWidget);
  server_.Add(R"({"apiVersion":"example.test/v1","kind":"Widget",)"
              R"("metadata":{"name":"odd"},"spec":{"size":"large"}})");
  const auto informer = factory_.For<Widget>().Informer();
  const auto widgets = factory_.For<Widget>().Lister();
  StartAndSync();
  EXPECT_THAT(widgets.List(labels::Everything()), SizeIs(1));
  EXPECT_EQ(informer.Status().unreadableObjects, 1u);
}

INSTANTIATE_TEST_SUITE_P(Modes, UserTypesTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

}  // namespace
}  // namespace k8s::test
