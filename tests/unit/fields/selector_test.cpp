#include <gtest/gtest.h>
#include <k8s/fields/selector.hpp>

#include <nlohmann/json.hpp>
#include <string>

#include "support/case_file.hpp"

namespace k8s::fields {
namespace {

// The field sets F0 to F5 of selectors.txt.
const Set kSets[] = {
    {},
    {{"metadata.name", "a"}},
    {{"metadata.name", "a,b"}},
    {{"metadata.name", "a=b"}},
    {{"metadata.name", "a\\b"}},
    {{"metadata.name", ""}, {"status.phase", "Running"}},
};

std::string MatchDigits(const Selector& selector) {
  std::string digits;
  for (const Set& set : kSets) digits += selector.Matches(set) ? '1' : '0';
  return digits;
}

std::string Quote(const std::string& text) { return nlohmann::json(text).dump(); }

// In the notation of selectors.txt.
std::string Show(const std::vector<Requirement>& requirements) {
  std::string out;
  for (const Requirement& requirement : requirements) {
    if (!out.empty()) out += " ; ";
    out += Quote(requirement.field) + (requirement.negated ? " != " : " = ") +
           Quote(requirement.value);
  }
  return out.empty() ? "-" : out;
}

TEST(FieldSelectorTest, ReadsEveryCaseAsGoDoes) {
  int rows = 0;
  for (const auto& line : testing::ReadCases("cases/selectors.txt", "FIELD SELECTORS")) {
    if (line.section.empty()) continue;
    SCOPED_TRACE("selectors.txt:" + std::to_string(line.number) + " " + line.column(0));
    ++rows;
    const auto parsed = ParseSelector(testing::ParseQuoted(line.column(0)));
    ASSERT_EQ(parsed.has_value() ? "ok" : "error", line.column(1));
    if (!parsed) {
      EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalidArgument);
      continue;
    }
    const std::string canonical = testing::ParseQuoted(line.column(2));
    EXPECT_EQ(parsed->ToString(), canonical);
    EXPECT_EQ(Show(parsed->Requirements()), line.column(3));
    EXPECT_EQ(MatchDigits(*parsed), line.column(4));
    EXPECT_EQ(ParseSelector(canonical).value(), *parsed);
  }
  EXPECT_GT(rows, 40);
}

// client-go: TestEverything
TEST(FieldSelectorTest, EverythingAndNothing) {
  EXPECT_EQ(MatchDigits(Everything()), "111111");
  EXPECT_TRUE(Everything().Empty());
  EXPECT_EQ(Everything().ToString(), "");
  EXPECT_EQ(MatchDigits(Nothing()), "000000");
  EXPECT_TRUE(Nothing().MatchesNothing());
  EXPECT_FALSE(Nothing().Empty());
  EXPECT_EQ(MatchDigits(ParseSelector(Nothing().ToString()).value()), "000000");
}

TEST(FieldSelectorTest, OneTermSelectors) {
  EXPECT_EQ(OneTermEqualSelector("metadata.name", "a,b").ToString(), "metadata.name=a\\,b");
  EXPECT_EQ(OneTermNotEqualSelector("spec.nodeName", "").ToString(), "spec.nodeName!=");
  EXPECT_EQ(MatchDigits(OneTermEqualSelector("metadata.name", "a")), "010000");
  EXPECT_EQ(MatchDigits(OneTermNotEqualSelector("metadata.name", "a")), "101111");
}

TEST(FieldSelectorTest, FromASetAndJoined) {
  const Selector both =
      AndSelectors({SelectorFromSet({{"a", "1"}}), OneTermEqualSelector("b", "2")});
  EXPECT_EQ(both.ToString(), "a=1,b=2");
  EXPECT_TRUE(AndSelectors({}).Empty());
  EXPECT_TRUE(AndSelectors({both, Nothing()}).MatchesNothing());
}

// client-go: TestRequiresExactMatch
TEST(FieldSelectorTest, TellsTheOneValueThatAFieldMustHave) {
  const Selector selector = ParseSelector("a=1,b!=2").value();
  EXPECT_EQ(selector.RequiresExactMatch("a"), "1");
  EXPECT_EQ(selector.RequiresExactMatch("b"), std::nullopt);
  EXPECT_EQ(selector.RequiresExactMatch("c"), std::nullopt);
}

// client-go: TestSplitTerms, TestEscapeValue
TEST(FieldSelectorTest, EscapesAndUnescapesValues) {
  for (const char* value : {"", "a", ",", "=", "\\", "\\,=", "a\\b,c=d", "ü"}) {
    EXPECT_EQ(UnescapeValue(EscapeValue(value)).value(), value);
  }
  for (const char* text : {"\\", "\\n", ",", "=", "a\\\\,"}) {
    EXPECT_FALSE(UnescapeValue(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace k8s::fields
