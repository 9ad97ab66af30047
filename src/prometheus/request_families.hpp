#pragma once

#include <k8s/rest/metrics.hpp>

#include <cstddef>
#include <string_view>

#include "prometheus/families.hpp"

namespace k8s::inline v0::metrics::detail {

/// What is measured of requests, under client-go's names.
struct RequestFamilies {
  explicit RequestFamilies(Registry& registry);

  void Tried(const rest::TryMetrics& measured);
  void Retried(std::string_view method, std::string_view host, int code);
  void Waited(std::string_view method, std::string_view host, Clock::Duration waited);
  void Read(std::string_view method, std::string_view host, std::size_t bytes);
  void PluginRan(const rest::ExecPluginMetrics& measured);

  Family<Counter>& results;
  Family<Counter>& retries;
  Family<Histogram>& latency;
  Family<Histogram>& limiter_latency;
  Family<Histogram>& request_size;
  Family<Histogram>& response_size;
  Family<Counter>& plugin_calls;
  Family<Histogram>& plugin_duration;
  Family<Histogram>& plugin_certificate_age;
  Family<Gauge>& plugin_certificate_expiry;
};

}  // namespace k8s::inline v0::metrics::detail
