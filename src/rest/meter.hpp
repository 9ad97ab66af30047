#pragma once

#include <k8s/clock.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/transport.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace k8s::inline v0::rest::detail {

/// Tells `Config::metrics` what happens to requests. Without metrics it asks for no time and does
/// nothing.
class Meter {
 public:
  Meter(const Config& config, std::shared_ptr<Clock> clock);

  /// For `begun` below.
  [[nodiscard]] Clock::TimePoint Now() const {
    return metrics_ ? clock_->Now() : Clock::TimePoint();
  }
  void Tried(const HttpRequest& request, Clock::TimePoint begun, int code) const;
  void WaitedForLimiter(const std::string& method, Clock::TimePoint begun) const;
  void Retries(const std::string& method, int code) const;
  void Read(const std::string& method, std::size_t bytes) const;

 private:
  const std::shared_ptr<Metrics> metrics_;
  const std::shared_ptr<Clock> clock_;
  const std::string host_;
};

}  // namespace k8s::inline v0::rest::detail
