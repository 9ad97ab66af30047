// Types that users declare: projections and custom resources.

#include <k8s/fields.hpp>
#include <k8s/runtime/object_type_of.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
CLIENT_CPP_FIELDS(PodView::Spec, nodeName);
CLIENT_CPP_FIELDS(PodView::Status, phase, podIP);
CLIENT_CPP_FIELDS(PodView, metadata, spec, status);
CLIENT_CPP_RESOURCE(PodView, .version = "v1", .kind = "Pod", .plural = "pods");

namespace example {

struct CronTab {
  struct Metadata {
    std::string name;
    std::string resourceVersion;
    k8s::StringMap<std::string> labels;
  };
  struct Spec {
    std::string cronSpec;
    std::optional<std::int32_t> replicas;
    bool operator_ = false;
    double sizeInGb = 0;
    std::vector<Spec> nested;
  };
  std::string kind = "left alone";
  Metadata metadata;
  Spec spec;
};

}  // namespace example

CLIENT_CPP_FIELDS(example::CronTab::Metadata, name, resourceVersion, labels);
CLIENT_CPP_FIELDS_NAMED(example::CronTab::Spec, (cronSpec, "cronSpec", kNever),
                        (replicas, "replicas"), (operator_, "operator"), (sizeInGb, "size-gb"),
                        (nested, "nested"));
CLIENT_CPP_FIELDS(example::CronTab, kind, metadata, spec);
CLIENT_CPP_RESOURCE(example::CronTab, .group = "stable.example.com", .version = "v1",
                    .kind = "CronTab", .plural = "crontabs", .scope = k8s::Scope::kCluster);

namespace k8s::runtime {
namespace {

using example::CronTab;
using ::testing::HasSubstr;

template <class T>
Result<std::shared_ptr<const T>> DecodeAs(std::string_view json) {
  const ObjectType& type = ObjectTypeOf<T>();
  auto object = type.decode(type, json);
  if (!object) return object.error();
  return std::static_pointer_cast<const T>(*object);
}

template <class T>
std::string EncodeAs(const T& object) {
  const ObjectType& type = ObjectTypeOf<T>();
  std::string out;
  type.encode(type, &object, out);
  return out;
}

TEST(FieldsTest, AProjectionTakesWhatItNamesAndSkipsTheRest) {
  auto pod = DecodeAs<PodView>(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a",
      "namespace":"d","uid":"u","resourceVersion":"7","managedFields":[{"f:a":{}}]},
      "spec":{"containers":[{"name":"c"}],"nodeName":"n"},
      "status":{"conditions":[],"phase":"Running","podIP":"10.0.0.1"}})");
  ASSERT_TRUE(pod) << pod.error().message;
  EXPECT_EQ((*pod)->metadata.namespace_, "d");
  EXPECT_EQ((*pod)->spec.nodeName, "n");
  EXPECT_EQ((*pod)->status.phase, "Running");
  EXPECT_EQ((*pod)->status.podIP, "10.0.0.1");
  EXPECT_LT(sizeof(PodView), 300u);
}

TEST(FieldsTest, ATrailingUnderscoreIsNoPartOfTheWireName) {
  EXPECT_EQ(
      codec::Encode(ObjectRef{.name = "n", .namespace_ = "d", .uid = {}, .resourceVersion = {}}),
      R"({"name":"n","namespace":"d"})");
}

TEST(FieldsTest, WireNamesAndRulesCanBeGiven) {
  EXPECT_EQ(codec::Encode(CronTab::Spec{}), R"({"cronSpec":""})");
  CronTab::Spec spec;
  spec.operator_ = true;
  spec.sizeInGb = 1.5;
  spec.replicas = 0;
  spec.nested.emplace_back();
  const std::string json =
      R"({"cronSpec":"","replicas":0,"operator":true,"size-gb":1.5,"nested":[{"cronSpec":""}]})";
  EXPECT_EQ(codec::Encode(spec), json);
  EXPECT_EQ(codec::Encode(codec::Decode<CronTab::Spec>(json).value()), json);
}

TEST(FieldsTest, AnObjectTypeKnowsTheResource) {
  const ResourceInfo& info = ObjectTypeOf<CronTab>().info;
  EXPECT_EQ(info.ApiVersion(), "stable.example.com/v1");
  EXPECT_EQ(info.Gvr(), (GroupVersionResource{"stable.example.com", "v1", "crontabs"}));
  EXPECT_FALSE(info.Namespaced());
  EXPECT_EQ(&ObjectTypeOf<CronTab>(), &ObjectTypeOf<CronTab>());
}

TEST(FieldsTest, MetadataIsSeenThroughTheObjectType) {
  CronTab tab;
  tab.metadata = {.name = "a", .resourceVersion = "7", .labels = {{"k", "v"}}};
  const ObjectMetaView meta = ObjectTypeOf<CronTab>().meta(&tab);
  EXPECT_EQ(meta.name, "a");
  EXPECT_EQ(meta.resourceVersion, "7");
  EXPECT_EQ(meta.namespace_, "");
  EXPECT_EQ(ObjectTypeOf<CronTab>().labels(&tab), &tab.metadata.labels);
  PodView pod;
  pod.metadata.uid = "u";
  EXPECT_EQ(ObjectTypeOf<PodView>().meta(&pod).uid, "u");
  EXPECT_EQ(ObjectTypeOf<PodView>().labels(&pod), nullptr);
}

// client-go: the typed decoders clear TypeMeta
TEST(ObjectTypeTest, KindAndApiVersionStayOutOfTheObject) {
  auto tab = DecodeAs<CronTab>(
      R"({"apiVersion":"stable.example.com/v1","kind":"CronTab","metadata":{"name":"a"}})");
  ASSERT_TRUE(tab) << tab.error().message;
  EXPECT_EQ((*tab)->kind, "left alone");
}

TEST(ObjectTypeTest, KindAndApiVersionAreWrittenInFront) {
  CronTab tab;
  tab.metadata.name = "a";
  tab.spec.replicas = 1;
  EXPECT_EQ(EncodeAs(tab),
            R"({"kind":"CronTab","apiVersion":"stable.example.com/v1","metadata":{"name":"a"},)"
            R"("spec":{"cronSpec":"","replicas":1}})");
  EXPECT_EQ(EncodeAs(PodView{}), R"({"kind":"Pod","apiVersion":"v1"})");
}

TEST(ObjectTypeTest, AMissingKindIsTheOneAskedFor) {
  EXPECT_TRUE(DecodeAs<PodView>(R"({"metadata":{"name":"a"}})"));
  EXPECT_TRUE(DecodeAs<PodView>(R"({"kind":"","metadata":{"name":"a"}})"));
  EXPECT_TRUE(DecodeAs<PodView>(R"({"kind":null})"));
  EXPECT_TRUE(DecodeAs<PodView>(R"({"spec":{"kind":"Other"}})"));
}

TEST(ObjectTypeTest, AnotherKindIsRefused) {
  const auto secret = DecodeAs<PodView>(R"({"metadata":{"name":5},"kind":"Secret"})");
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().kind, ErrorKind::kDecode);
  const auto late = DecodeAs<PodView>(R"({"metadata":{"name":"a"},"kind":"Secret"})");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().message, "Secret where Pod belongs");
  EXPECT_FALSE(DecodeAs<PodView>(R"({"kind":7})"));
}

TEST(ObjectTypeTest, AFailureStatusIsItsError) {
  const auto pod = DecodeAs<PodView>(
      R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"not today",
          "reason":"Forbidden","details":{"name":"a","kind":"pods","retryAfterSeconds":3},
          "code":403})");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().kind, ErrorKind::kStatus);
  EXPECT_EQ(pod.error().code, 403);
  EXPECT_EQ(pod.error().message, "not today");
  EXPECT_TRUE(IsForbidden(pod.error()));
  EXPECT_EQ(pod.error().retryAfter, std::chrono::seconds(3));
}

TEST(ObjectTypeTest, AStatusOfSuccessIsNoObject) {
  const auto pod = DecodeAs<PodView>(R"({"kind":"Status","status":"Success"})");
  ASSERT_FALSE(pod);
  EXPECT_EQ(pod.error().kind, ErrorKind::kDecode);
}

TEST(ObjectTypeTest, WhatIsNoObjectIsRefused) {
  for (const std::string_view json : {"null", "[]", "1", "\"a\"", "", "<html>", "{", "{} {}"}) {
    const auto pod = DecodeAs<PodView>(json);
    ASSERT_FALSE(pod) << json;
    EXPECT_EQ(pod.error().kind, ErrorKind::kDecode) << json;
  }
}

TEST(ObjectTypeTest, ErrorsNameTheField) {
  EXPECT_THAT(DecodeAs<PodView>(R"({"spec":{"nodeName":5}})").error().message,
              HasSubstr("spec.nodeName: number where string belongs"));
}

}  // namespace
}  // namespace k8s::runtime
