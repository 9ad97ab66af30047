#include "rest/request_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_transport.hpp"
#include "support/log_lines.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

using rest::HttpRequest;
using rest::detail::CurlCommand;
using rest::detail::MaskedHeader;
using rest::detail::MayHoldSecrets;
using rest::detail::RequestLog;
using rest::detail::Timings;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class RequestLogTest : public ::testing::Test {
 protected:
  /// The lines of an exchange, without their number and with "N" for times.
  std::vector<std::string> Exchange(int verbosity, const HttpRequest& request, FakeAnswer answer,
                                    bool read = true) {
    const LogLines lines;
    auto log = RequestLog::Begin(verbosity, "https://h", request);
    if (log != nullptr) {
      const Timings timings{.name_lookup = std::chrono::milliseconds(1),
                            .connect = std::chrono::milliseconds(3),
                            .tls = std::chrono::milliseconds(8),
                            .protocol = "HTTP/2"};
      const auto response = RequestLog::Answered(
          std::move(log), std::make_unique<FakeResponse>(std::move(answer)), timings);
      if (read) (void)ReadAll(*response);
    }
    return Normal(lines.Get());
  }
  static std::vector<std::string> Normal(std::vector<std::string> lines) {
    for (auto& line : lines) {
      if (line.starts_with('#')) line.erase(0, line.find(' ') + 1);
      for (const std::string before : {" in ", " after ", "server "}) {
        const auto word = line.find(before);
        if (word == std::string::npos) continue;
        const auto number = word + before.size();
        const auto unit = line.find_first_not_of("0123456789", number);
        if (line.compare(unit, 3, " ms") == 0) line.replace(number, unit - number, "N");
      }
    }
    return lines;
  }
  static HttpRequest Pods() {
    return {.target = "/api/v1/pods?limit=5",
            .headers = {{"Accept", "application/json"}, {"Authorization", "Bearer s3cret"}}};
  }
};

TEST_F(RequestLogTest, IsOffBelowSix) {
  EXPECT_EQ(RequestLog::Begin(5, "https://h", Pods()), nullptr);
  EXPECT_EQ(RequestLog::Begin(0, "https://h", Pods()), nullptr);
}

TEST_F(RequestLogTest, IsOffIfTheLogIs) {
  const LogLines lines;
  log::SetLevel(log::Level::kWarning);
  EXPECT_EQ(RequestLog::Begin(9, "https://h", Pods()), nullptr);
  log::SetLevel(log::Level::kInfo);
}

TEST_F(RequestLogTest, TheLargerOfTheClientsAndTheProcesssLevelCounts) {
  const LogLines lines;
  log::SetVerbosity(6);
  EXPECT_NE(RequestLog::Begin(0, "https://h", Pods()), nullptr);
  EXPECT_THAT(lines.Get(), IsEmpty());
  EXPECT_NE(RequestLog::Begin(9, "https://h", Pods()), nullptr);
  EXPECT_THAT(lines.Text(), HasSubstr("curl"));
  log::SetVerbosity(0);
  EXPECT_EQ(RequestLog::Begin(0, "https://h", Pods()), nullptr);
}

// client-go: TestDebuggingRoundTripper (this and the levels below)
TEST_F(RequestLogTest, SixIsMethodUrlStatusAndTime) {
  EXPECT_THAT(Exchange(6, Pods(), Body("{}")),
              ElementsAre("GET https://h/api/v1/pods?limit=5 200 in N ms"));
}

TEST_F(RequestLogTest, SevenIsAlsoTheRequestsHeaders) {
  EXPECT_THAT(Exchange(7, Pods(), Body("{}", 404)),
              ElementsAre("GET https://h/api/v1/pods?limit=5", "> Accept: application/json",
                          "> Authorization: Bearer <masked>",
                          "GET https://h/api/v1/pods?limit=5 404 in N ms"));
}

TEST_F(RequestLogTest, EightIsAlsoTheAnswersHeadersAndBodies) {
  EXPECT_THAT(
      Exchange(8, {.method = "POST", .target = "/x", .body = "{\"a\":\n1}"},
               {.headers = {{"Set-Cookie", "s3cret"}, {"Audit-Id", "7"}}, .chunks = {"{", "}"}}),
      ElementsAre("POST https://h/x", "> body: {\"a\": 1}", "POST https://h/x 200 in N ms",
                  "< Set-Cookie: <masked>", "< Audit-Id: 7", "< body: {}"));
}

TEST_F(RequestLogTest, NineIsACurlCommandAndTheTimings) {
  EXPECT_THAT(
      Exchange(9, Pods(), Body("{}")),
      ElementsAre("curl -v -XGET -H 'Accept: application/json' -H 'Authorization: Bearer "
                  "<masked>' 'https://h/api/v1/pods?limit=5'",
                  "GET https://h/api/v1/pods?limit=5 200 in N ms over HTTP/2; name look-up 1 ms, "
                  "dial 2 ms, TLS handshake 5 ms, server N ms",
                  "< Content-Type: application/json", "< body: {}"));
}

TEST_F(RequestLogTest, BodiesAreCutByLevel) {
  const std::string text(20'000, 'x');
  for (const auto& [level, shown] :
       std::vector<std::pair<int, std::size_t>>{{8, 1024U}, {9, 10240U}}) {
    SCOPED_TRACE(level);
    const auto lines = Exchange(level, {}, {.headers = {}, .chunks = {text, text}});
    EXPECT_EQ(lines.back(), "< body: " + std::string(shown, 'x') + " [truncated " +
                                std::to_string(40'000 - shown) + " bytes]");
  }
  const auto lines = Exchange(10, {}, {.headers = {}, .chunks = {text, text}});
  ASSERT_EQ(lines.size(), 4U) << "a line per chunk, so that none has to be kept";
  EXPECT_EQ(lines[2], "< body: " + text);
  EXPECT_EQ(lines[3], "< body: " + text);
}

TEST_F(RequestLogTest, NoCharacterIsCutInTwo) {
  const auto lines =
      Exchange(8, {}, {.headers = {}, .chunks = {std::string(1023, 'x') + "\xc3\xa9y"}});
  EXPECT_EQ(lines.back(), "< body: " + std::string(1023, 'x') + " [truncated 3 bytes]");
}

TEST_F(RequestLogTest, AWatchShowsItsEventsAndItsEnd) {
  const HttpRequest watch{.target = "/w", .watch = true};
  EXPECT_THAT(
      Exchange(6, watch, {.chunks = {"{}", "{}"}}),
      ElementsAre("GET https://h/w 200 in N ms", "GET https://h/w ended after N ms, 4 bytes"));
  EXPECT_THAT(Exchange(8, watch, {.headers = {}, .chunks = {"{1}", std::string(1025, 'x')}}),
              ElementsAre("GET https://h/w", "GET https://h/w 200 in N ms", "< body: {1}",
                          "< body: " + std::string(1024, 'x') + " [truncated 1 bytes]",
                          "GET https://h/w ended after N ms, 1028 bytes"));
}

TEST_F(RequestLogTest, FailuresAreShown) {
  const Error reset{.kind = ErrorKind::kConnectionLost, .message = "reset"};
  EXPECT_THAT(Exchange(6, {.target = "/x"}, {.chunks = {"{"}, .end = reset}),
              ElementsAre("GET https://h/x 200 in N ms",
                          "GET https://h/x failed after N ms, 1 bytes: reset"));
  const LogLines lines;
  RequestLog::Begin(6, "https://h", {.target = "/x"})->Failed(reset);
  EXPECT_THAT(Normal(lines.Get()), ElementsAre("GET https://h/x failed after N ms: reset"));
}

TEST_F(RequestLogTest, AnAnswerThatIsNotReadToItsEndIsClosed) {
  EXPECT_THAT(
      Exchange(6, {.target = "/x"}, Body("{}"), false),
      ElementsAre("GET https://h/x 200 in N ms", "GET https://h/x closed after N ms, 0 bytes"));
}

TEST_F(RequestLogTest, SilenceIsNoEnd) {
  const LogLines lines;
  FakeAnswer answer = Body("{}");
  answer.end = Error{.kind = ErrorKind::kTimeout, .reason = std::string(kReasonSilence)};
  const auto response = RequestLog::Answered(RequestLog::Begin(6, "https://h", {.target = "/x"}),
                                             std::make_unique<FakeResponse>(std::move(answer)), {});
  EXPECT_FALSE(ReadAll(*response));
  EXPECT_THAT(lines.Text(), Not(HasSubstr("failed")));
}

TEST_F(RequestLogTest, BodiesThatMayHoldSecretsAndBinaryOnesAreNotShown) {
  EXPECT_THAT(Exchange(10,
                       {.method = "PUT",
                        .target = "/api/v1/namespaces/d/secrets/s",
                        .body = R"({"data":{"k":"czNjcmV0"}})"},
                       {.headers = {}, .chunks = {R"({"data":{"k":"czNjcmV0"}})"}}),
              ElementsAre(HasSubstr("curl"), "> body: <masked, 25 bytes>", HasSubstr("200"),
                          "< body: <masked, 25 bytes>"));
  EXPECT_EQ(Exchange(8, {}, {.headers = {}, .chunks = {std::string("k8s\0x", 5)}}).back(),
            "< body: <binary, 5 bytes>");
}

TEST(MayHoldSecretsTest, KnowsSecretsAndTokens) {
  for (const char* path :
       {"/api/v1/secrets", "/api/v1/secrets?watch=true", "/api/v1/namespaces/d/secrets/s",
        "/api/v1/namespaces/d/serviceaccounts/s/token",
        "/apis/authentication.k8s.io/v1/tokenreviews"}) {
    EXPECT_TRUE(MayHoldSecrets(path)) << path;
  }
  for (const char* path : {"/api/v1/pods?fieldSelector=metadata.name%3Dsecrets", "/api/v1", "/", "",
                           "/api/v1/namespaces/d/pods/token-0"}) {
    EXPECT_FALSE(MayHoldSecrets(path)) << path;
  }
}

// client-go: TestMaskValue
TEST(MaskedHeaderTest, HidesCredentials) {
  EXPECT_EQ(MaskedHeader("authorization", "Bearer abc"), "Bearer <masked>");
  EXPECT_EQ(MaskedHeader("Authorization", "Basic abc"), "Basic <masked>");
  EXPECT_EQ(MaskedHeader("Authorization", "Negotiate abc"), "Negotiate <masked>");
  EXPECT_EQ(MaskedHeader("Authorization", "bearer"), "bearer");
  EXPECT_EQ(MaskedHeader("Authorization", "abc"), "<masked>");
  EXPECT_EQ(MaskedHeader("Authorization", "My key"), "<masked>");
  EXPECT_EQ(MaskedHeader("Authorization", ""), "");
  for (const char* name : {"Proxy-Authorization", "Cookie", "Set-Cookie", "X-Auth-Token",
                           "X-Api-Key", "X-Client-Secret", "X-Password"}) {
    EXPECT_EQ(MaskedHeader(name, "abc"), "<masked>") << name;
  }
  EXPECT_EQ(MaskedHeader("Accept", "application/json"), "application/json");
  EXPECT_EQ(MaskedHeader("Impersonate-User", "jane"), "jane");
}

TEST(CurlCommandTest, IsQuotedForAShell) {
  EXPECT_EQ(CurlCommand("PATCH", "https://h/x?a=b&c", {{"A", "it's"}, {"B", "$HOME"}}),
            "curl -v -XPATCH -H 'A: it'\\''s' -H 'B: $HOME' 'https://h/x?a=b&c'");
}

}  // namespace
}  // namespace k8s::test
