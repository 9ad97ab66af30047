#include "rest/warnings.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace k8s::test {
namespace {

using Texts = std::vector<std::string>;

TEST(ParseWarningsTest, ReadsQuotedTexts) {
  using rest::detail::ParseWarnings;
  EXPECT_EQ(ParseWarnings(R"(299 - "one")"), Texts{"one"});
  EXPECT_EQ(ParseWarnings(R"(299 agent "a, b" "Wed, 21 Oct 2026 07:28:00 GMT", 299 - "c\\d\"e")"),
            (Texts{"a, b", "c\\d\"e"}));
  EXPECT_EQ(ParseWarnings(R"(199 - "miscellaneous", 299 - "")"), Texts{""});
}

TEST(ParseWarningsTest, LeavesOutWhatDoesNotParse) {
  using rest::detail::ParseWarnings;
  for (const char* text :
       {"", " ", "299", "299 -", "299 - text", "299 - \"open", "299 - \"open\\"}) {
    EXPECT_EQ(ParseWarnings(text), Texts{}) << text;
  }
  EXPECT_EQ(ParseWarnings(R"(299 - "good", nonsense)"), Texts{"good"});
}

}  // namespace
}  // namespace k8s::test
