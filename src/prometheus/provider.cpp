#include <k8s/metrics/prometheus.hpp>

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <utility>

#include "prometheus/informer_families.hpp"

namespace k8s::inline v0::metrics {

PrometheusProvider::PrometheusProvider()
    : PrometheusProvider(std::make_shared<::prometheus::Registry>()) {}

PrometheusProvider::PrometheusProvider(std::shared_ptr<::prometheus::Registry> registry)
    : registry_(std::move(registry)),
      informers_(std::make_shared<detail::InformerFamilies>(registry_)) {}

PrometheusProvider::~PrometheusProvider() = default;

std::shared_ptr<cache::InformerMetrics> PrometheusProvider::NewInformerMetrics(
    const cache::InformerLabels& labels) {
  return detail::NewInformerSeries(informers_, labels);
}

std::string PrometheusProvider::Text() const {
  return ::prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace k8s::inline v0::metrics
