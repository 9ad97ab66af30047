#include <k8s/rest/client.hpp>
#include <k8s/rest/metrics.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/fake_transport.hpp"
#include "support/recording_metrics.hpp"
#include "support/skipping_clock.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class RecordingRestMetrics final : public rest::Metrics {
 public:
  void OnTry(const rest::TryMetrics& measured) noexcept override {
    lines.push_back(std::string(measured.method) + " " + std::string(measured.host) +
                    (measured.watch ? " watch " : " ") + std::to_string(measured.code) + ", " +
                    Milliseconds(measured.duration) + ", " + std::to_string(measured.requestBytes) +
                    " bytes");
  }
  void OnRetry(std::string_view method, std::string_view host, int code) noexcept override {
    lines.push_back("retry of " + std::string(method) + " " + std::string(host) + " after " +
                    std::to_string(code));
  }
  void OnRateLimiter(std::string_view method, std::string_view host,
                     Clock::Duration waited) noexcept override {
    lines.push_back("limiter " + std::string(method) + " " + std::string(host) + " " +
                    Milliseconds(waited));
  }
  void OnResponseBody(std::string_view method, std::string_view host,
                      std::size_t bytes) noexcept override {
    lines.push_back("read " + std::string(method) + " " + std::string(host) + " " +
                    std::to_string(bytes));
  }

  std::vector<std::string> lines;
};

/// A transport in which each request takes a second.
class SlowTransport final : public rest::Transport {
 public:
  SlowTransport(std::shared_ptr<FakeTransport> answers, std::shared_ptr<SkippingClock> clock)
      : answers_(std::move(answers)), clock_(std::move(clock)) {}
  Result<std::unique_ptr<rest::HttpResponse>> RoundTrip(const rest::HttpRequest& request,
                                                        std::stop_token stop) override {
    clock_->Step(1s);
    return answers_->RoundTrip(request, std::move(stop));
  }

 private:
  const std::shared_ptr<FakeTransport> answers_;
  const std::shared_ptr<SkippingClock> clock_;
};

class ClientMetricsTest : public ::testing::Test {
 protected:
  rest::Client NewClient(rest::Config config = {.qps = -1}) {
    config.host = "https://gw.test:6443/clusters/c-1";
    config.metrics = metrics_;
    return rest::Client::New(config, std::make_shared<SlowTransport>(answers_, clock_), clock_);
  }

  const std::shared_ptr<RecordingRestMetrics> metrics_ = std::make_shared<RecordingRestMetrics>();
  const std::shared_ptr<FakeTransport> answers_ = std::make_shared<FakeTransport>();
  const std::shared_ptr<SkippingClock> clock_ = std::make_shared<SkippingClock>();
};

TEST_F(ClientMetricsTest, ARequestIsToldWithHostCodeTimeAndSizes) {
  answers_->Add({.status = 201, .chunks = {"12345", "678"}});
  ASSERT_TRUE(NewClient().Do({.method = "POST", .path = "/api/v1/x", .body = "{\"a\":1}"}));
  EXPECT_THAT(metrics_->lines,
              ElementsAre("limiter POST gw.test:6443 0ms", "POST gw.test:6443 201, 1000ms, 7 bytes",
                          "read POST gw.test:6443 8"));
}

TEST_F(ClientMetricsTest, EachTryAndRetryIsTold) {
  answers_->Add({.status = 429, .headers = {{"Retry-After", "3"}}});
  answers_->Add(Failure(ErrorKind::kConnectionLost));
  answers_->Add(Body("{}"));
  ASSERT_TRUE(NewClient().Do({.path = "/api/v1/x"}));
  EXPECT_THAT(metrics_->lines,
              ElementsAre("limiter GET gw.test:6443 0ms", "GET gw.test:6443 429, 1000ms, 0 bytes",
                          "limiter GET gw.test:6443 0ms", "retry of GET gw.test:6443 after 429",
                          "GET gw.test:6443 0, 1000ms, 0 bytes", "limiter GET gw.test:6443 0ms",
                          "retry of GET gw.test:6443 after 0",
                          "GET gw.test:6443 200, 1000ms, 0 bytes", "read GET gw.test:6443 2"));
}

TEST_F(ClientMetricsTest, AFailureIsNoRetryAndHasNoBody) {
  answers_->Add(Body("no", 404));
  ASSERT_FALSE(NewClient().Do({.path = "/api/v1/x"}));
  EXPECT_THAT(metrics_->lines,
              ElementsAre("limiter GET gw.test:6443 0ms", "GET gw.test:6443 404, 1000ms, 0 bytes"));
}

TEST_F(ClientMetricsTest, TheWaitForTheLimiterIsMeasured) {
  const auto client = NewClient({.qps = 0.5, .burst = 1});
  answers_->Add(Body("{}"));
  answers_->Add(Body("{}"));
  ASSERT_TRUE(client.Do({.path = "/api/v1/x"}));
  metrics_->lines.clear();
  ASSERT_TRUE(client.Do({.path = "/api/v1/x"}));
  EXPECT_EQ(metrics_->lines.at(0), "limiter GET gw.test:6443 1000ms");
}

TEST_F(ClientMetricsTest, AWatchIsAskedForAtOnceAndItsStreamIsNotMeasured) {
  answers_->Add(Body("{}"));
  const auto stream = NewClient().Stream({.path = "/api/v1/x", .watch = true}, {});
  ASSERT_TRUE(stream.has_value());
  std::string chunk;
  while ((*stream)->Read(chunk, {}).value()) continue;
  EXPECT_THAT(metrics_->lines, ElementsAre("GET gw.test:6443 watch 200, 1000ms, 0 bytes"));
}

TEST_F(ClientMetricsTest, NobodyIsToldWithoutMetrics) {
  answers_->Add(Body("{}"));
  const auto client = rest::Client::New({.qps = -1}, answers_, clock_);
  ASSERT_TRUE(client.Do({.path = "/api/v1/x"}));
  EXPECT_THAT(metrics_->lines, IsEmpty());
}

}  // namespace
}  // namespace k8s::test
