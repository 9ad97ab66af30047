#include "rest/warnings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <k8s/rest/client.hpp>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/fake_transport.hpp"
#include "support/log_lines.hpp"

namespace k8s::test {
namespace {

using rest::Warning;
using rest::detail::ParseWarnings;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Warning Of(int code, std::string agent, std::string text) {
  return {.code = code, .agent = std::move(agent), .text = std::move(text)};
}

// apimachinery: TestParseWarningHeader, TestParseWarningHeaders
TEST(ParseWarningsTest, ReadsQuotedTexts) {
  EXPECT_THAT(ParseWarnings(R"(299 - "one")"), ElementsAre(Of(299, "-", "one")));
  EXPECT_THAT(ParseWarnings(R"(  299 - "one"  )"), ElementsAre(Of(299, "-", "one")));
  EXPECT_THAT(ParseWarnings(R"(299 agent "a, b" "Wed, 21 Oct 2026 07:28:00 GMT", 299 - "c\\d\"e")"),
              ElementsAre(Of(299, "agent", "a, b"), Of(299, "-", "c\\d\"e")));
  EXPECT_THAT(ParseWarnings(R"(199 - "miscellaneous",299 - "")"),
              ElementsAre(Of(199, "-", "miscellaneous"), Of(299, "-", "")));
  EXPECT_THAT(ParseWarnings("299 - \"gr\xc3\xbc\xc3\x9f\x65\""),
              ElementsAre(Of(299, "-", "gr\xc3\xbc\xc3\x9f\x65")));
}

// apimachinery: TestParseWarningHeader
TEST(ParseWarningsTest, EndsAtWhatDoesNotParse) {
  for (const char* text :
       {"", " ", "299", "299 -", "299 - text", "299 - \"open", "299 - \"open\\", "29 - \"short\"",
        "2990 - \"long\"", "-99 - \"sign\"", "abc - \"letters\"", "299  \"no agent\"",
        "299 a\x01 \"control\"", "299 - \"control\x01\"", "299 - \"not UTF-8 \xff\"",
        "299 \xff \"not UTF-8\"", "299 - \"date\" \"open", "299 - \"more\" text"}) {
    EXPECT_THAT(ParseWarnings(text), IsEmpty()) << text;
  }
  EXPECT_THAT(ParseWarnings(R"(299 - "good", nonsense, 299 - "behind it")"),
              ElementsAre(Of(299, "-", "good")));
}

class WarningHandlerTest : public ::testing::Test {
 protected:
  ~WarningHandlerTest() override { rest::SetDefaultWarningHandler({}); }

  /// Gets an answer with each of the headers.
  void Receive(const rest::WarningHandler& handler, const std::vector<std::string>& headers) {
    FakeAnswer answer = Body("{}");
    for (const auto& header : headers) answer.headers.emplace_back("warning", header);
    transport_->Add(std::move(answer));
    const auto client = rest::Client::New({.warningHandler = handler, .qps = -1}, transport_);
    EXPECT_TRUE(client.Do({.path = "/x"}));
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  LogLines log_;
};

// client-go: TestHandleWarnings
TEST_F(WarningHandlerTest, IsToldOfEveryValueOfEveryHeader) {
  std::vector<Warning> heard;
  Receive([&](const Warning& warning) { heard.push_back(warning); },
          {R"(299 - "one", 299 - "two")", R"(199 a "three")", "nonsense", R"(299 - "four")"});
  EXPECT_THAT(heard, ElementsAre(Of(299, "-", "one"), Of(299, "-", "two"), Of(199, "a", "three"),
                                 Of(299, "-", "four")));
  EXPECT_THAT(log_.Get(), IsEmpty());
}

// client-go: TestDefaultWarningHandler
TEST_F(WarningHandlerTest, TheDefaultLogsTextsWithCode299EachTime) {
  for (int i = 0; i < 2; ++i) Receive({}, {R"(299 - "old", 199 - "other", 299 - "")"});
  EXPECT_THAT(log_.Get(), ElementsAre("the server warns: old", "the server warns: old"));
}

// client-go: TestWarningWriter
TEST_F(WarningHandlerTest, LogsEachTextOnceIfToldTo) {
  const auto once = rest::WarningLogger({.deduplicate = true});
  for (int i = 0; i < 2; ++i) Receive(once, {R"(299 - "old", 299 - "older")"});
  EXPECT_THAT(log_.Get(), ElementsAre("the server warns: old", "the server warns: older"));
  Receive(rest::WarningLogger({.deduplicate = true}), {R"(299 - "old")"});
  EXPECT_THAT(log_.Get(), SizeIs(3)) << "another logger has a memory of its own";
}

TEST_F(WarningHandlerTest, RemembersAThousandTexts) {
  const auto once = rest::WarningLogger({.deduplicate = true});
  for (int i = 0; i < 1000; ++i) once({.code = 299, .text = std::to_string(i)});
  once({.code = 299, .text = "999"});
  once({.code = 299, .text = "1000"});
  EXPECT_THAT(log_.Get(), SizeIs(1002)) << "memory is bounded, so what was forgotten is new";
}

// client-go: TestNoWarnings
TEST_F(WarningHandlerTest, MayIgnoreAll) {
  Receive(rest::NoWarnings(), {R"(299 - "old")"});
  EXPECT_THAT(log_.Get(), IsEmpty());
}

TEST_F(WarningHandlerTest, TheDefaultMayBeReplacedAndAClientsOwnWins) {
  std::vector<std::string> heard;
  rest::SetDefaultWarningHandler([&](const Warning& warning) { heard.push_back(warning.text); });
  Receive({}, {R"(299 - "one")"});
  Receive(rest::NoWarnings(), {R"(299 - "two")"});
  EXPECT_THAT(heard, ElementsAre("one"));
  EXPECT_THAT(log_.Get(), IsEmpty());
  rest::SetDefaultWarningHandler({});
  Receive({}, {R"(299 - "three")"});
  EXPECT_THAT(log_.Get(), ElementsAre("the server warns: three"));
}

TEST_F(WarningHandlerTest, MayThrow) {
  Receive([](const Warning&) { throw std::runtime_error("oops"); },
          {R"(299 - "one", 299 - "two")"});
  EXPECT_THAT(log_.Get(),
              ElementsAre("a warning handler threw: oops", "a warning handler threw: oops"));
}

TEST_F(WarningHandlerTest, IsToldOfFailuresButNotOfAnswersThatAreAskedForAgain) {
  std::vector<std::string> heard;
  transport_->Add({.status = 503, .headers = {{"Retry-After", "0"}, {"Warning", R"(299 - "no")"}}});
  transport_->Add({.status = 403, .headers = {{"Warning", R"(299 - "yes")"}}});
  const auto client = rest::Client::New(
      {.warningHandler = [&](const Warning& warning) { heard.push_back(warning.text); }, .qps = -1},
      transport_);
  EXPECT_TRUE(IsForbidden(client.Do({.path = "/x"}).error()));
  EXPECT_THAT(heard, ElementsAre("yes"));
}

TEST_F(WarningHandlerTest, CopiesAreEqual) {
  const rest::WarningHandler handler = rest::NoWarnings();
  const rest::WarningHandler& copy = handler;
  EXPECT_EQ(handler, copy);
  EXPECT_NE(handler, rest::NoWarnings());
  EXPECT_FALSE(rest::WarningHandler());
}

}  // namespace
}  // namespace k8s::test
