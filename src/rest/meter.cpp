#include "rest/meter.hpp"

#include <k8s/rest/metrics.hpp>

#include <utility>

namespace k8s::inline v0::rest::detail {

namespace {

/// "gw.test:6443" of "https://gw.test:6443/k8s/clusters/c-1".
std::string HostOf(const Config& config) {
  std::string url = BaseUrl(config).value_or("");
  if (const auto scheme = url.find("://"); scheme != url.npos) url.erase(0, scheme + 3);
  return url.substr(0, url.find('/'));
}

}  // namespace

Meter::Meter(const Config& config, std::shared_ptr<Clock> clock)
    : metrics_(config.metrics),
      clock_(std::move(clock)),
      host_(metrics_ ? HostOf(config) : std::string()) {}

void Meter::Tried(const HttpRequest& request, Clock::TimePoint begun, int code) const {
  if (!metrics_) return;
  metrics_->OnTry({.method = request.method,
                   .host = host_,
                   .code = code,
                   .watch = request.watch,
                   .duration = clock_->Now() - begun,
                   .requestBytes = request.body.size()});
}

void Meter::WaitedForLimiter(const std::string& method, Clock::TimePoint begun) const {
  if (metrics_) metrics_->OnRateLimiter(method, host_, clock_->Now() - begun);
}

void Meter::Retries(const std::string& method, int code) const {
  if (metrics_) metrics_->OnRetry(method, host_, code);
}

void Meter::Read(const std::string& method, std::size_t bytes) const {
  if (metrics_) metrics_->OnResponseBody(method, host_, bytes);
}

}  // namespace k8s::inline v0::rest::detail
