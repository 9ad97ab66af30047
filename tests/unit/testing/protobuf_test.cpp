#include "testing/protobuf.hpp"

#include "support/case_file.hpp"
#include "testing/served_resource.hpp"

#include <gtest/gtest.h>
#include <filesystem>
#include <string>

namespace k8s::testing {
namespace {

TEST(ProtobufTest, EveryFieldOfEveryKindIsRead) {
  int kinds = 0;
  for (const auto& served : BuiltinResources()) {
    const ResourceInfo& info = served->info;
    const std::string stem = "recorded/filled/" + (info.group.empty() ? "core" : info.group) + "_" +
                             info.version + "_" + info.kind;
    SCOPED_TRACE(stem);
    if (!std::filesystem::exists(std::string(CLIENT_CPP_TEST_DATA) + "/" + stem + ".pb")) continue;
    // The schemas in definitions have messages that are written by hand.
    if (info.kind == "CustomResourceDefinition") continue;
    const codec::TypeInfo* type = BuiltinType(info);
    ASSERT_NE(type, nullptr);
    const auto object = FromProtobuf(ReadTestData(stem + ".pb"), *type);
    ASSERT_TRUE(object) << object.error().message;
    EXPECT_EQ(nlohmann::json::parse(Dump(*object)),
              nlohmann::json::parse(ReadTestData(stem + ".json")));
    ++kinds;
  }
  EXPECT_GT(kinds, 60);
}

TEST(ProtobufTest, BrokenBytesAreRefused) {
  const codec::TypeInfo* type = BuiltinType({"", "v1", "Pod", "pods"});
  const std::string bytes = ReadTestData("recorded/filled/core_v1_Pod.pb");
  EXPECT_EQ(FromProtobuf("{}", *type).error().code, 400);
  for (std::size_t size = 0; size < bytes.size(); size += 7) {
    if (const auto object = FromProtobuf(bytes.substr(0, size), *type)) {
      EXPECT_TRUE(object->is_object());
    } else {
      EXPECT_EQ(object.error().code, 400);
    }
  }
}

}  // namespace
}  // namespace k8s::testing
