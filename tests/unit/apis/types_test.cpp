// The generated structs as values.

#include <k8s/apis/apiextensions/v1.hpp>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/resource/v1.hpp>
#include <k8s/codec/codec.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace k8s::testing {
namespace {

corev1::Pod MakePod() {
  corev1::Pod pod{
      .metadata = {.name = "web-0", .namespace_ = "default", .labels = {{"app", "web"}}},
      .spec = {.containers = {{.name = "main", .image = "registry.test/web:1"}}}};
  pod.spec.affinity.emplace()
      .nodeAffinity.emplace()
      .preferredDuringSchedulingIgnoredDuringExecution = {{.weight = 7}};
  pod.spec.priority = 3;
  return pod;
}

TEST(GeneratedTypesTest, EqualByValue) {
  EXPECT_EQ(MakePod(), MakePod());
  corev1::Pod other = MakePod();
  other.spec.containers[0].image = "registry.test/web:2";
  EXPECT_NE(MakePod(), other);
  other = MakePod();
  other.spec.affinity->nodeAffinity.reset();
  EXPECT_NE(MakePod(), other);
  other = MakePod();
  other.metadata.labels["tier"] = "front";
  EXPECT_NE(MakePod(), other);
}

TEST(GeneratedTypesTest, CopiesAreDeep) {
  const corev1::Pod original = MakePod();
  corev1::Pod copy = original;
  EXPECT_NE(copy.spec.affinity.get(), original.spec.affinity.get());
  copy.spec.affinity->nodeAffinity->preferredDuringSchedulingIgnoredDuringExecution[0].weight = 8;
  EXPECT_EQ(original, MakePod());
  EXPECT_NE(copy, original);
}

TEST(GeneratedTypesTest, MovedFromBoxesAreUnset) {
  corev1::Pod source = MakePod();
  const corev1::Pod target = std::move(source);
  EXPECT_EQ(target, MakePod());
  EXPECT_FALSE(source.spec.affinity);  // NOLINT(bugprone-use-after-move): the point of the test.
}

TEST(GeneratedTypesTest, AnUnsetBoxTakesOnePointer) {
  EXPECT_EQ(sizeof(corev1::Affinity), 3 * sizeof(void*));
  EXPECT_FALSE(corev1::PodSpec().securityContext);
}

TEST(GeneratedTypesTest, AnUnsetRequiredListIsNullAndAnEmptyOneIsNot) {
  corev1::PodSpec spec;
  EXPECT_EQ(codec::Encode(spec), R"({"containers":null})");
  spec.containers.SetNull(false);
  EXPECT_EQ(codec::Encode(spec), R"({"containers":[]})");
}

TEST(GeneratedTypesTest, InlinedStructsStandInTheOuterOne) {
  const corev1::Volume volume{.name = "tmp", .emptyDir = corev1::EmptyDirVolumeSource{}};
  EXPECT_EQ(codec::Encode(volume), R"({"name":"tmp","emptyDir":{}})");
}

TEST(GeneratedTypesTest, KeywordsKeepTheirWireNames) {
  const corev1::Toleration toleration{.key = "k", .operator_ = "Exists"};
  EXPECT_EQ(codec::Encode(toleration), R"({"key":"k","operator":"Exists"})");
}

TEST(GeneratedTypesTest, ConstantsCompareWithFields) {
  const corev1::PodStatus status{.phase = std::string(corev1::kPodRunning)};
  EXPECT_EQ(status.phase, corev1::kPodRunning);
  EXPECT_EQ(corev1::kPodRunning, "Running");
}

TEST(GeneratedTypesTest, ListsOfBools) {
  const std::string json = R"({"bools":[true,false]})";
  const auto attribute = codec::Decode<resourcev1::DeviceAttribute>(json);
  ASSERT_TRUE(attribute.has_value()) << attribute.error().message;
  ASSERT_EQ(attribute->bools.size(), 2u);
  EXPECT_TRUE(attribute->bools[0]);
  EXPECT_FALSE(attribute->bools[1]);
  EXPECT_EQ(codec::Encode(*attribute), json);
}

}  // namespace
}  // namespace k8s::testing
