// Types that have nlohmann's from_json and to_json and no field table.

#include <k8s/apis/json.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace example {

struct Widget {
  k8s::ObjectRef metadata;
  int size = 0;
  std::string color;
};

void from_json(const nlohmann::json& json, Widget& widget) {
  json.at("metadata").get_to(widget.metadata);
  json.at("spec").at("size").get_to(widget.size);
  if (json["spec"].contains("color")) json["spec"]["color"].get_to(widget.color);
}

void to_json(nlohmann::json& json, const Widget& widget) {
  json = {{"metadata", widget.metadata}, {"spec", {{"size", widget.size}}}};
}

/// Without to_json.
struct Gadget {
  k8s::ObjectRef metadata;
  int size = 0;
};

void from_json(const nlohmann::json& json, Gadget& gadget) {
  json.at("metadata").get_to(gadget.metadata);
  json.at("size").get_to(gadget.size);
}

}  // namespace example

CLIENT_CPP_RESOURCE(example::Gadget, .group = "example.com", .version = "v1", .kind = "Gadget",
                    .plural = "gadgets");

CLIENT_CPP_RESOURCE(example::Widget, .group = "example.com", .version = "v1", .kind = "Widget",
                    .plural = "widgets");

namespace k8s::runtime {
namespace {

using example::Widget;

Result<std::shared_ptr<const Widget>> DecodeWidget(std::string_view json) {
  const ObjectType& type = ObjectTypeOf<Widget>();
  auto object = type.decode(type, json);
  if (!object) return object.error();
  return std::static_pointer_cast<const Widget>(*object);
}

TEST(JsonObjectTest, IsReadByFromJson) {
  auto widget = DecodeWidget(R"({"apiVersion":"example.com/v1","kind":"Widget",
      "metadata":{"name":"a","namespace":"d","labels":{"k":"v"}},"spec":{"size":3}})");
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ((*widget)->size, 3);
  const ObjectMetaView meta = ObjectTypeOf<Widget>().meta(widget->get());
  EXPECT_EQ(meta.name, "a");
  EXPECT_EQ(meta.namespace_, "d");
}

TEST(JsonObjectTest, IsWrittenByToJsonWithItsKind) {
  const ObjectType& type = ObjectTypeOf<Widget>();
  Widget widget;
  widget.metadata.name = "a";
  widget.size = 3;
  std::string out;
  type.encode(type, &widget, out);
  EXPECT_EQ(nlohmann::json::parse(out),
            nlohmann::json::parse(R"({"apiVersion":"example.com/v1","kind":"Widget",
                                      "metadata":{"name":"a"},"spec":{"size":3}})"));
}

TEST(JsonObjectTest, ATypeWithoutToJsonIsReadOnly) {
  const ObjectType& type = ObjectTypeOf<example::Gadget>();
  const auto gadget = type.decode(type, R"({"metadata":{"name":"a"},"size":3})");
  ASSERT_TRUE(gadget) << gadget.error().message;
  EXPECT_EQ(std::static_pointer_cast<const example::Gadget>(*gadget)->size, 3);
  EXPECT_EQ(type.encode, nullptr);
}

TEST(JsonObjectTest, IllFormedTextIsRepairedAsEverywhere) {
  auto widget =
      DecodeWidget("{\"metadata\":{\"name\":\"a\"},\"spec\":{\"size\":1,\"color\":\"\xFF\"}}");
  ASSERT_TRUE(widget) << widget.error().message;
  EXPECT_EQ((*widget)->color, "\xEF\xBF\xBD");
}

TEST(JsonObjectTest, WhatFromJsonThrowsIsADecodeError) {
  for (const std::string_view json :
       {R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a"},"spec":{"size":"secret"}})",
        R"({"metadata":{"name":5},"spec":{"size":1}})", "[1]", "null", "{", "{} x"}) {
    auto widget = DecodeWidget(json);
    ASSERT_FALSE(widget) << json;
    EXPECT_EQ(widget.error().kind, ErrorKind::kDecode) << json;
    EXPECT_THAT(widget.error().message, ::testing::Not(::testing::HasSubstr("secret")));
  }
}

TEST(JsonObjectTest, KindIsChecked) {
  EXPECT_FALSE(DecodeWidget(R"({"kind":"Gadget","metadata":{"name":"a"},"spec":{"size":1}})"));
  EXPECT_FALSE(DecodeWidget(R"({"kind":1,"metadata":{"name":"a"},"spec":{"size":1}})"));
  EXPECT_TRUE(DecodeWidget(R"({"kind":null,"metadata":{"name":"a"},"spec":{"size":1}})"));
  auto failure =
      DecodeWidget(R"({"kind":"Status","status":"Failure","code":404,"reason":"NotFound"})");
  ASSERT_FALSE(failure);
  EXPECT_TRUE(IsNotFound(failure.error()));
}

}  // namespace
}  // namespace k8s::runtime
