#include <k8s/metrics/prometheus.hpp>

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <utility>

#include "prometheus/informer_families.hpp"
#include "prometheus/request_families.hpp"

namespace k8s::inline v0::metrics {

PrometheusProvider::PrometheusProvider()
    : PrometheusProvider(std::make_shared<::prometheus::Registry>()) {}

PrometheusProvider::PrometheusProvider(std::shared_ptr<::prometheus::Registry> registry)
    : registry_(std::move(registry)),
      informers_(std::make_shared<detail::InformerFamilies>(registry_)),
      requests_(std::make_unique<detail::RequestFamilies>(*registry_)) {}

PrometheusProvider::~PrometheusProvider() = default;

std::shared_ptr<cache::InformerMetrics> PrometheusProvider::NewInformerMetrics(
    const cache::InformerLabels& labels) {
  return detail::NewInformerSeries(informers_, labels);
}

void PrometheusProvider::OnTry(const rest::TryMetrics& measured) noexcept {
  requests_->Tried(measured);
}

void PrometheusProvider::OnRetry(std::string_view method, std::string_view host,
                                 int code) noexcept {
  requests_->Retried(method, host, code);
}

void PrometheusProvider::OnRateLimiter(std::string_view method, std::string_view host,
                                       Clock::Duration waited) noexcept {
  requests_->Waited(method, host, waited);
}

void PrometheusProvider::OnResponseBody(std::string_view method, std::string_view host,
                                        std::size_t bytes) noexcept {
  requests_->Read(method, host, bytes);
}

void PrometheusProvider::OnExecPlugin(const rest::ExecPluginMetrics& measured) noexcept {
  requests_->PluginRan(measured);
}

std::string PrometheusProvider::Text() const {
  return ::prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace k8s::inline v0::metrics
