#include "prometheus/request_families.hpp"

#include <chrono>
#include <string>

namespace k8s::inline v0::metrics::detail {

namespace {

// client-go's, so that its dashboards fit.
Histogram::BucketBoundaries Seconds() {
  return {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
}
Histogram::BucketBoundaries Bytes() {
  return {64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216};
}

/// From ten minutes to four years.
Histogram::BucketBoundaries CertificateAges() {
  constexpr double kHour = 3600;
  constexpr double kDay = 24 * kHour;
  return {600,       1800,      kHour,      4 * kHour,  kDay,       7 * kDay,
          30 * kDay, 90 * kDay, 180 * kDay, 360 * kDay, 1440 * kDay};
}

Labels Of(std::string_view method, std::string_view host) {
  return {{"verb", std::string(method)}, {"host", std::string(host)}};
}

std::string CodeText(int code) { return code == 0 ? "<error>" : std::to_string(code); }

}  // namespace

RequestFamilies::RequestFamilies(Registry& registry)
    : results(NewCounters(registry, "rest_client_requests_total",
                          "Tries of requests, by status code, method and host")),
      retries(NewCounters(registry, "rest_client_request_retries_total",
                          "Requests that were sent once more, by the code before, verb and host")),
      latency(NewHistograms(registry, "rest_client_request_duration_seconds",
                            "How long the headers of an answer took, without watches")),
      limiter_latency(NewHistograms(registry, "rest_client_rate_limiter_duration_seconds",
                                    "How long requests waited for the client's rate limiter")),
      request_size(NewHistograms(registry, "rest_client_request_size_bytes",
                                 "Size of the bodies of requests")),
      response_size(NewHistograms(registry, "rest_client_response_size_bytes",
                                  "Size of the bodies of answers, without streams")),
      plugin_calls(NewCounters(registry, "rest_client_exec_plugin_call_total",
                               "Runs of credential plugins, by exit code and how they ended")),
      plugin_duration(NewHistograms(registry, "rest_client_exec_plugin_duration_seconds",
                                    "How long runs of credential plugins took")),
      plugin_certificate_age(
          NewHistograms(registry, "rest_client_exec_plugin_certificate_rotation_age",
                        "Age in seconds of client certificates that a plugin replaced")),
      plugin_certificate_expiry(
          NewGauges(registry, "rest_client_exec_plugin_certificate_expiration_timestamp_seconds",
                    "When the client certificate that a plugin gave last expires")) {}

void RequestFamilies::Tried(const rest::TryMetrics& measured) {
  results
      .Add({{"code", CodeText(measured.code)},
            {"method", std::string(measured.method)},
            {"host", std::string(measured.host)}})
      .Increment();
  const Labels labels = Of(measured.method, measured.host);
  request_size.Add(labels, Bytes()).Observe(static_cast<double>(measured.requestBytes));
  if (!measured.watch) latency.Add(labels, Seconds()).Observe(InSeconds(measured.duration));
}

void RequestFamilies::Retried(std::string_view method, std::string_view host, int code) {
  retries.Add(With(Of(method, host), "code", CodeText(code))).Increment();
}

void RequestFamilies::Waited(std::string_view method, std::string_view host,
                             Clock::Duration waited) {
  limiter_latency.Add(Of(method, host), Seconds()).Observe(InSeconds(waited));
}

void RequestFamilies::PluginRan(const rest::ExecPluginMetrics& measured) {
  const auto in_seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  const Labels plugin{{"command", std::string(measured.command)}};
  plugin_calls
      .Add(With(With(plugin, "code", std::to_string(measured.exitCode)), "call_status",
                rest::ToString(measured.status)))
      .Increment();
  plugin_duration.Add(plugin, Seconds()).Observe(InSeconds(measured.duration));
  if (const auto age = measured.replacedCertificateAge) {
    plugin_certificate_age.Add(plugin, CertificateAges()).Observe(in_seconds(*age));
  }
  if (const auto expires = measured.certificateExpires) {
    plugin_certificate_expiry.Add(plugin).Set(in_seconds(expires->time_since_epoch()));
  }
}

void RequestFamilies::Read(std::string_view method, std::string_view host, std::size_t bytes) {
  response_size.Add(Of(method, host), Bytes()).Observe(static_cast<double>(bytes));
}

}  // namespace k8s::inline v0::metrics::detail
