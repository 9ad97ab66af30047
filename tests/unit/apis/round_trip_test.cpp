// Bodies that a real API server sent, and one object of every kind with every field set.

#include <k8s/apis/meta/v1.hpp>
#include <k8s/apis/resources.hpp>
#include <k8s/apis/scheme.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "any_object.hpp"
#include "support/case_file.hpp"

namespace k8s::testing {
namespace {

using Json = nlohmann::json;

std::vector<std::string> JsonFilesIn(const std::string& folder) {
  std::vector<std::string> files;
  const std::filesystem::path root(CLIENT_CPP_TEST_DATA);
  for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
    const bool is_json = entry.path().extension() == ".json";
    if (is_json) files.push_back(folder + "/" + entry.path().filename().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Decodes the file as the type it says it is, and compares what is encoded.
void ExpectRoundTrip(const std::string& file) {
  SCOPED_TRACE(file);
  const std::string text = ReadTestData(file);
  const Json wanted = Json::parse(text);
  const codec::TypeInfo* type = TypeOfObject(wanted);
  ASSERT_NE(type, nullptr);

  AnyObject object(*type);
  const Result<void> decoded = object.Decode(text);
  ASSERT_TRUE(decoded.has_value()) << decoded.error().message;
  EXPECT_EQ(Differences(wanted, Json::parse(object.Encode())), "[]");
}

TEST(RecordedListsTest, EncodeAsTheServerSentThem) {
  // A custom resource's list; it has no generated type.
  const std::string custom = "recorded/lists/stable.example.com_v1_crontabs.json";
  std::size_t files = 0;
  for (const std::string& file : JsonFilesIn("recorded/lists")) {
    if (file == custom) continue;
    ExpectRoundTrip(file);
    ++files;
  }
  EXPECT_GE(files, 60u);
}

TEST(FilledObjectsTest, LoseNoField) {
  const std::vector<std::string> files = JsonFilesIn("recorded/filled");
  for (const std::string& file : files) ExpectRoundTrip(file);
  EXPECT_EQ(files.size(), apis::BuiltinResources().size());
}

TEST(FilledObjectsTest, KeepAllFieldsInACopy) {
  for (const std::string& file : JsonFilesIn("recorded/filled")) {
    SCOPED_TRACE(file);
    const std::string text = ReadTestData(file);
    AnyObject object(*TypeOfObject(Json::parse(text)));
    ASSERT_TRUE(object.Decode(text).has_value());
    const AnyObject copy = object;
    EXPECT_TRUE(copy == object);
    EXPECT_EQ(copy.Encode(), object.Encode());
    EXPECT_FALSE(copy == AnyObject(*TypeOfObject(Json::parse(text))));
  }
}

TEST(FilledObjectsTest, PassThroughTheirObjectType) {
  for (const apis::ResourceFacts& facts : apis::BuiltinResources()) {
    const ResourceInfo info = facts.Info();
    const std::string group = info.group.empty() ? "core" : info.group;
    const std::string text =
        ReadTestData("recorded/filled/" + group + "_" + info.version + "_" + info.kind + ".json");
    SCOPED_TRACE(group + "/" + info.version + " " + info.kind);

    const runtime::ObjectType* type = apis::FindObjectType(info.Gvk());
    ASSERT_NE(type, nullptr);
    EXPECT_EQ(type->info, info);
    const auto object = type->decode(*type, text);
    ASSERT_TRUE(object.has_value()) << object.error().message;
    std::string encoded;
    type->encode(*type, object->get(), encoded);
    const Json wanted = Json::parse(text);
    EXPECT_EQ(Differences(wanted, Json::parse(encoded)), "[]");

    const runtime::ObjectMetaView meta = type->meta(object->get());
    const Json metadata = wanted.at("metadata");
    EXPECT_EQ(meta.name, metadata.at("name").get<std::string>());
    EXPECT_EQ(meta.namespace_, metadata.at("namespace").get<std::string>());
    EXPECT_EQ(meta.uid, metadata.at("uid").get<std::string>());
    EXPECT_EQ(meta.resourceVersion, metadata.at("resourceVersion").get<std::string>());
    ASSERT_NE(type->labels(object->get()), nullptr);
    EXPECT_EQ(type->labels(object->get())->size(), metadata.at("labels").size());
  }
}

}  // namespace
}  // namespace k8s::testing
