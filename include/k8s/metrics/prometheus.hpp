#pragma once

#include <k8s/cache/metrics.hpp>

#include <memory>
#include <string>

namespace prometheus {
class Registry;
}

namespace k8s::inline v0::metrics {

/// Keeps the metrics of informers in a registry of prometheus-cpp; give it to
/// `FactoryOptions::metrics`. In the library `client-cpp::prometheus`.
///
/// Series, with client-go's names where it has them; all have the labels `name` (InformerName) and
/// `resource`:
///   reflector_lists_total, reflector_list_duration_seconds, reflector_items_per_list: `way` "list"
///     or "stream"
///   reflector_watches_total, reflector_short_watches_total, reflector_watch_duration_seconds,
///   reflector_items_per_watch, reflector_last_resource_version
///   informer_relists_total: `reason`; informer_events_total: `type`; informer_failures_total:
///     `verb` and `kind`; informer_replaced_watches_total, informer_received_bytes_total,
///   informer_unreadable_objects_total
///   informer_handler_pending, informer_handler_duration_seconds, informer_handler_failures_total:
///     `handler`; they vanish with the handler
/// Durations are histograms in seconds, items per list and watch in powers of ten.
///
/// **Thread safety.** All members may be called from any thread. Cost. An atomic addition or a
/// short lock per quantity.
/// **Lifetime.** Keeps the registry alive; what it made does not need it.
class PrometheusProvider final : public cache::MetricsProvider {
 public:
  /// With a registry of its own, or in one that the program has already. Requires: no other
  /// provider writes to it.
  PrometheusProvider();
  explicit PrometheusProvider(std::shared_ptr<prometheus::Registry> registry);
  ~PrometheusProvider() override;

  std::shared_ptr<cache::InformerMetrics> NewInformerMetrics(
      const cache::InformerLabels& labels) override;

  /// What the registry holds, in Prometheus' text format: the body of a "/metrics" answer, whose
  /// content type is "text/plain; version=0.0.4".
  [[nodiscard]] std::string Text() const;

 private:
  struct Families;
  std::shared_ptr<prometheus::Registry> registry_;
  std::shared_ptr<Families> families_;
};

}  // namespace k8s::inline v0::metrics
