// A user's own exporter: an informer's metrics as text, nothing but installed headers.

#include <k8s/cache/metrics.hpp>
#include <k8s/metrics/prometheus.hpp>

#include <cstdio>
#include <string>

int main() {
  k8s::metrics::PrometheusProvider provider;
  provider.NewInformerMetrics({.name = "web", .resource = {"", "v1", "pods"}})->OnUnreadable();
  const std::string text = provider.Text();
  const bool right = text.find("informer_unreadable_objects_total{") != std::string::npos;
  std::printf("%s\n", right ? "ok" : "FAILED");
  return right ? 0 : 1;
}
