#include <gtest/gtest.h>
#include <k8s/apis/meta/label_selector.hpp>
#include <k8s/labels/selector.hpp>

#include <string>
#include <vector>

#include "support/case_file.hpp"

namespace k8s::labels {
namespace {

// The label sets L0 to L7 of selectors.txt.
const Set kSets[] = {
    {},
    {{"app", "web"}},
    {{"app", "db"}, {"tier", "back"}},
    {{"app", ""}},
    {{"app", "web"}, {"n", "5"}},
    {{"n", "05"}, {"env", "in"}},
    {{"n", "abc"}, {"x.io/y", "z"}},
    {{"in", "x"}, {"notin", "y"}},
};

std::string MatchDigits(const Selector& selector) {
  std::string digits;
  for (const Set& set : kSets) digits += selector.Matches(set) ? '1' : '0';
  return digits;
}

std::string NameOf(Operator op) {
  switch (op) {
    case Operator::kEquals:
      return "=";
    case Operator::kDoubleEquals:
      return "==";
    case Operator::kNotEquals:
      return "!=";
    case Operator::kIn:
      return "in";
    case Operator::kNotIn:
      return "notin";
    case Operator::kExists:
      return "exists";
    case Operator::kDoesNotExist:
      return "!";
    case Operator::kGreaterThan:
      return "gt";
    case Operator::kLessThan:
      return "lt";
  }
  return "?";
}

// In the notation of selectors.txt.
std::string Show(const std::vector<Requirement>& requirements) {
  std::string out;
  for (const Requirement& requirement : requirements) {
    if (!out.empty()) out += " ; ";
    out += requirement.key() + " " + NameOf(requirement.op()) + " [";
    for (const std::string& value : requirement.values()) {
      out += (out.back() == '[' ? "\"" : " \"") + value + "\"";
    }
    out += "]";
  }
  return out.empty() ? "-" : out;
}

void ExpectRow(const Selector& selector, const testing::CaseLine& line) {
  const std::string canonical = testing::ParseQuoted(line.column(2));
  EXPECT_EQ(selector.ToString(), canonical);
  EXPECT_EQ(Show(selector.Requirements()), line.column(3));
  EXPECT_EQ(MatchDigits(selector), line.column(4));
  EXPECT_EQ(Parse(canonical).value(), selector);
  const auto object = metav1::ParseToLabelSelector(canonical);
  EXPECT_EQ(object.has_value() ? "yes" : "no", line.column(5));
  if (object) {
    EXPECT_EQ(MatchDigits(metav1::LabelSelectorAsSelector(*object).value()), line.column(4));
  }
}

TEST(LabelSelectorTest, ReadsEveryCaseAsGoDoes) {
  int rows = 0;
  for (const auto& line : testing::ReadCases("cases/selectors.txt", "FIELD SELECTORS")) {
    if (!line.section.empty()) continue;
    SCOPED_TRACE("selectors.txt:" + std::to_string(line.number) + " " + line.column(0));
    ++rows;
    const std::string text = testing::ParseQuoted(line.column(0));
    const auto parsed = Parse(text);
    // In Go a NUL ends a token; here it is no character of a label.
    const bool has_nul = text.find('\0') != std::string::npos;
    ASSERT_EQ(parsed.has_value() ? "ok" : "error", has_nul ? "error" : line.column(1));
    if (parsed) {
      ExpectRow(*parsed, line);
    } else {
      EXPECT_EQ(parsed.error().kind, ErrorKind::kInvalidArgument);
    }
  }
  EXPECT_GT(rows, 120);
}

// client-go: TestSelectorMatches
TEST(LabelSelectorTest, EverythingAndNothing) {
  EXPECT_EQ(MatchDigits(Everything()), "11111111");
  EXPECT_TRUE(Everything().Empty());
  EXPECT_EQ(Everything().ToString(), "");
  EXPECT_EQ(Everything(), Selector());
  EXPECT_EQ(MatchDigits(Nothing()), "00000000");
  EXPECT_FALSE(Nothing().Empty());
  EXPECT_TRUE(Nothing().MatchesNothing());
  EXPECT_FALSE(Everything().MatchesNothing());
}

TEST(LabelSelectorTest, TheTextOfNothingSelectsNothing) {
  const auto parsed = Parse(Nothing().ToString());
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(MatchDigits(*parsed), "00000000");
  EXPECT_FALSE(parsed->Matches({{"none", ""}}));
}

// client-go: TestSetMatches, TestSetIsEmpty
TEST(LabelSelectorTest, FromASetNeedsAllOfItsLabels) {
  const Selector selector = SelectorFromSet({{"tier", "back"}, {"app", "db"}});
  EXPECT_EQ(selector.ToString(), "app=db,tier=back");
  EXPECT_EQ(MatchDigits(selector), "00100000");
  EXPECT_TRUE(SelectorFromSet({}).Empty());
  EXPECT_EQ(ValidatedSelectorFromSet({{"app", "db"}, {"tier", "back"}}).value(), selector);
}

// client-go: TestValidatedSelectorFromSet
TEST(LabelSelectorTest, OnlyTheValidatedFormChecksTheSet) {
  const Set bad = {{"app", "not a value"}};
  EXPECT_EQ(SelectorFromSet(bad).ToString(), "app=not a value");
  EXPECT_FALSE(ValidatedSelectorFromSet(bad).has_value());
  EXPECT_FALSE(ValidatedSelectorFromSet({{"not a key", "a"}}).has_value());
}

// client-go: TestRequirementConstructor
TEST(LabelRequirementTest, ChecksItsParts) {
  struct Row {
    std::string key;
    Operator op;
    std::vector<std::string> values;
    bool ok;
  };
  const Row rows[] = {
      {"x", Operator::kIn, {}, false},
      {"x", Operator::kNotIn, {}, false},
      {"x", Operator::kIn, {"a"}, true},
      {"x", Operator::kNotIn, {"a", "b"}, true},
      {"x", Operator::kEquals, {"a", "b"}, false},
      {"x", Operator::kNotEquals, {}, false},
      {"x", Operator::kExists, {}, true},
      {"x", Operator::kDoesNotExist, {}, true},
      {"x", Operator::kDoesNotExist, {"a"}, false},
      {"x", Operator::kGreaterThan, {"1"}, true},
      {"x", Operator::kLessThan, {"1", "2"}, false},
      {"x", Operator::kGreaterThan, {"a"}, false},
      {"", Operator::kExists, {}, false},
      {std::string(253, 'a') + "/x", Operator::kExists, {}, true},
      {std::string(254, 'a') + "/x", Operator::kExists, {}, false},
      {"a..b/x", Operator::kExists, {}, false},
      {"x", Operator::kEquals, {std::string(64, 'a')}, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.key + " " + NameOf(row.op));
    EXPECT_EQ(Requirement::New(row.key, row.op, row.values).has_value(), row.ok);
  }
}

// client-go: TestAdd
TEST(LabelSelectorTest, AddKeepsTheKeysInOrder) {
  const Selector selector =
      Parse("b=1").value().Add(Requirement::New("a", Operator::kNotIn, {"y", "x", "y"}).value());
  EXPECT_EQ(selector.ToString(), "a notin (x,y),b=1");
  EXPECT_EQ(Nothing().Add(Requirement::New("a", Operator::kExists).value()), Nothing());
}

// client-go: TestRequiresExactMatch
TEST(LabelSelectorTest, TellsTheOneValueThatALabelMustHave) {
  const Selector selector = Parse("a=1,b in (2),c in (3,4),d!=5,e").value();
  EXPECT_EQ(selector.RequiresExactMatch("a"), "1");
  EXPECT_EQ(selector.RequiresExactMatch("b"), "2");
  for (const char* label : {"c", "d", "e", "f"}) {
    EXPECT_EQ(selector.RequiresExactMatch(label), std::nullopt) << label;
  }
  EXPECT_EQ(Everything().RequiresExactMatch("a"), std::nullopt);
}

TEST(LabelSelectorTest, ErrorsNameTheSelectorAndThePlace) {
  const Error error = Parse("app=web tier=back").error();
  EXPECT_NE(error.message.find("app=web tier=back"), std::string::npos);
  EXPECT_NE(error.message.find("found \"tier\""), std::string::npos);
}

// client-go: TestLabelSelectorAsSelector
TEST(LabelSelectorAsSelectorTest, UnsetMatchesNothingAndEmptyMatchesEverything) {
  EXPECT_EQ(metav1::LabelSelectorAsSelector(Box<metav1::LabelSelector>()).value(), Nothing());
  EXPECT_EQ(metav1::LabelSelectorAsSelector(metav1::LabelSelector()).value(), Everything());
}

TEST(LabelSelectorAsSelectorTest, JoinsLabelsAndExpressions) {
  metav1::LabelSelector object{.matchLabels = {{"foo", "bar"}}};
  object.matchExpressions = {{.key = "baz", .operator_ = "In", .values = {"norf", "qux"}},
                             {.key = "old", .operator_ = "DoesNotExist"}};
  EXPECT_EQ(metav1::LabelSelectorAsSelector(object).value().ToString(),
            "baz in (norf,qux),foo=bar,!old");
  const Box<metav1::LabelSelector> boxed(object);
  EXPECT_EQ(metav1::LabelSelectorAsSelector(boxed).value(),
            metav1::LabelSelectorAsSelector(object).value());
}

TEST(LabelSelectorAsSelectorTest, RefusesUnknownOperatorsAndWrongValues) {
  const std::vector<metav1::LabelSelectorRequirement> bad = {
      {.key = "a", .operator_ = "in", .values = {"x"}},
      {.key = "a", .operator_ = "In"},
      {.key = "a", .operator_ = "Exists", .values = {"x"}},
      {.key = "a b", .operator_ = "Exists"},
  };
  for (const auto& requirement : bad) {
    metav1::LabelSelector object;
    object.matchExpressions = {requirement};
    EXPECT_FALSE(metav1::LabelSelectorAsSelector(object).has_value()) << requirement.operator_;
  }
}

}  // namespace
}  // namespace k8s::labels
