#include <k8s/metrics/prometheus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "series.hpp"

namespace k8s::metrics {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class PrometheusRequestsTest : public ::testing::Test {
 protected:
  std::vector<std::string> Lines(const std::string& prefix) const {
    return test::Series(provider_.Text(), prefix);
  }

  PrometheusProvider provider_;
};

TEST_F(PrometheusRequestsTest, TriesByCodeMethodAndHost) {
  provider_.OnTry({.method = "GET", .host = "gw.test:6443", .code = 200, .duration = 250ms});
  provider_.OnTry({.method = "GET", .host = "gw.test:6443", .code = 200, .duration = 500ms});
  provider_.OnTry({.method = "POST", .host = "gw.test:6443", .code = 409, .requestBytes = 300});
  provider_.OnTry({.method = "GET", .host = "gw.test:6443", .code = 0});
  EXPECT_THAT(
      Lines("rest_client_requests_total"),
      ElementsAre(
          R"(rest_client_requests_total{code="200",host="gw.test:6443",method="GET"} 2)",
          R"(rest_client_requests_total{code="409",host="gw.test:6443",method="POST"} 1)",
          R"(rest_client_requests_total{code="<error>",host="gw.test:6443",method="GET"} 1)"));
  EXPECT_THAT(
      Lines("rest_client_request_duration_seconds_sum"),
      ElementsAre(
          R"(rest_client_request_duration_seconds_sum{host="gw.test:6443",verb="GET"} 0.75)",
          R"(rest_client_request_duration_seconds_sum{host="gw.test:6443",verb="POST"} 0)"));
  EXPECT_THAT(
      Lines("rest_client_request_size_bytes_sum"),
      ElementsAre(R"(rest_client_request_size_bytes_sum{host="gw.test:6443",verb="GET"} 0)",
                  R"(rest_client_request_size_bytes_sum{host="gw.test:6443",verb="POST"} 300)"));
}

TEST_F(PrometheusRequestsTest, AWatchCountsAndHasNoLatency) {
  provider_.OnTry({.method = "GET", .host = "h", .code = 200, .watch = true, .duration = 5s});
  EXPECT_THAT(Lines("rest_client_requests_total"),
              ElementsAre(R"(rest_client_requests_total{code="200",host="h",method="GET"} 1)"));
  EXPECT_THAT(Lines("rest_client_request_duration_seconds"), IsEmpty());
}

TEST_F(PrometheusRequestsTest, RetriesWaitsAndBodies) {
  provider_.OnRetry("GET", "h", 429);
  provider_.OnRetry("GET", "h", 0);
  provider_.OnRateLimiter("GET", "h", 2s);
  provider_.OnRateLimiter("GET", "h", 0s);
  provider_.OnResponseBody("GET", "h", 5000);
  EXPECT_THAT(
      Lines("rest_client_request_retries_total"),
      ElementsAre(R"(rest_client_request_retries_total{code="429",host="h",verb="GET"} 1)",
                  R"(rest_client_request_retries_total{code="<error>",host="h",verb="GET"} 1)"));
  EXPECT_THAT(
      Lines("rest_client_rate_limiter_duration_seconds_sum"),
      ElementsAre(R"(rest_client_rate_limiter_duration_seconds_sum{host="h",verb="GET"} 2)"));
  EXPECT_THAT(
      Lines("rest_client_rate_limiter_duration_seconds_count"),
      ElementsAre(R"(rest_client_rate_limiter_duration_seconds_count{host="h",verb="GET"} 2)"));
  EXPECT_THAT(
      Lines("rest_client_response_size_bytes_bucket{host=\"h\",verb=\"GET\",le=\"4096\"}"),
      ElementsAre(R"(rest_client_response_size_bytes_bucket{host="h",verb="GET",le="4096"} 0)"));
  EXPECT_THAT(
      Lines("rest_client_response_size_bytes_bucket{host=\"h\",verb=\"GET\",le=\"16384\"}"),
      ElementsAre(R"(rest_client_response_size_bytes_bucket{host="h",verb="GET",le="16384"} 1)"));
}

TEST_F(PrometheusRequestsTest, RunsOfCredentialPlugins) {
  using Status = rest::ExecPluginMetrics::Status;
  provider_.OnExecPlugin({.command = "aws",
                          .duration = 2s,
                          .certificateExpires = std::chrono::system_clock::time_point(1000s),
                          .replacedCertificateAge = 1h});
  provider_.OnExecPlugin(
      {.command = "aws", .status = Status::kExecutionError, .exitCode = 3, .duration = 1s});
  EXPECT_THAT(
      Lines("rest_client_exec_plugin_call_total"),
      ElementsAre(
          R"(rest_client_exec_plugin_call_total{call_status="no_error",code="0",command="aws"} 1)",
          R"(rest_client_exec_plugin_call_total{call_status="plugin_execution_error",code="3",command="aws"} 1)"));
  EXPECT_THAT(Lines("rest_client_exec_plugin_duration_seconds_sum"),
              ElementsAre(R"(rest_client_exec_plugin_duration_seconds_sum{command="aws"} 3)"));
  EXPECT_THAT(
      Lines("rest_client_exec_plugin_certificate_rotation_age_sum"),
      ElementsAre(R"(rest_client_exec_plugin_certificate_rotation_age_sum{command="aws"} 3600)"));
  EXPECT_THAT(
      Lines("rest_client_exec_plugin_certificate_expiration"),
      ElementsAre(
          R"(rest_client_exec_plugin_certificate_expiration_timestamp_seconds{command="aws"} 1000)"));
}

}  // namespace
}  // namespace k8s::metrics
