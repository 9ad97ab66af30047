#pragma once

#include <k8s/cache/metrics.hpp>

#include <memory>
#include <string>

namespace prometheus {
class Registry;
}

namespace k8s::inline v0::metrics {

namespace detail {
struct InformerFamilies;
}

/// Keeps the metrics of informers in a registry of prometheus-cpp: for `FactoryOptions::metrics`.
/// In the library `client-cpp::prometheus`. docs/metrics.md lists the series.
///
/// All series of informers have the labels `name` (of InformerName), `group`, `version` and
/// `resource`. Those of an event handler, with the label `handler`, vanish with the handler; the
/// others stay, so that counters never go back. Informers, or handlers, with the same labels share
/// their series.
///
/// **Thread safety.** All members may be called from any thread. Cost. Atomic additions; a short
/// lock per failure and per histogram.
/// **Lifetime.** Keeps the registry alive, and so does what it made, which does not need the
/// provider.
class PrometheusProvider final : public cache::MetricsProvider {
 public:
  /// With a registry of its own, or in one that the program has already. Requires: no other
  /// provider writes to it.
  PrometheusProvider();
  explicit PrometheusProvider(std::shared_ptr<::prometheus::Registry> registry);
  ~PrometheusProvider() override;

  std::shared_ptr<cache::InformerMetrics> NewInformerMetrics(
      const cache::InformerLabels& labels) override;

  /// What the registry holds, in Prometheus' text format: the body of a "/metrics" answer, whose
  /// content type is "text/plain; version=0.0.4".
  [[nodiscard]] std::string Text() const;

 private:
  const std::shared_ptr<::prometheus::Registry> registry_;
  const std::shared_ptr<detail::InformerFamilies> informers_;
};

}  // namespace k8s::inline v0::metrics
