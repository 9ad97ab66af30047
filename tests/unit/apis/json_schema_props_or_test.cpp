#include <k8s/apis/apiextensions/v1.hpp>
#include <k8s/codec/codec.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace k8s::testing {
namespace {

using apiextensionsv1::JSONSchemaProps;

std::string RoundTrip(std::string_view json) {
  const auto props = codec::Decode<JSONSchemaProps>(json);
  return props ? codec::Encode(*props) : "error";
}

// client-go: TestJSONSchemaPropsOrBoolUnmarshalJSON, TestJSONSchemaPropsOrBoolMarshalJSON
TEST(JSONSchemaPropsOrBoolTest, IsABoolOrASchema) {
  for (const std::string json :
       {R"({"additionalProperties":true})", R"({"additionalProperties":false})",
        R"({"additionalProperties":{}})", R"({"additionalProperties":{"type":"string"}})"}) {
    EXPECT_EQ(RoundTrip(json), json);
  }
  EXPECT_EQ(RoundTrip(R"({"additionalProperties":null})"), "{}");
  EXPECT_EQ(RoundTrip(R"({"additionalProperties":"yes"})"), "error");
  EXPECT_EQ(RoundTrip(R"({"additionalProperties":{"type":1}})"), "error");
}

// client-go: TestJSONSchemaPropsOrArrayUnmarshalJSON, TestJSONSchemaPropsOrArrayMarshalJSON
TEST(JSONSchemaPropsOrArrayTest, IsASchemaOrAListOfSchemas) {
  for (const std::string json : {R"({"items":{}})", R"({"items":{"type":"string"}})",
                                 R"({"items":[{"type":"string"},{"type":"integer"}]})"}) {
    EXPECT_EQ(RoundTrip(json), json);
  }
  EXPECT_EQ(RoundTrip(R"({"items":[1]})"), "error");
}

// client-go: TestJSONSchemaPropsOrStringArrayUnmarshalJSON
TEST(JSONSchemaPropsOrStringArrayTest, IsASchemaOrAListOfNames) {
  for (const std::string json :
       {R"({"dependencies":{"a":{"type":"string"}}})", R"({"dependencies":{"a":["b","c"]}})"}) {
    EXPECT_EQ(RoundTrip(json), json);
  }
  EXPECT_EQ(RoundTrip(R"({"dependencies":{"a":[1]}})"), "error");
}

TEST(JSONSchemaPropsTest, CopiesAndComparesDeeply) {
  const auto props = codec::Decode<JSONSchemaProps>(
      R"({"items":{"additionalProperties":{"type":"string"}},"default":{"a":[1,2]}})");
  ASSERT_TRUE(props.has_value()) << props.error().message;
  JSONSchemaProps copy = *props;
  EXPECT_EQ(copy, *props);
  copy.items->schema->additionalProperties->schema->type = "integer";
  EXPECT_NE(copy, *props);
  EXPECT_EQ(props->items->schema->additionalProperties->schema->type, "string");
}

TEST(JSONSchemaPropsTest, DeepNestingIsAnErrorAndNotACrash) {
  constexpr int kDepth = 4000;
  std::string json;
  for (int i = 0; i < kDepth; ++i) json += R"({"items":)";
  json += "{}";
  json.append(kDepth, '}');
  EXPECT_EQ(RoundTrip(json), "error");
}

}  // namespace
}  // namespace k8s::testing
