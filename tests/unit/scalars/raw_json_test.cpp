#include <gtest/gtest.h>
#include <k8s/apis/apiextensions/json.hpp>
#include <k8s/apis/meta/fields_v1.hpp>
#include <k8s/runtime/raw_extension.hpp>

#include <string>

namespace k8s::runtime {
namespace {

template <class T>
class RawJsonTest : public ::testing::Test {};

using Types = ::testing::Types<RawExtension, metav1::FieldsV1, apiextensionsv1::JSON>;
TYPED_TEST_SUITE(RawJsonTest, Types);

template <class T>
std::string Write(const T& value) {
  std::string out;
  value.MarshalJSON(out);
  return out;
}

TYPED_TEST(RawJsonTest, KeepsTheText) {
  TypeParam value;
  EXPECT_EQ(value.UnmarshalJSON(R"({"a":[1.0,1e3,"\u00e9"],"b":null})"), nullptr);
  EXPECT_EQ(value.raw(), R"({"a":[1.0,1e3,"\u00e9"],"b":null})");
  EXPECT_EQ(Write(value), value.raw());
  EXPECT_FALSE(value.IsZero());
}

TYPED_TEST(RawJsonTest, NullIsUnset) {
  TypeParam value("5");
  EXPECT_EQ(value.UnmarshalJSON("null"), nullptr);
  EXPECT_TRUE(value.IsZero());
  EXPECT_EQ(value, TypeParam());
  EXPECT_EQ(Write(value), "null");
}

TYPED_TEST(RawJsonTest, DropsSpaceBetweenTokensOnly) {
  TypeParam value;
  EXPECT_EQ(value.UnmarshalJSON("{ \"a \\\" b\" :\t[ 1 ,\r\n \" \\\\\" ] }"), nullptr);
  EXPECT_EQ(value.raw(), "{\"a \\\" b\":[1,\" \\\\\"]}");
}

}  // namespace
}  // namespace k8s::runtime
