#pragma once

#include <k8s/clock.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace k8s::inline v0::rest {

/// One try of a request, until the headers of its answer. Valid during the call.
struct TryMetrics {
  std::string_view method = {};  ///< "GET".
  std::string_view host = {};    ///< Of `Config::host`, with its port if it has one.
  /// The HTTP status; 0: there was no answer (connection, TLS, credentials, stop).
  int code = 0;
  bool watch = false;
  Clock::Duration duration{0};   ///< Without waits for the rate limiter and before retries.
  std::size_t requestBytes = 0;  ///< Of the body.
};

/// One run of a credential plugin (Config::exec). Valid during the call.
struct ExecPluginMetrics {
  /// How it ended. Mirrors the call_status of client-go.
  enum class Status {
    kNoError,
    kExecutionError,  ///< It ran and failed: by its exit code, a signal or its time limit.
    kNotFound,        ///< No such program, or one that cannot be started.
    kClientError,     ///< It must not be run, or its output is of no use.
  };
  std::string_view command = {};  ///< As configured.
  Status status = Status::kNoError;
  int exitCode = 0;  ///< 1 where it has not exited by itself.
  Clock::Duration duration{0};
  /// When the client certificate it has given expires; none without one.
  std::optional<std::chrono::system_clock::time_point> certificateExpires = std::nullopt;
  /// How long ago the client certificate that it replaces was issued; none if it replaces none.
  std::optional<std::chrono::system_clock::duration> replacedCertificateAge = std::nullopt;
};

/// A short name of the status: client-go's, "plugin_execution_error" for example.
[[nodiscard]] std::string_view ToString(ExecPluginMetrics::Status status);

/// Told of the requests of clients; override what is wanted, and give it to `Config::metrics`.
/// Mirrors tools/metrics: request latency, result, retries and sizes, rate limiter latency, calls
/// of credential plugins.
/// Differs: an object of the configuration, not of the process; latency is that of each try and
/// ends with the headers, since lists are read as they arrive.
///
/// Requires: no waiting, no exceptions; several threads call at a time. **Callbacks.** On the
/// thread that makes the request, never under a lock. **Lifetime.** Dropped with the last client.
class Metrics {
 public:
  virtual ~Metrics() = default;
  virtual void OnTry(const TryMetrics& /*measured*/) noexcept {}
  /// The request is sent once more, after an answer with `code`; 0: after a lost connection.
  virtual void OnRetry(std::string_view /*method*/, std::string_view /*host*/,
                       int /*code*/) noexcept {}
  /// The request has waited so long for the client's own rate limiter (Config::qps), maybe not at
  /// all. The first try of a watch does not ask it.
  virtual void OnRateLimiter(std::string_view /*method*/, std::string_view /*host*/,
                             Clock::Duration /*waited*/) noexcept {}
  /// A body was read to its end, after gzip. Not told of watches, logs and what else is read as a
  /// stream, informers' lists for example.
  virtual void OnResponseBody(std::string_view /*method*/, std::string_view /*host*/,
                              std::size_t /*bytes*/) noexcept {}
  /// A credential plugin has run. Clients that share a plugin share its runs: told is the client
  /// whose request began it, on the run's own thread. Not told of runs that were ended on purpose.
  virtual void OnExecPlugin(const ExecPluginMetrics& /*measured*/) noexcept {}
};

}  // namespace k8s::inline v0::rest
