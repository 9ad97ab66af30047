#pragma once

#include <k8s/clock.hpp>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <chrono>
#include <string>
#include <string_view>

namespace k8s::inline v0::metrics::detail {

using ::prometheus::Counter;
using ::prometheus::Family;
using ::prometheus::Gauge;
using ::prometheus::Histogram;
using ::prometheus::Labels;
using ::prometheus::Registry;

inline Family<Counter>& NewCounters(Registry& registry, const char* name, const char* help) {
  return ::prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}
inline Family<Gauge>& NewGauges(Registry& registry, const char* name, const char* help) {
  return ::prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}
inline Family<Histogram>& NewHistograms(Registry& registry, const char* name, const char* help) {
  return ::prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

inline Labels With(Labels labels, const std::string& name, std::string_view value) {
  labels.emplace(name, std::string(value));
  return labels;
}

inline double InSeconds(Clock::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace k8s::inline v0::metrics::detail
