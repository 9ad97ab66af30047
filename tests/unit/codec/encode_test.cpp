#include <k8s/codec/codec.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/json_oracle.hpp"

namespace {

/// A member of every form under each rule by which it is left out.
struct Rules {
  bool flagNever = false;
  std::string textNever;
  std::vector<std::string> listNever;
  k8s::StringMap<std::string> mapNever;
  k8s::Bytes bytesNever;
  std::optional<bool> maybeNever;
  k8s::Box<k8s::ObjectRef> boxNever;
  k8s::ObjectRef structNever;
  k8s::RequiredList<std::string> requiredEmpty;
  k8s::ObjectRef structEmpty;
  k8s::testing::AnyText scalarEmpty;
  k8s::ObjectRef structZero;
  k8s::testing::AnyText scalarZero;
};

}  // namespace

CLIENT_CPP_FIELDS_NAMED(Rules, (flagNever, "flagNever", kNever), (textNever, "textNever", kNever),
                        (listNever, "listNever", kNever), (mapNever, "mapNever", kNever),
                        (bytesNever, "bytesNever", kNever), (maybeNever, "maybeNever", kNever),
                        (boxNever, "boxNever", kNever), (structNever, "structNever", kNever),
                        (requiredEmpty, "requiredEmpty", kEmpty),
                        (structEmpty, "structEmpty", kEmpty), (scalarEmpty, "scalarEmpty", kEmpty),
                        (structZero, "structZero", kZero), (scalarZero, "scalarZero", kZero));

namespace k8s::codec {
namespace {

using ::k8s::testing::Everything;

// client-go: encoding/json's omitempty and omitzero
TEST(EncodeTest, UnsetMembersAreLeftOutByTheirRule) {
  EXPECT_EQ(Encode(Rules{}),
            R"({"flagNever":false,"textNever":"","listNever":null,"mapNever":null,)"
            R"("bytesNever":null,"maybeNever":null,"boxNever":null,"structNever":{},)"
            R"("structEmpty":{},"scalarEmpty":null})");
}

TEST(EncodeTest, SetMembersAreWritten) {
  Rules rules;
  rules.bytesNever = {0};
  rules.maybeNever = false;
  rules.boxNever.emplace();
  rules.requiredEmpty = {"a"};
  rules.structZero.name = "n";
  rules.scalarZero.text = "[1]";
  EXPECT_EQ(Encode(rules),
            R"({"flagNever":false,"textNever":"","listNever":null,"mapNever":null,)"
            R"("bytesNever":"AA==","maybeNever":false,"boxNever":{},"structNever":{},)"
            R"("requiredEmpty":["a"],"structEmpty":{},"scalarEmpty":null,)"
            R"("structZero":{"name":"n"},"scalarZero":[1]})");
}

TEST(EncodeTest, RequiredListsTellNullFromEmpty) {
  Everything object;
  EXPECT_EQ(Encode(object), R"({"required":null})");
  object.required.SetNull(false);
  EXPECT_EQ(Encode(object), R"({"required":[]})");
  object.required.push_back(-1);
  EXPECT_EQ(Encode(object), R"({"required":[-1]})");
}

TEST(EncodeTest, FieldsComeInTableOrderAndMapKeysSorted) {
  Everything object;
  object.text = "t";
  object.small = 1;
  object.labels = {{"z", "1"}, {"a", "2"}, {"\"", "3"}};
  EXPECT_EQ(Encode(object),
            R"({"small":1,"text":"t","required":null,"labels":{"\"":"3","a":"2","z":"1"}})");
}

TEST(EncodeTest, SetButZeroOptionalsAreWritten) {
  Everything object;
  object.maybeFlag = false;
  object.maybeLarge = 0;
  object.maybeText = "";
  object.boxed.emplace();
  EXPECT_EQ(Encode(object), R"({"required":null,"maybeFlag":false,"maybeLarge":0,"maybeText":"",)"
                            R"("boxed":{"required":null}})");
}

TEST(EncodeTest, DoublesAreWrittenAsGoWritesThem) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},
      {-0.0, "-0"},
      {1, "1"},
      {1.5, "1.5"},
      {0.1, "0.1"},
      {1e20, "100000000000000000000"},
      {1e21, "1e+21"},
      {1e-6, "0.000001"},
      {1e-7, "1e-7"},
      {-1.25e-10, "-1.25e-10"},
      {1e100, "1e+100"},
      {5e-324, "5e-324"},
      {1.7976931348623157e308, "1.7976931348623157e+308"},
      {std::nan(""), "null"},
      {-std::numeric_limits<double>::infinity(), "null"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(Encode(value), text);
}

TEST(EncodeTest, TextsAreEscapedAndWellFormed) {
  EXPECT_EQ(Encode(std::string("a\"\\/\n\r\t\b\f\x01\x1F\x7F")),
            R"("a\"\\/\n\r\t\u0008\u000c\u0001\u001f)"
            "\x7F\"");
  EXPECT_EQ(Encode(std::string("\0", 1)), R"("\u0000")");
  EXPECT_EQ(Encode(std::string("\xC3\xA9\xF0\x9F\x98\x80")), "\"\xC3\xA9\xF0\x9F\x98\x80\"");
  EXPECT_EQ(Encode(std::string("x\xFF\xE4\xB8")), "\"x\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(EncodeTest, TextsOfEveryLengthAreWritten) {
  for (std::size_t size = 0; size < 200; ++size) {
    std::string text(size, 'x');
    if (size > 0) text[size / 2] = '\n';
    EXPECT_EQ(Decode<std::string>(Encode(text)).value(), text);
  }
}

TEST(EqualTest, SeesEveryField) {
  const auto& type = TypeOf<Everything>();
  const Everything zero;
  EXPECT_TRUE(Equal(type, &zero, &zero));
  const char* const differing[] = {R"({"flag":true})",
                                   R"({"small":1})",
                                   R"({"large":1})",
                                   R"({"real":1})",
                                   R"({"text":"t"})",
                                   R"({"bytes":"YQ=="})",
                                   R"({"any":1})",
                                   R"({"texts":[""]})",
                                   R"({"children":[{}]})",
                                   R"({"required":[]})",
                                   R"({"required":[0]})",
                                   R"({"labels":{"":""}})",
                                   R"({"named":{"":{}}})",
                                   R"({"reals":{"":[]}})",
                                   R"({"maybeFlag":false})",
                                   R"({"maybeLarge":0})",
                                   R"({"maybeText":""})",
                                   R"({"boxed":{}})",
                                   R"({"metadata":{"uid":"u"}})",
                                   R"({"boxed":{"boxed":{}}})",
                                   R"({"labels":{"":"x"}})",
                                   R"({"labels":{"x":""}})",
                                   R"({"texts":["",""]})",
                                   R"({"children":[{"small":1}]})"};
  for (const char* left_text : differing) {
    for (const char* right_text : differing) {
      const auto left = Decode<Everything>(left_text).value();
      const auto right = Decode<Everything>(right_text).value();
      EXPECT_EQ(Equal(type, &left, &right), left_text == right_text) << left_text << right_text;
    }
    const auto object = Decode<Everything>(left_text).value();
    EXPECT_FALSE(Equal(type, &object, &zero)) << left_text;
    EXPECT_FALSE(IsZero(type, &object)) << left_text;
  }
}

}  // namespace
}  // namespace k8s::codec
