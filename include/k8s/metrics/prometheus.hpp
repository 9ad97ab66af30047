#pragma once

#include <k8s/cache/metrics.hpp>
#include <k8s/rest/metrics.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace prometheus {
class Registry;
}

namespace k8s::inline v0::metrics {

namespace detail {
struct InformerFamilies;
struct RequestFamilies;
}  // namespace detail

/// Keeps the metrics of informers and requests in a registry of prometheus-cpp: for
/// `FactoryOptions::metrics` and `rest::Config::metrics`. In the library `client-cpp::prometheus`.
/// docs/metrics.md lists the series.
///
/// All series of informers have the labels `name` (of InformerName), `group`, `version` and
/// `resource`. Those of an event handler, with the label `handler`, vanish with the handler; the
/// others stay, so that counters never go back. Informers, or handlers, with the same labels share
/// their series.
///
/// **Thread safety.** All members may be called from any thread. Cost. Atomic additions; a short
/// lock per failure, per histogram and for what is told of a request.
/// **Lifetime.** Keeps the registry alive, and so does what it made, which does not need the
/// provider.
class PrometheusProvider final : public cache::MetricsProvider, public rest::Metrics {
 public:
  /// With a registry of its own, or in one that the program has already. Requires: no other
  /// provider writes to it.
  PrometheusProvider();
  explicit PrometheusProvider(std::shared_ptr<::prometheus::Registry> registry);
  ~PrometheusProvider() override;

  std::shared_ptr<cache::InformerMetrics> NewInformerMetrics(
      const cache::InformerLabels& labels) override;

  void OnTry(const rest::TryMetrics& measured) noexcept override;
  void OnRetry(std::string_view method, std::string_view host, int code) noexcept override;
  void OnRateLimiter(std::string_view method, std::string_view host,
                     Clock::Duration waited) noexcept override;
  void OnResponseBody(std::string_view method, std::string_view host,
                      std::size_t bytes) noexcept override;
  void OnExecPlugin(const rest::ExecPluginMetrics& measured) noexcept override;

  /// What the registry holds, in Prometheus' text format: the body of a "/metrics" answer, whose
  /// content type is "text/plain; version=0.0.4".
  [[nodiscard]] std::string Text() const;

 private:
  const std::shared_ptr<::prometheus::Registry> registry_;
  const std::shared_ptr<detail::InformerFamilies> informers_;
  const std::unique_ptr<detail::RequestFamilies> requests_;
};

}  // namespace k8s::inline v0::metrics
