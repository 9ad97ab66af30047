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

  Family<Counter>& results;
  Family<Counter>& retries;
  Family<Histogram>& latency;
  Family<Histogram>& limiter_latency;
  Family<Histogram>& request_size;
  Family<Histogram>& response_size;
};

}  // namespace k8s::inline v0::metrics::detail
