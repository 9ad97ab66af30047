#include <gtest/gtest.h>
#include <k8s/util/intstr.hpp>

#include <string>
#include <string_view>

namespace k8s::intstr {
namespace {

std::string ReadAndWrite(std::string_view raw) {
  IntOrString value(7);
  if (value.UnmarshalJSON(raw) != nullptr) return "error";
  std::string out;
  value.MarshalJSON(out);
  return out;
}

// client-go: TestIntOrStringUnmarshalJSON, TestIntOrStringMarshalJSON
TEST(IntOrStringTest, WritesWhatItReads) {
  for (const char* raw : {"8080", "0", "-1", "2147483647", "-2147483648", R"("http")", R"("8080")",
                          R"("")", R"("30%")", R"("a\"b\\c")"}) {
    EXPECT_EQ(ReadAndWrite(raw), raw);
  }
  EXPECT_EQ(ReadAndWrite("null"), "0");
  EXPECT_EQ(ReadAndWrite("-0"), "0");
  EXPECT_EQ(ReadAndWrite(R"("\u00e9\/\n\ud83d\ude00")"), "\"é/\\n😀\"");
}

TEST(IntOrStringTest, RefusesOtherValues) {
  for (const char* raw : {"true", "80.5", "1e3", "2147483648", "-2147483649", "4294967296", "{}",
                          "[]", R"({"intValue":8080})"}) {
    EXPECT_EQ(ReadAndWrite(raw), "error") << raw;
  }
}

TEST(IntOrStringTest, NumberZeroIsZeroAndTheEmptyTextIsNot) {
  EXPECT_TRUE(IntOrString().IsZero());
  EXPECT_TRUE(IntOrString(0).IsZero());
  EXPECT_FALSE(IntOrString("").IsZero());
  EXPECT_NE(IntOrString(80), IntOrString("80"));
}

TEST(IntOrStringTest, ConvertsBetweenItsForms) {
  EXPECT_EQ(IntOrString(80).ToString(), "80");
  EXPECT_EQ(IntOrString("http").ToString(), "http");
  EXPECT_EQ(IntOrString("80").IntValue(), 80);
  EXPECT_EQ(IntOrString("http").IntValue(), 0);
}

// client-go: TestParse
TEST(IntOrStringTest, ParseTellsNumbersFromTexts) {
  EXPECT_EQ(Parse("0"), IntOrString(0));
  EXPECT_EQ(Parse("+5"), IntOrString(5));
  EXPECT_EQ(Parse("-5"), IntOrString(-5));
  EXPECT_EQ(Parse("2147483648"), IntOrString("2147483648"));
  EXPECT_EQ(Parse("+-5"), IntOrString("+-5"));
  EXPECT_EQ(Parse(""), IntOrString(""));
  EXPECT_EQ(Parse("1%"), IntOrString("1%"));
}

// client-go: TestGetScaledValueFromIntOrPercent
TEST(IntOrStringTest, ScalesPercentages) {
  struct Row {
    IntOrString value;
    int total;
    Rounding rounding;
    int expected;
  };
  const Row rows[] = {{123, 100, Rounding::kUp, 123},
                      {"90%", 100, Rounding::kUp, 90},
                      {"90%", 95, Rounding::kUp, 86},
                      {"90%", 95, Rounding::kDown, 85},
                      {"-10%", 95, Rounding::kUp, -9},
                      {"-10%", 95, Rounding::kDown, -10},
                      {"100%", 2000000000, Rounding::kDown, 2000000000}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.value.ToString());
    EXPECT_EQ(GetScaledValueFromIntOrPercent(row.value, row.total, row.rounding).value(),
              row.expected);
  }
  for (const char* text : {"%", "5", "", "5.5%", "x%", "5%%"}) {
    EXPECT_FALSE(GetScaledValueFromIntOrPercent(text, 100, Rounding::kUp).has_value()) << text;
  }
}

}  // namespace
}  // namespace k8s::intstr
