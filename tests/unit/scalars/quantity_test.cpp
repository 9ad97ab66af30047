#include <gtest/gtest.h>
#include <k8s/resource/quantity.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "support/case_file.hpp"

namespace k8s::resource {
namespace {

Quantity Q(std::string_view text) { return Quantity::Parse(text).value(); }

std::string Show(std::optional<std::int64_t> value) {
  return value ? std::to_string(*value) : "overflow";
}

// The file shortens very long numbers to their first ten digits.
std::string Shorten(const std::string& number) {
  if (number.size() < 60) return number;
  return number.substr(0, 10) + "...(" + std::to_string(number.size()) + " digits)";
}

std::string Json(const Quantity& quantity) {
  std::string out;
  quantity.MarshalJSON(out);
  return out;
}

void ExpectRow(const Quantity& quantity, const testing::CaseLine& line) {
  EXPECT_EQ(quantity.ToString(), line.column(2));
  EXPECT_EQ(quantity.Canonical(), line.column(3));
  if (line.column(4) != "-") {
    EXPECT_EQ(ToString(quantity.format()), line.column(4));
  }
  EXPECT_EQ(Show(quantity.Value()), line.column(5));
  EXPECT_EQ(Show(quantity.MilliValue()), line.column(6));
  EXPECT_EQ(Shorten(quantity.ToPlainString()), line.column(7));
  EXPECT_EQ(Json(quantity), "\"" + line.column(2) + "\"");
  // What was written is read as the same quantity.
  EXPECT_EQ(Q(quantity.Canonical()), quantity);
}

TEST(QuantityTest, ReadsEveryCaseAsGoDoes) {
  int rows = 0;
  for (const auto& line : testing::ReadCases("cases/quantities.txt", "----")) {
    SCOPED_TRACE("quantities.txt:" + std::to_string(line.number) + " " + line.column(0));
    ++rows;
    if (line.section.empty()) {
      const auto parsed = Quantity::Parse(testing::ParseQuoted(line.column(0)));
      ASSERT_EQ(parsed.has_value() ? "ok" : "error", line.column(1));
      if (parsed) ExpectRow(*parsed, line);
    } else {
      Quantity quantity(7);
      const char* const reason = quantity.UnmarshalJSON(line.column(0));
      ASSERT_EQ(reason == nullptr ? "ok" : "error", line.column(1));
      if (!reason) ExpectRow(quantity, line);
    }
  }
  EXPECT_GT(rows, 180);
}

TEST(QuantityTest, RefusalsAreInvalidArgumentsThatNameTheText) {
  const auto parsed = Quantity::Parse("two");
  ASSERT_FALSE(parsed.has_value());
  EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_NE(parsed.error().message.find("two"), std::string::npos);
}

TEST(QuantityTest, NumbersWithoutDigitsAreZeroOnlyWhereGoTakesThem) {
  for (const char* text : {"m", "E", "Ti", ".Ki", "-k"}) EXPECT_EQ(Q(text).ToString(), "0") << text;
  for (const char* text : {"Pi", "Ei", "-Ei", ".Pi", "e-12"}) {
    EXPECT_FALSE(Quantity::Parse(text).has_value()) << text;
  }
}

TEST(QuantityTest, ValuesBeyondTheLargestDecimalSuffixAreWrittenWithAnExponent) {
  EXPECT_EQ(Q("1000E").ToString(), "1e21");
  EXPECT_EQ(Q("1000E"), Q("1e21"));
}

TEST(QuantityTest, IsSmall) { EXPECT_LE(sizeof(Quantity), 24U); }

TEST(QuantityTest, EqualValuesAreEqualWhateverTheSpelling) {
  EXPECT_EQ(Q("1"), Q("1000m"));
  EXPECT_EQ(Q("1"), Q("1e0"));
  EXPECT_EQ(Q("1024"), Q("1Ki"));
  EXPECT_EQ(Q("0"), Q("-0Ki"));
  EXPECT_EQ(Q("100000000000000000000"), Q("100e18"));
  EXPECT_NE(Q("1"), Q("1001m"));
}

// client-go: TestQuantityCmp
TEST(QuantityTest, OrdersByValue) {
  const char* const ascending[] = {
      "-1e30", "-9223372036854775809", "-1",  "-1m", "0", "1n", "999m", "1", "1Ki", "1025",
      "1E",    "9223372036854775807",  "10E", "1e30"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      SCOPED_TRACE(std::string(ascending[i]) + " and " + ascending[j]);
      EXPECT_EQ(Q(ascending[i]).Cmp(Q(ascending[j])), i < j ? -1 : i > j ? 1 : 0);
      EXPECT_EQ(Q(ascending[i]) < Q(ascending[j]), i < j);
    }
  }
}

TEST(QuantityTest, ComparesHugeExponentsWithoutSpellingThemOut) {
  EXPECT_GT(Q("1e10000"), Q("9e9999"));
  EXPECT_FALSE(Quantity::Parse("1e10001").has_value());
  EXPECT_EQ(Q("1e-2000000000"), Q("1n"));
}

// client-go: TestQuantityAdd, TestQuantitySub
TEST(QuantityTest, AddsAndSubtractsExactly) {
  struct Row {
    const char *a, *b, *sum, *difference;
  };
  const Row rows[] = {
      {"1", "1", "2", "0"},
      {"1500m", "500m", "2", "1"},
      {"1Gi", "512Mi", "1536Mi", "512Mi"},
      {"1", "1n", "1000000001n", "999999999n"},
      {"0", "1Ki", "1Ki", "-1Ki"},
      {"9223372036854775807", "1", "9223372036854775808", "9223372036854775806"},
      {"-9223372036854775808", "1", "-9223372036854775807", "-9223372036854775809"},
      {"1e30", "1n", "1000000000000000000000000000000000000001e-9",
       "999999999999999999999999999999999999999e-9"},
      {"5", "-7", "-2", "12"},
      {"100000000000000000001", "-100000000000000000000", "1", "200000000000000000001"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(std::string(row.a) + " and " + row.b);
    Quantity sum = Q(row.a);
    sum.Add(Q(row.b));
    EXPECT_EQ(sum.ToString(), row.sum);
    Quantity difference = Q(row.a);
    difference.Sub(Q(row.b));
    EXPECT_EQ(difference.ToString(), row.difference);
  }
}

TEST(QuantityTest, SumsOfBinaryQuantitiesBeyondTheLargestSuffixKeepTheirValue) {
  Quantity sum(0, Format::kBinarySI);
  for (int i = 0; i < 1024; ++i) sum.Add(Q("4Ei"));
  EXPECT_EQ(sum.ToString(), "4096Ei");
  EXPECT_EQ(sum.Value(), std::nullopt);
}

TEST(QuantityTest, ArithmeticForgetsTheSpelling) {
  Quantity quantity = Q("+1");
  ASSERT_EQ(quantity.ToString(), "+1");
  quantity.Add(Q("1"));
  EXPECT_EQ(quantity.ToString(), "2");
}

TEST(QuantityTest, CopiesAreDeep) {
  Quantity original = Q("123456789012345678901234567890");
  const Quantity copy = original;
  original.Neg();
  EXPECT_EQ(copy.ToString(), "123456789012345678901234567890");
  EXPECT_EQ(original.ToString(), "-123456789012345678901234567890");
  original = copy;
  EXPECT_EQ(original, copy);
}

TEST(QuantityTest, MadeFromNumbers) {
  EXPECT_EQ(Quantity().ToString(), "0");
  EXPECT_TRUE(Quantity().IsZero());
  EXPECT_EQ(Quantity(2).ToString(), "2");
  EXPECT_EQ(Quantity(1536, Format::kBinarySI).ToString(), "1536");
  EXPECT_EQ(Quantity(2048, Format::kBinarySI).ToString(), "2Ki");
  EXPECT_EQ(Quantity(1500, Format::kDecimalSI, -3).ToString(), "1500m");
  EXPECT_EQ(Quantity(1, Format::kDecimalSI, -12).ToString(), "1n");
  EXPECT_EQ(Quantity(5, Format::kDecimalExponent, 3).ToString(), "5e3");
  EXPECT_EQ(Quantity(std::numeric_limits<std::int64_t>::min()).ToString(), "-9223372036854775808");
}

TEST(QuantityTest, ScaledValuesRoundAwayFromZero) {
  EXPECT_EQ(Q("1").ScaledValue(-3), 1000);
  EXPECT_EQ(Q("1001m").ScaledValue(0), 2);
  EXPECT_EQ(Q("-1001m").ScaledValue(0), -2);
  EXPECT_EQ(Q("1").ScaledValue(6), 1);
  EXPECT_EQ(Q("1").ScaledValue(-19), std::nullopt);
  EXPECT_EQ(Q("0").ScaledValue(-30), 0);
}

TEST(QuantityTest, ApproximatesAsDouble) {
  EXPECT_DOUBLE_EQ(Q("1500m").AsApproximateFloat64(), 1.5);
  EXPECT_DOUBLE_EQ(Q("1Ki").AsApproximateFloat64(), 1024);
  EXPECT_DOUBLE_EQ(Q("-123456789012345678901234567890").AsApproximateFloat64(),
                   -123456789012345678901234567890.0);
}

TEST(QuantityTest, AFailedReadKeepsTheOldValue) {
  Quantity quantity = Q("5Ki");
  EXPECT_NE(quantity.UnmarshalJSON("\"x\""), nullptr);
  EXPECT_EQ(quantity.ToString(), "5Ki");
}

}  // namespace
}  // namespace k8s::resource
