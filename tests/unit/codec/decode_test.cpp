#include <k8s/codec/codec.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "support/json_oracle.hpp"

namespace k8s::codec {
namespace {

using ::k8s::testing::Everything;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Everything Read(std::string_view json) {
  auto read = Decode<Everything>(json);
  EXPECT_TRUE(read) << json << ": " << read.error().message;
  return read ? *read : Everything{};
}

template <class T>
std::string FailureOf(std::string_view json) {
  const auto read = Decode<T>(json);
  if (read) return "";
  EXPECT_EQ(read.error().kind, ErrorKind::kDecode);
  return read.error().message;
}

std::string Failure(std::string_view json) { return FailureOf<Everything>(json); }

template <class T>
T Scalar(std::string_view json) {
  auto read = Decode<T>(json);
  EXPECT_TRUE(read) << json << ": " << read.error().message;
  return read ? *read : T{};
}

TEST(DecodeTest, ReadsEveryForm) {
  const auto read = Read(R"({"flag":true,"small":-5,"large":9223372036854775807,"real":1.5,
      "text":"t","bytes":"aGVsbG8=","any":{"x":[1]},"texts":["a","b"],"children":[{"small":1},{}],
      "required":[3],"labels":{"k":"v"},"named":{"n":{"small":2}},"reals":{"r":[1,2.5]},
      "maybeFlag":false,"maybeLarge":0,"maybeText":"","boxed":{"small":3},
      "metadata":{"name":"a","namespace":"d","uid":"u","resourceVersion":"7"}})");
  EXPECT_TRUE(read.flag);
  EXPECT_EQ(read.small, -5);
  EXPECT_EQ(read.large, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(read.real, 1.5);
  EXPECT_EQ(read.text, "t");
  EXPECT_EQ(ToString(read.bytes), "hello");
  EXPECT_EQ(read.any.text, R"({"x":[1]})");
  EXPECT_THAT(read.texts, ElementsAre("a", "b"));
  ASSERT_EQ(read.children.size(), 2u);
  EXPECT_EQ(read.children[0].small, 1);
  EXPECT_THAT(read.required, ElementsAre(3));
  EXPECT_EQ(read.labels.at("k"), "v");
  EXPECT_EQ(read.named.at("n").small, 2);
  EXPECT_THAT(read.reals.at("r"), ElementsAre(1, 2.5));
  EXPECT_EQ(read.maybeFlag, false);
  EXPECT_EQ(read.maybeLarge, 0);
  EXPECT_EQ(read.maybeText, "");
  EXPECT_EQ(read.boxed->small, 3);
  EXPECT_EQ(read.metadata,
            (ObjectRef{.name = "a", .namespace_ = "d", .uid = "u", .resourceVersion = "7"}));
}

TEST(DecodeTest, WhiteSpaceMayStandBetweenTokens) {
  const auto read = Read(
      "\r\n\t {  \"texts\" : [ \"a\" , \"b\" ] , \"labels\" : { \"k\" : \"v\" , \"l\" : "
      "\"w\" } ,\n\"required\" : [ ] , \"named\" : { } }\t\r\n ");
  EXPECT_THAT(read.texts, ElementsAre("a", "b"));
  EXPECT_EQ(read.labels.size(), 2u);
  EXPECT_FALSE(read.required.IsNull());
}

TEST(DecodeTest, FieldsComeInAnyOrder) {
  const auto read = Read(R"({"real":2,"text":"t","small":1,"flag":true})");
  EXPECT_EQ(read.real, 2);
  EXPECT_EQ(read.text, "t");
  EXPECT_EQ(read.small, 1);
  EXPECT_TRUE(read.flag);
}

TEST(DecodeTest, NamesMayBeEscaped) {
  EXPECT_EQ(Read(R"({"\u0074ext":"t"})").text, "t");
  EXPECT_EQ(Read(R"({"labels":{"\u006b":"v"}})").labels.at("k"), "v");
}

TEST(DecodeTest, NamesAreCaseSensitive) {
  const auto read = Read(R"({"Text":"wrong","TEXT":"wrong","text":"right","tex":"wrong","":"x"})");
  EXPECT_EQ(read.text, "right");
}

TEST(DecodeTest, UnknownFieldsAreSkipped) {
  const auto read = Read(
      R"({"x":{"a":[1,{"b":"}]"},[]],"c":{}},"text":"t","y":null,"z":-1.5e+3,"w":"\"","v":true})");
  EXPECT_EQ(read.text, "t");
}

std::string WithUnknown(std::string_view value) {
  return "{\"unknown\":" + std::string(value) + ",\"text\":\"t\"}";
}

TEST(DecodeTest, UnknownFieldsMustEndWhereTheyEnd) {
  for (const std::string_view value :
       {"01",          "1.",       ".5",        "+1",  "-",      "1e",     "1e+",
        "NaN",         "Infinity", "tru",       "nul", "falsey", "'a'",    "\"\\x\"",
        "\"\\u12g4\"", "\"\\u12",  "\"\t\"",    "\"a", "[}",     "{]",     "[",
        "{",           "[\"]",     "{\"a\":[}", "",    "[1}",    "/*c*/1", "\"a\"b"}) {
    SCOPED_TRACE(value);
    EXPECT_NE(Failure(WithUnknown(value)), "");
    EXPECT_FALSE(Valid(WithUnknown(value)));
  }
}

// A check of all that is skipped would cost more than all that is read.
TEST(DecodeTest, WhatStandsBetweenAnUnknownFieldsBracketsIsNotLookedAt) {
  for (const std::string_view value : {"[1,]", "[,1]", "[1 2]", "{\"a\":1,}", "{\"a\"}", "{a:1}",
                                       "{\"a\":}", "[01]", "[\"\\x\"]"}) {
    SCOPED_TRACE(value);
    EXPECT_EQ(Read(WithUnknown(value)).text, "t");
    EXPECT_FALSE(Valid(WithUnknown(value)));
  }
}

TEST(DecodeTest, UnknownFieldsOfEveryLengthEndWhereTheyEnd) {
  for (std::size_t length = 0; length < 300; ++length) {
    for (const std::string_view inner :
         {"[]", "{}", "\"]}\"", "\"\\\"]\"", "[{\"a\":[\"\\\\\"]}]"}) {
      const std::string value = "[\"" + std::string(length, 'x') + "\"," + std::string(inner) + "]";
      ASSERT_EQ(Read(WithUnknown(value)).text, "t") << value;
      // Nothing behind the value is taken for a part of it, nor the other way round.
      ASSERT_NE(Failure(WithUnknown(value + "]")), "") << value;
      ASSERT_NE(Failure(WithUnknown("[" + value)), "") << value;
    }
  }
}

TEST(DecodeTest, NullLeavesZero) {
  const auto read = Read(R"({"flag":null,"small":null,"large":null,"real":null,"text":null,
      "bytes":null,"any":null,"texts":null,"children":null,"required":null,"labels":null,
      "named":null,"reals":null,"maybeFlag":null,"maybeLarge":null,"maybeText":null,"boxed":null,
      "metadata":null})");
  EXPECT_TRUE(IsZero(TypeOf<Everything>(), &read));
  EXPECT_TRUE(read.required.IsNull());
}

TEST(DecodeTest, NullElementsAreZero) {
  const auto read = Read(R"({"texts":["a",null],"labels":{"k":null},"children":[null]})");
  EXPECT_THAT(read.texts, ElementsAre("a", ""));
  EXPECT_EQ(read.labels.at("k"), "");
  EXPECT_EQ(read.children.size(), 1u);
}

TEST(DecodeTest, NullUnsetsWhatStoodBefore) {
  const auto read = Read(R"({"texts":["a"],"texts":null,"labels":{"k":"v"},"labels":null,
      "maybeFlag":true,"maybeFlag":null,"boxed":{},"boxed":null,"bytes":"YQ==","bytes":null})");
  EXPECT_TRUE(IsZero(TypeOf<Everything>(), &read));
}

TEST(DecodeTest, OfEqualFieldsTheLastOneCounts) {
  const auto read = Read(R"({"text":"first","text":"second","texts":["a","b"],"texts":["c"],
      "labels":{"k":"1","k":"2"},"required":[1],"required":[]})");
  EXPECT_EQ(read.text, "second");
  EXPECT_THAT(read.texts, ElementsAre("c"));
  EXPECT_EQ(read.labels.size(), 1u);
  EXPECT_EQ(read.labels.at("k"), "2");
  EXPECT_THAT(read.required, IsEmpty());
  EXPECT_FALSE(read.required.IsNull());
}

TEST(DecodeTest, EqualObjectsAreMerged) {
  const auto read = Read(R"({"metadata":{"name":"a"},"labels":{"x":"1"},"boxed":{"small":1},
      "metadata":{"namespace":"d"},"labels":{"y":"2"},"boxed":{"text":"t"}})");
  EXPECT_EQ(read.metadata.name, "a");
  EXPECT_EQ(read.metadata.namespace_, "d");
  EXPECT_EQ(read.labels.size(), 2u);
  EXPECT_EQ(read.boxed->small, 1);
  EXPECT_EQ(read.boxed->text, "t");
}

TEST(DecodeTest, NothingMayStandBehindTheValue) {
  EXPECT_THAT(Failure("{} {}"), HasSubstr("byte 3"));
  EXPECT_NE(Failure("{}x"), "");
  EXPECT_NE(Failure("{}]"), "");
  EXPECT_EQ(Failure("{} \n"), "");
}

TEST(DecodeTest, AnythingCutShortIsRefused) {
  const std::string text =
      R"( {"flag":true,"small":-12,"real":1.5e3,"text":"aé\u00e9\n","any":[{"x":null}],)"
      R"("labels":{"k":"v"},"unknown":{"a":[1,"b",false]},"bytes":"YQ=="})";
  ASSERT_EQ(Failure(text), "");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_NE(Failure(text.substr(0, size)), "") << size;
  }
}

// ---- Texts

TEST(DecodeTest, TextsOfEveryLengthAreRead) {
  for (std::size_t size = 0; size < 200; ++size) {
    for (const std::size_t special : {size, size / 2}) {
      std::string text(size, 'x');
      std::string expected = text;
      if (special < size) {
        text.replace(special, 1, "\\n");
        expected[special] = '\n';
      }
      EXPECT_EQ(Scalar<std::string>("\"" + text + "\""), expected);
    }
  }
}

TEST(DecodeTest, EscapesAreRead) {
  EXPECT_EQ(Scalar<std::string>(R"("\"\\\/\b\f\n\r\t")"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(Scalar<std::string>(R"("\u0000\u001F\u007f\u00e9\u4E2d\uD83D\uDE00")"),
            std::string("\0\x1F\x7F\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80", 12));
}

TEST(DecodeTest, LoneSurrogatesBecomeTheReplacementCharacter) {
  EXPECT_EQ(Scalar<std::string>(R"("x\ud800y")"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(Scalar<std::string>(R"("\udc00\ud800")"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(Scalar<std::string>(R"("\ud800\ud83d\ude00")"), "\xEF\xBF\xBD\xF0\x9F\x98\x80");
  EXPECT_EQ(Scalar<std::string>(R"("\ud800\n")"), "\xEF\xBF\xBD\n");
  EXPECT_NE(FailureOf<std::string>(R"("\ud800\u12")"), "");
}

TEST(DecodeTest, EachByteOfIllFormedUtf8BecomesTheReplacementCharacter) {
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(Scalar<std::string>("\"x\xFFy\""), "x" + bad + "y");
  EXPECT_EQ(Scalar<std::string>("\"x\xE4\xB8\""), "x" + bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xC0\xAF\""), bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xED\xA0\x80\""), bad + bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xF4\x90\x80\x80\""), bad + bad + bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xE0\x80\x80\""), bad + bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xF0\x8F\xBF\xBF\""), bad + bad + bad + bad);
  EXPECT_EQ(Scalar<std::string>("\"\xE4\xB8\xADz\""), "\xE4\xB8\xADz");
  EXPECT_EQ(Read("{\"labels\":{\"k\xFF\":\"v\"}}").labels.at("k" + bad), "v");
}

TEST(DecodeTest, RawControlCharactersAreRefused) {
  for (char c = 0; c < 0x20; ++c) {
    const std::string text = std::string("{\"text\":\"0123456789abcdef") + c + "\"}";
    EXPECT_THAT(Failure(text), HasSubstr("control character")) << static_cast<int>(c);
  }
  EXPECT_EQ(Scalar<std::string>("\"\x7F\""), "\x7F");
}

// ---- Numbers

TEST(DecodeTest, IntegersReachTheirLimitsAndNoFurther) {
  EXPECT_EQ(Scalar<std::int32_t>("2147483647"), 2147483647);
  EXPECT_EQ(Scalar<std::int32_t>("-2147483648"), -2147483648);
  EXPECT_EQ(Scalar<std::int32_t>("-0"), 0);
  EXPECT_EQ(Scalar<std::int64_t>("9007199254740993"), 9007199254740993);
  EXPECT_EQ(Scalar<std::int64_t>("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const std::string_view text : {"2147483648", "-2147483649", "9223372036854775807", "1e3",
                                      "1E3", "3.0", "0.5", "99999999999999999999999"}) {
    EXPECT_NE(FailureOf<std::int32_t>(text), "") << text;
  }
  for (const std::string_view text : {"9223372036854775808", "-9223372036854775809", "1e3", "3.0",
                                      "\"3\"", "true", "01", "-", "- 1", "+1", "0x10"}) {
    EXPECT_NE(FailureOf<std::int64_t>(text), "") << text;
  }
}

TEST(DecodeTest, DoublesAreReadAsGoReadsThem) {
  EXPECT_EQ(Scalar<double>("1.5"), 1.5);
  EXPECT_EQ(Scalar<double>("-12e-1"), -1.2);
  EXPECT_EQ(Scalar<double>("1E+2"), 100);
  EXPECT_EQ(Scalar<double>("3"), 3);
  EXPECT_EQ(Scalar<double>("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_TRUE(std::signbit(Scalar<double>("-0.0")));
}

TEST(DecodeTest, TooSmallDoublesAreZeroAndTooLargeOnesRefused) {
  for (const std::string_view text :
       {"1e-400", "-1e-400", "0.0000001e-320", "123456789e-500", "1e-99999999999999999999"}) {
    EXPECT_EQ(Scalar<double>(text), 0) << text;
  }
  for (const std::string_view text :
       {"1e400", "-1e400", "0.001e400", "123e99999999999999999999", "1e+309"}) {
    EXPECT_NE(FailureOf<double>(text), "") << text;
  }
  EXPECT_NE(FailureOf<double>("1" + std::string(400, '0')), "");
  EXPECT_EQ(Scalar<double>("0." + std::string(400, '0') + "1"), 0);
}

// ---- Base64

TEST(DecodeTest, Base64IsReadInItsStandardForm) {
  EXPECT_EQ(Scalar<Bytes>("\"\""), Bytes());
  EXPECT_EQ(ToString(Scalar<Bytes>("\"aGVsbG8=\"")), "hello");
  EXPECT_EQ(Scalar<Bytes>("\"AAH/\""), (Bytes{0, 1, 0xFF}));
  EXPECT_EQ(Scalar<Bytes>("\"+/+/\""), (Bytes{0xFB, 0xFF, 0xBF}));
  EXPECT_EQ(ToString(Scalar<Bytes>(R"("aGVs\nbG8=\r\n")")), "hello");
  EXPECT_EQ(ToString(Scalar<Bytes>(R"("\u0059Q==")")), "a");
  for (const std::string_view text : {"not base64!", "aGVsbG8", "_-8=", "YQ=", "YQ", "Y", "====",
                                      "Y===", "=", "YQ==YQ==", "Y Q=", "YQ=a", "\\u00e9aaa"}) {
    EXPECT_NE(FailureOf<Bytes>("\"" + std::string(text) + "\""), "") << text;
  }
  EXPECT_NE(FailureOf<Bytes>("[97]"), "");
  EXPECT_NE(FailureOf<Bytes>("5"), "");
}

TEST(DecodeTest, Base64OfEveryLengthIsReadAndWritten) {
  Bytes bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(Scalar<Bytes>(Encode(bytes)), bytes);
    bytes.push_back(static_cast<std::uint8_t>(i * 37));
  }
}

// ---- Memory

TEST(DecodeTest, NoSpareCapacityStays) {
  const auto read = Read(R"({"texts":["a","b","c","d","e"],"labels":{"a":"1","b":"2","c":"3"},
      "text":"0123456789abcdef","bytes":"aGVsbG8=","required":[1,2,3],
      "maybeText":"0123456789\u0061bcdefg"})");
  EXPECT_EQ(read.texts.capacity(), 5u);
  EXPECT_EQ(read.text.capacity(), 16u);
  EXPECT_EQ(read.bytes.capacity(), 5u);
  EXPECT_EQ(read.required.capacity(), 3u);
  EXPECT_EQ(read.maybeText->capacity(), 17u);
}

// ---- Errors

TEST(DecodeTest, ErrorsNamePathTypeAndKindOfValue) {
  EXPECT_EQ(Failure(R"({"small":"secret"})"), "small: string where int32 belongs");
  EXPECT_EQ(Failure(R"({"boxed":{"text":7}})"), "boxed.text: number where string belongs");
  EXPECT_EQ(Failure(R"({"children":[{},{"metadata":{"uid":[]}}]})"),
            "children[1].metadata.uid: list where string belongs");
  EXPECT_EQ(Failure(R"({"named":{"a.b/c":{"flag":"true"}}})"),
            "named[a.b/c].flag: string where bool belongs");
  EXPECT_EQ(Failure(R"({"texts":{}})"), "texts: object where list belongs");
  EXPECT_EQ(Failure(R"({"labels":[]})"), "labels: list where object belongs");
  EXPECT_EQ(Failure(R"({"metadata":true})"), "metadata: bool where k8s::ObjectRef belongs");
  EXPECT_EQ(Failure(R"({"bytes":5})"), "bytes: number where base64 string belongs");
  EXPECT_EQ(Failure(R"({"bytes":"%%%"})"), "bytes: no base64");
  EXPECT_EQ(Failure(R"({"small":3.5})"), "small: number not whole where int32 belongs");
  EXPECT_EQ(Failure(R"({"small":3000000000})"), "small: number too large where int32 belongs");
  EXPECT_EQ(Failure(R"({"real":1e999})"), "real: number too large where float64 belongs");
}

TEST(DecodeTest, SyntaxErrorsNameThePlace) {
  EXPECT_EQ(Failure(R"({"boxed":{"text":nope}})"),
            "boxed.text: invalid JSON at byte 17: no JSON value");
  EXPECT_EQ(Failure(R"({"texts":["a" "b"]})"),
            "texts: invalid JSON at byte 14: ',' or ']' belongs here");
  EXPECT_THAT(Failure("{\"text\":\"a"), HasSubstr("the text ends too early"));
  EXPECT_THAT(Failure(""), HasSubstr("the text ends too early"));
  EXPECT_THAT(Failure("<html>"), HasSubstr("byte 0"));
}

TEST(DecodeTest, ErrorsNeverShowTheValue) {
  for (const std::string_view json :
       {R"({"small":"hunter2"})", R"({"bytes":"hunter2"})", R"({"text":["hunter2"]})",
        R"({"any":"hunter2)", R"({"labels":{"k":"hunter2\q"}})", R"({"text":hunter2})"}) {
    EXPECT_THAT(Failure(json), ::testing::Not(HasSubstr("hunter"))) << json;
  }
}

TEST(DecodeTest, KeysInErrorsAreShortAndPrintable) {
  const std::string key(1000, 'k');
  EXPECT_LT(Failure("{\"named\":{\"" + key + "\":1}}").size(), 200u);
  EXPECT_EQ(Failure("{\"labels\":{\"\xC3\xA9\\n\":1}}"),
            "labels[??\\n]: number where string belongs");
}

TEST(ValidTest, TakesAnyValue) {
  for (const std::string_view text :
       {"null", " true ", "-0", "\"\"", "[]", "{}", "[1,[2,{}],\"\"]"}) {
    EXPECT_TRUE(Valid(text)) << text;
  }
  for (const std::string_view text : {"", " ", "1 2", "\xEF\xBB\xBF{}"}) {
    EXPECT_FALSE(Valid(text)) << text;
  }
  EXPECT_FALSE(Valid(std::string_view("{}\0", 3)));
}

}  // namespace
}  // namespace k8s::codec
