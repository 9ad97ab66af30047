#include <gtest/gtest.h>
#include <k8s/log.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/case_file.hpp"
#include "support/fake_transport.hpp"
#include "support/skipping_clock.hpp"

namespace k8s::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

using Sleeps = std::vector<Clock::Duration>;

class ClientTest : public ::testing::Test {
 protected:
  rest::Client NewClient(const rest::Config& config = {.qps = -1}) {
    return rest::Client::New(config, transport_, clock_);
  }
  static FakeAnswer RetryLater(int status, const std::string& after) {
    return {.status = status, .headers = {{"Retry-After", after}}};
  }
  static rest::Request Pod() {
    return {.path = "/api/v1/namespaces/d/pods/p",
            .resource = {.group = "", .resource = "pods"},
            .name = "p"};
  }

  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  std::shared_ptr<SkippingClock> clock_ = std::make_shared<SkippingClock>();
};

TEST_F(ClientTest, SendsWhatTheRequestSays) {
  transport_->Add({.chunks = {"{\"a\":", "1}"}});
  auto client = NewClient({.userAgent = "agent", .qps = -1});
  const auto response = client.Do({.method = "PATCH",
                                   .path = "/api/v1/x",
                                   .query = {{"a b", "c&d"}, {"e", ""}},
                                   .contentType = "application/merge-patch+json",
                                   .body = "{}",
                                   .timeout = seconds(3),
                                   .idleTimeout = seconds(2)});
  EXPECT_EQ(response.value().body, "{\"a\":1}");
  EXPECT_EQ(response->status, 200);
  EXPECT_EQ(response->contentType, "application/json");
  const auto request = transport_->requests().at(0);
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target, "/api/v1/x?a%20b=c%26d&e=");
  EXPECT_EQ(request.body, "{}");
  EXPECT_EQ(request.timeout, seconds(3));
  EXPECT_EQ(request.idleTimeout, seconds(2));
  const rest::Headers expected = {{"Accept", "application/json"},
                                  {"User-Agent", "agent"},
                                  {"Content-Type", "application/merge-patch+json"}};
  EXPECT_EQ(request.headers, expected);
}

// client-go: TestNewRequestSetsAccept
TEST_F(ClientTest, ARequestMayAskForAnotherForm) {
  transport_->Add(Body("{}"));
  EXPECT_TRUE(NewClient({.userAgent = "agent", .qps = -1})
                  .Do({.path = "/x", .accept = "application/json;as=Table"}));
  const rest::Headers expected = {{"Accept", "application/json;as=Table"}, {"User-Agent", "agent"}};
  EXPECT_EQ(transport_->requests().at(0).headers, expected);
}

TEST_F(ClientTest, TheConfiguredTimeoutBoundsRequestsAndIsSent) {
  transport_->Add(Body("{}"));
  (void)NewClient({.qps = -1, .timeout = seconds(5)}).Do({.path = "/x"});
  EXPECT_EQ(transport_->requests().at(0).target, "/x?timeout=5000ms");
  EXPECT_EQ(transport_->requests().at(0).timeout, seconds(5));
}

// client-go: TestRetryableConditions
TEST_F(ClientTest, RetriesAfterRetryAfterWhateverTheMethod) {
  for (const char* method : {"GET", "POST", "PUT", "DELETE", "PATCH"}) {
    for (const int status : {429, 500, 503, 599}) {
      SCOPED_TRACE(std::string(method) + " " + std::to_string(status));
      clock_ = std::make_shared<SkippingClock>();
      transport_->Add(RetryLater(status, "7"));
      transport_->Add(Body("{}"));
      EXPECT_TRUE(NewClient().Do({.method = method, .path = "/x"}));
      EXPECT_EQ(clock_->Sleeps(), Sleeps{seconds(7)});
    }
  }
}

// client-go: TestCheckRetryHandles429And5xx
TEST_F(ClientTest, DoesNotRetryOtherAnswers) {
  const std::vector<FakeAnswer> answers = {
      {.status = 429, .headers = {}},
      {.status = 500, .headers = {}},
      RetryLater(503, "soon"),
      RetryLater(503, "1.5"),
      RetryLater(503, "99999999999"),
      RetryLater(404, "Wed, 21 Oct 2026 07:28:00 GMT"),
      RetryLater(404, "1"),
      RetryLater(307, "1"),
      RetryLater(503, ""),
      RetryLater(503, "-1"),
  };
  for (const auto& answer : answers) {
    SCOPED_TRACE(answer.status);
    transport_->Add(answer);
    const auto error = NewClient().Do(Pod()).error();
    EXPECT_EQ(error.kind, ErrorKind::kStatus);
    EXPECT_EQ(error.code, answer.status);
  }
  EXPECT_TRUE(clock_->Sleeps().empty());
}

TEST_F(ClientTest, RetryAfterMayBeADate) {
  struct Row {
    const char* date;
    const char* retry_after;
    seconds wait;
  };
  for (const Row& row :
       {Row{"Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:28:05 GMT", seconds(5)},
        Row{"Wed, 21 Oct 2026 07:28:00 GMT", "Wednesday, 21-Oct-26 07:28:05 GMT", seconds(5)},
        Row{"Wed, 21 Oct 2026 07:28:00 GMT", "Wed Oct 21 07:28:05 2026", seconds(5)},
        Row{"Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 07:27:00 GMT", seconds(0)},
        Row{"Wed, 21 Oct 2026 07:28:00 GMT", "Wed, 21 Oct 2026 09:28:00 GMT", seconds(60)},
        Row{"nonsense", "Sun, 06 Nov 1994 08:49:37 GMT", seconds(0)},
        Row{"nonsense", "Sun, 06 Nov 2094 08:49:37 GMT", seconds(60)}}) {
    SCOPED_TRACE(row.retry_after);
    clock_ = std::make_shared<SkippingClock>();
    transport_->Add(
        {.status = 503, .headers = {{"Date", row.date}, {"Retry-After", row.retry_after}}});
    transport_->Add(Body("{}"));
    EXPECT_TRUE(NewClient().Do(Pod()));
    EXPECT_EQ(clock_->Sleeps(), Sleeps{row.wait});
  }
}

TEST_F(ClientTest, TheErrorHasTheServersWishInEitherForm) {
  const auto retry_after = [&](const std::string& text, const std::string& body = "") {
    transport_->Add({.status = 404,
                     .headers = {{"Date", "Wed, 21 Oct 2026 07:28:00 GMT"}, {"Retry-After", text}},
                     .chunks = {body}});
    return NewClient().Do(Pod()).error().retryAfter;
  };
  EXPECT_EQ(retry_after("90"), seconds(90));
  EXPECT_EQ(retry_after("Wed, 21 Oct 2026 07:29:30 GMT"), seconds(90));
  EXPECT_EQ(retry_after("Wed, 21 Oct 2026 07:00:00 GMT"), seconds(0));
  EXPECT_EQ(retry_after("soon"), std::nullopt);
  EXPECT_EQ(retry_after("Wed"), std::nullopt);
  EXPECT_EQ(retry_after("90", R"({"kind":"Status","status":"Failure","code":404,)"
                              R"("details":{"retryAfterSeconds":3}})"),
            seconds(3));
}

TEST_F(ClientTest, ATimeoutBoundsTheRetriesToo) {
  transport_->Add(RetryLater(503, "4"));
  transport_->Add(RetryLater(503, "4"));
  transport_->Add(RetryLater(503, "4"));
  const auto error = NewClient().Do({.path = "/x", .timeout = seconds(10)}).error();
  EXPECT_EQ(error.code, 503) << "a try that would come too late is not waited for";
  EXPECT_EQ(clock_->Sleeps(), (Sleeps{seconds(4), seconds(4)}));
  std::vector<milliseconds> allowed;
  for (const auto& request : transport_->requests()) allowed.push_back(request.timeout);
  EXPECT_EQ(allowed, (std::vector<milliseconds>{seconds(10), seconds(6), seconds(2)}));
}

TEST_F(ClientTest, TheWaitForTheLimiterDoesNotCountButThoseForRetriesDo) {
  auto client = NewClient({.qps = 0.125, .burst = 1});
  transport_->Add(Body("{}"));
  transport_->Add(RetryLater(503, "1"));
  EXPECT_TRUE(client.Do({.path = "/x", .timeout = seconds(5)}));
  EXPECT_EQ(client.Do({.path = "/x", .timeout = seconds(5)}).error().code, 503);
  EXPECT_EQ(clock_->Sleeps(), (Sleeps{seconds(8), seconds(1), seconds(7)}));
  EXPECT_EQ(transport_->requests().size(), 2U);
  EXPECT_EQ(transport_->requests()[1].timeout, seconds(5));
}

TEST_F(ClientTest, WaitsAtMostAMinute) {
  transport_->Add(RetryLater(503, "86400"));
  transport_->Add(Body("{}"));
  EXPECT_TRUE(NewClient().Do(Pod()));
  EXPECT_EQ(clock_->Sleeps(), Sleeps{seconds(60)});
}

// client-go: TestRequestMaxRetries
TEST_F(ClientTest, GivesUpAfterTenRetries) {
  for (int i = 0; i < 20; ++i) transport_->Add(RetryLater(503, "1"));
  const auto error = NewClient().Do(Pod()).error();
  EXPECT_EQ(error.code, 503);
  EXPECT_EQ(error.retryAfter, seconds(1));
  EXPECT_EQ(transport_->requests().size(), 11U);
}

TEST_F(ClientTest, TellsOfWhatItTriesAgainBeforeItWaits) {
  transport_->Add(RetryLater(429, "7"));
  transport_->Add(Failure(ErrorKind::kConnectionLost));
  transport_->Add(RetryLater(503, "99999"));
  transport_->Add(FakeAnswer{.status = 404});
  std::vector<std::string> told;
  auto request = Pod();
  request.onRetry = [&](const Error& error, seconds wait) {
    EXPECT_EQ(clock_->Sleeps().size(), told.size());
    const bool lost = error.kind == ErrorKind::kConnectionLost;
    told.push_back((lost ? "lost" : std::to_string(error.code)) + " " +
                   std::to_string(wait.count()));
  };
  EXPECT_EQ(NewClient().Do(request).error().code, 404);
  EXPECT_EQ(told, (std::vector<std::string>{"429 7", "lost 1", "503 60"}))
      << "what is final is not";
}

TEST_F(ClientTest, AWatchIsTriedAgainLikeAGet) {
  transport_->Add(Failure(ErrorKind::kConnectionLost));
  transport_->Add(RetryLater(429, "2"));
  transport_->Add(Body(""));
  EXPECT_TRUE(NewClient().Stream({.path = "/x", .watch = true}));
  EXPECT_EQ(clock_->Sleeps(), (Sleeps{seconds(1), seconds(2)}));
  for (int i = 0; i < 11; ++i) transport_->Add(Failure(ErrorKind::kConnectionLost));
  EXPECT_EQ(NewClient().Stream({.path = "/x", .watch = true}).error().kind,
            ErrorKind::kConnectionLost)
      << "client-go: an empty stream";
}

// client-go: TestConnectionResetByPeerIsRetried
TEST_F(ClientTest, ALostConnectionIsTriedAgainForReadingOnly) {
  transport_->Add(Failure(ErrorKind::kConnectionLost));
  transport_->Add(Body("{}"));
  EXPECT_TRUE(NewClient().Do(Pod()));
  EXPECT_EQ(clock_->Sleeps(), Sleeps{seconds(1)});
  transport_->Add(Failure(ErrorKind::kConnectionLost));
  EXPECT_EQ(NewClient().Do({.method = "POST", .path = "/x"}).error().kind,
            ErrorKind::kConnectionLost);
}

/// Answers the first try of each path with 503, the next one with the path.
class FirstTryFails final : public rest::Transport {
 public:
  Result<std::unique_ptr<rest::HttpResponse>> RoundTrip(const rest::HttpRequest& request,
                                                        std::stop_token) override {
    const std::lock_guard lock(mutex_);
    const bool first = tried_.insert(request.target).second;
    return std::unique_ptr<rest::HttpResponse>(std::make_unique<FakeResponse>(
        first ? FakeAnswer{.status = 503, .headers = {{"Retry-After", "0"}}}
              : Body(request.target)));
  }

 private:
  std::mutex mutex_;
  std::set<std::string> tried_;
};

// client-go: TestRequestConcurrencyWithRetry
TEST_F(ClientTest, ManyThreadsMayTryAgainAtOnce) {
  const auto client = rest::Client::New({.qps = -1}, std::make_shared<FirstTryFails>());
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&client, i] {
      for (int j = 0; j < 20; ++j) {
        const std::string path = "/" + std::to_string(i) + "/" + std::to_string(j);
        EXPECT_EQ(client.Do({.path = path}).value().body, path);
      }
    });
  }
}

TEST_F(ClientTest, OtherFailuresOfTheTransportAreFinal) {
  for (const auto kind : {ErrorKind::kConnect, ErrorKind::kDns, ErrorKind::kTls,
                          ErrorKind::kTimeout, ErrorKind::kProtocol, ErrorKind::kConfig}) {
    transport_->Add(Failure(kind));
    EXPECT_EQ(NewClient().Do(Pod()).error().kind, kind);
  }
  EXPECT_TRUE(clock_->Sleeps().empty());
}

// client-go: TestRequestWithRetryWrapPreviousError
TEST_F(ClientTest, TheErrorNamesAnEarlierOne) {
  transport_->Add(Failure(ErrorKind::kConnectionLost, "reset"));
  transport_->Add(Failure(ErrorKind::kConnect, "refused"));
  EXPECT_EQ(NewClient().Do(Pod()).error().message, "refused (an earlier try: reset)");
}

TEST_F(ClientTest, AStopEndsTheWaitForARetry) {
  testing::FakeClock clock;
  transport_->Add(RetryLater(503, "30"));
  auto client = rest::Client::New({.qps = -1}, transport_,
                                  std::shared_ptr<Clock>(std::shared_ptr<void>(), &clock));
  std::stop_source stop;
  std::thread stopper([&] {
    clock.WaitForSleepers(1);
    stop.request_stop();
  });
  const auto error = client.Do(Pod(), stop.get_token()).error();
  EXPECT_EQ(error.kind, ErrorKind::kCancelled);
  EXPECT_NE(error.message.find("cancelled (an earlier try: "), std::string::npos) << error.message;
  EXPECT_NE(error.message.find(" 503"), std::string::npos) << error.message;
  stopper.join();
}

// client-go: TestRequestWithRetryWrapPreviousError
TEST_F(ClientTest, ACancellationNamesTheEarlierErrorToo) {
  transport_->Add(Failure(ErrorKind::kConnectionLost, "reset"));
  transport_->Add(Failure(ErrorKind::kCancelled, "GET /x: cancelled"));
  const auto error = NewClient().Do({.path = "/x"}).error();
  EXPECT_EQ(error.kind, ErrorKind::kCancelled);
  EXPECT_EQ(error.message, "GET /x: cancelled (an earlier try: reset)");
}

TEST_F(ClientTest, DecodesRecordedFailures) {
  struct Case {
    const char* file;
    bool (*is)(const Error&);
  };
  const std::vector<Case> cases = {
      {"400-bad-request.json", &IsBadRequest},
      {"401-unauthorized.json", &IsUnauthorized},
      {"403-forbidden-list.json", &IsForbidden},
      {"404-not-found.json", &IsNotFound},
      {"404-path.txt", &IsNotFound},
      {"404-put.json", &IsNotFound},
      {"406-not-acceptable.json", &IsNotAcceptable},
      {"409-already-exists.json", &IsAlreadyExists},
      {"409-apply-conflict.json", &IsConflict},
      {"409-conflict.json", &IsConflict},
      {"415-unsupported-media-type.json", &IsUnsupportedMediaType},
      {"422-invalid.json", &IsInvalid},
      {"504-too-large-resource-version.json", &IsTooLargeResourceVersion}};
  for (const auto& row : cases) {
    SCOPED_TRACE(row.file);
    const std::string file = row.file;
    transport_->Add(Body(testing::ReadTestData("recorded/status/" + file), std::stoi(file)));
    const auto error = NewClient().Do(Pod()).error();
    EXPECT_EQ(error.kind, ErrorKind::kStatus);
    EXPECT_EQ(error.code, std::stoi(file));
    EXPECT_TRUE(row.is(error)) << error.message;
    EXPECT_TRUE(error.message.starts_with("GET /api/v1/namespaces/d/pods/p: ")) << error.message;
  }
}

// client-go: TestTransformResponse, TestTransformUnstructuredError
TEST_F(ClientTest, MakesAnErrorOfTheCodeWhenThereIsNoStatus) {
  struct Case {
    int code;
    const char* method;
    const char* reason;
  };
  const std::vector<Case> cases = {{400, "GET", "BadRequest"},
                                   {401, "GET", "Unauthorized"},
                                   {403, "GET", "Forbidden"},
                                   {404, "GET", "NotFound"},
                                   {405, "GET", "MethodNotAllowed"},
                                   {406, "GET", "NotAcceptable"},
                                   {409, "POST", "AlreadyExists"},
                                   {409, "PUT", "Conflict"},
                                   {410, "GET", ""},
                                   {413, "PUT", ""},
                                   {415, "GET", "UnsupportedMediaType"},
                                   {422, "PUT", "Invalid"},
                                   {429, "GET", "TooManyRequests"},
                                   {500, "GET", "InternalError"},
                                   {502, "GET", "InternalError"},
                                   {503, "GET", "ServiceUnavailable"},
                                   {504, "GET", "Timeout"},
                                   {308, "GET", ""}};
  for (const auto& row : cases) {
    SCOPED_TRACE(row.code);
    transport_->Add({.status = row.code, .headers = {{"Content-Type", "text/plain"}}});
    auto request = Pod();
    request.method = row.method;
    const auto error = NewClient().Do(request).error();
    EXPECT_EQ(error.kind, ErrorKind::kStatus);
    EXPECT_EQ(error.code, row.code);
    EXPECT_EQ(error.reason, row.reason);
    EXPECT_EQ(error.resource, "pods");
    EXPECT_EQ(error.name, "p");
  }
}

TEST_F(ClientTest, AHtmlAnswerIsShownWithItsFirstBytes) {
  const std::string html = "<html>\r\n  <b>Bad\x01Gateway</b>" + std::string(5000, 'x');
  transport_->Add({.status = 502, .headers = {{"Content-Type", "text/html"}}, .chunks = {html}});
  const auto error = NewClient().Do(Pod()).error();
  EXPECT_NE(error.message.find("502 with text/html: <html>   <b>Bad Gateway</b>"),
            std::string::npos)
      << error.message;
  EXPECT_LT(error.message.size(), 400U);
  ASSERT_TRUE(HasStatusCause(error, "UnexpectedServerResponse"));
  EXPECT_LE(error.causes[0].message.size(), 2048U);
  EXPECT_TRUE(error.causes[0].message.starts_with("<html>"));
}

TEST_F(ClientTest, AResourceThatTheServerDoesNotHaveIsNamed) {
  struct Row {
    const char* path;
    const char* hint;
  };
  const std::string absent = "the server could not find the requested resource";
  for (const Row& row :
       {Row{"/apis/stable.example.com/v1/namespaces/d/crontabs",
            "; it has no \"crontabs\" in \"stable.example.com/v1\": is its "
            "CustomResourceDefinition installed?"},
        Row{"/apis/stable.example.com/v1/crontabs",
            "; it has no \"crontabs\" in \"stable.example.com/v1\": is its "
            "CustomResourceDefinition installed?"},
        Row{"/apis/apps/v9/deployments",
            "; it has no \"deployments\" in \"apps/v9\": does this version of Kubernetes serve "
            "it?"},
        Row{"/api/v1/namespaces",
            "; it has no \"namespaces\" in \"v1\": does this version of Kubernetes serve it?"},
        Row{"/version", ""}}) {
    for (const auto& answer :
         {FakeAnswer{.status = 404,
         .headers = {{"Content-Type", "text/plain; charset=utf-8"}},
         .chunks = {"404 page not found\n"}},
          Body(R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,"message":")" +
                   absent + "\"}",
               404)}) {
      transport_->Add(answer);
      const auto error = NewClient().Do({.path = row.path}).error();
      EXPECT_TRUE(IsNotFound(error));
      EXPECT_EQ(error.message, std::string("GET ") + row.path + ": " + absent + row.hint);
    }
  }
}

TEST_F(ClientTest, AnAbsentObjectAndAProxysPageGetNoHint) {
  transport_->Add(Body(R"({"kind":"Status","status":"Failure","reason":"NotFound","code":404,)"
                       R"("message":"crontabs \"c\" not found"})",
                       404));
  EXPECT_EQ(NewClient().Do({.path = "/apis/g.test/v1/crontabs/c"}).error().message,
            "GET /apis/g.test/v1/crontabs/c: crontabs \"c\" not found");
  transport_->Add(
      {.status = 404, .headers = {{"Content-Type", "text/html"}}, .chunks = {"<h1>Nothing</h1>"}});
  EXPECT_EQ(NewClient().Do({.path = "/apis/g.test/v1/crontabs/c"}).error().message,
            "GET /apis/g.test/v1/crontabs/c: the server answered 404 with text/html: "
            "<h1>Nothing</h1>");
}

TEST_F(ClientTest, AMessageOfSeveralLinesIsShownOnOne) {
  transport_->Add(Body(R"({"kind":"Status","status":"Failure","reason":"Invalid","code":422,)"
                       R"("message":"admission webhook denied:\n- one\r\n- two\n"})",
                       422));
  EXPECT_EQ(NewClient().Do({.path = "/x"}).error().message,
            "GET /x: admission webhook denied: - one - two");
}

TEST_F(ClientTest, ErrorsShowNoQuery) {
  std::stop_source stop;
  stop.request_stop();
  const auto error =
      NewClient().Do({.path = "/x", .query = {{"a", "b"}}}, stop.get_token()).error();
  EXPECT_EQ(error.message, "GET /x: cancelled");
}

TEST_F(ClientTest, AStatusThatSaysSuccessDoesNotHideAFailure) {
  transport_->Add(Body(R"({"kind":"Status","apiVersion":"v1","status":"Success"})", 500));
  EXPECT_EQ(NewClient().Do(Pod()).error().reason, "InternalError");
}

TEST_F(ClientTest, AFailureWhoseBodyBreaksOffKeepsItsCode) {
  transport_->Add({.status = 403,
                   .chunks = {"{\"kind\":"},
                   .end = Error{.kind = ErrorKind::kConnectionLost, .message = "reset"}});
  EXPECT_TRUE(IsForbidden(NewClient().Do(Pod()).error()));
}

// client-go: TestTransformResponse (success codes), TestRequestWatch
TEST_F(ClientTest, AWatchAccepts200Only) {
  for (const int status : {200, 201, 202, 204, 206}) {
    transport_->Add({.status = status});
    EXPECT_EQ(NewClient().Do(Pod()).value().status, status);
    transport_->Add({.status = status});
    EXPECT_EQ(NewClient().Stream({.path = "/x", .watch = true}).has_value(), status == 200);
  }
}

TEST_F(ClientTest, AStreamIsHandedOverUnread) {
  transport_->Add({.chunks = {"one", "two"}});
  auto stream = NewClient().Stream(Pod()).value();
  std::string chunk;
  EXPECT_TRUE(stream->Read(chunk, {}).value());
  EXPECT_EQ(chunk, "one");
}

TEST_F(ClientTest, LimitsTheRateOfAllRequestsButTheFirstTryOfAWatch) {
  auto client = NewClient({.qps = 2, .burst = 3});
  for (int i = 0; i < 5; ++i) {
    transport_->Add(Body("{}"));
    transport_->Add(Body("{}"));
    EXPECT_TRUE(client.Do(Pod()));
    EXPECT_TRUE(client.Stream({.path = "/x", .watch = true}));
  }
  EXPECT_EQ(clock_->Sleeps(), (Sleeps{milliseconds(500), milliseconds(500)}));
  transport_->Add(RetryLater(429, "0"));
  transport_->Add(Body("{}"));
  EXPECT_TRUE(client.Stream({.path = "/x", .watch = true}));
  EXPECT_EQ(clock_->Sleeps().size(), 4U) << "the retry waits for Retry-After and for the limiter";
}

// client-go: TestRESTClientLimiter
TEST_F(ClientTest, SendsTenRequestsAtOnceAndThenFiveASecondUnlessToldOtherwise) {
  struct Row {
    const char* name;
    rest::Config config;
    Sleeps sleeps;
  };
  for (const Row& row :
       {Row{"default", {}, {milliseconds(200), milliseconds(200)}},
        Row{"zero", {.qps = 0, .burst = 0}, {milliseconds(200), milliseconds(200)}},
        Row{"negative", {.qps = -1}, {}}}) {
    SCOPED_TRACE(row.name);
    clock_ = std::make_shared<SkippingClock>();
    auto client = NewClient(row.config);
    for (int i = 0; i < 12; ++i) {
      transport_->Add(Body("{}"));
      EXPECT_TRUE(client.Do(Pod()));
    }
    EXPECT_EQ(clock_->Sleeps(), row.sleeps);
  }
}

// client-go: TestThrottledLogger
TEST_F(ClientTest, LongWaitsForTheLimiterAreLoggedOnceASecondAtMost) {
  std::mutex mutex;
  std::vector<std::string> lines;
  log::SetSink([&](log::Level, std::string_view line) {
    const std::lock_guard lock(mutex);
    lines.emplace_back(line);
  });
  const auto clock = std::make_shared<testing::FakeClock>(Clock::TimePoint(seconds(1)));
  for (int i = 0; i < 9; ++i) transport_->Add(Body("{}"));
  auto client = rest::Client::New({.qps = 0.5, .burst = 1}, transport_, clock);
  EXPECT_TRUE(client.Do(Pod()));
  std::vector<std::jthread> waiting;
  const auto wait = [&](std::size_t sleepers) {
    waiting.emplace_back([&] { EXPECT_TRUE(client.Do(Pod())); });
    ASSERT_TRUE(clock->WaitForSleepers(sleepers));
  };
  for (std::size_t sleepers = 1; sleepers <= 3; ++sleepers) wait(sleepers);
  clock->Step(seconds(1));
  wait(4);
  clock->Step(seconds(60));
  waiting.clear();
  log::SetSink({});
  EXPECT_EQ(lines, (std::vector<std::string>{
                       "a request waits 2 s for the client-side rate limit (Config::qps, "
                       "Config::burst)",
                       "a request waits 7 s for the client-side rate limit (Config::qps, "
                       "Config::burst)"}));
}

TEST_F(ClientTest, CopiesShareTheLimiter) {
  auto client = NewClient({.qps = 1, .burst = 1});
  auto copy = client;
  transport_->Add(Body("{}"));
  transport_->Add(Body("{}"));
  EXPECT_TRUE(client.Do(Pod()));
  EXPECT_TRUE(copy.Do(Pod()));
  EXPECT_EQ(clock_->Sleeps().size(), 1U);
}

TEST_F(ClientTest, OtherClientsOfTheTransportHaveLimitersOfTheirOwn) {
  for (int i = 0; i < 2; ++i) {
    transport_->Add(Body("{}"));
    EXPECT_TRUE(NewClient({.qps = 1, .burst = 1}).Do(Pod()));
  }
  EXPECT_EQ(clock_->Sleeps(), Sleeps{});
}

TEST_F(ClientTest, ARequestThatIsStoppedInTheQueueLeavesItsPlace) {
  const auto clock = std::make_shared<testing::FakeClock>(Clock::TimePoint(seconds(1)));
  for (int i = 0; i < 2; ++i) transport_->Add(Body("{}"));
  auto client = rest::Client::New({.qps = 1, .burst = 1}, transport_, clock);
  EXPECT_TRUE(client.Do(Pod()));
  std::stop_source stop;
  std::jthread stopped(
      [&] { EXPECT_EQ(client.Do(Pod(), stop.get_token()).error().kind, ErrorKind::kCancelled); });
  ASSERT_TRUE(clock->WaitForSleepers(1));
  stop.request_stop();
  stopped.join();
  std::jthread next([&] { EXPECT_TRUE(client.Do(Pod())); });
  ASSERT_TRUE(clock->WaitForSleepers(1));
  clock->Step(seconds(1));
}

TEST_F(ClientTest, AStopEndsTheWaitForTheLimiter) {
  auto client = NewClient({.qps = 1, .burst = 1});
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(client.Do(Pod(), stop.get_token()).error().kind, ErrorKind::kCancelled);
  EXPECT_TRUE(transport_->requests().empty());
}

}  // namespace
}  // namespace k8s::test
