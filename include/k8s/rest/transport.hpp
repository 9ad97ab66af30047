#pragma once

#include <k8s/result.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::rest {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// One HTTP request. Credentials and the server's address are the transport's own business.
struct HttpRequest {
  std::string method = "GET";
  std::string target =
      "/";  ///< Path and query, "/api/v1/pods?watch=true", already percent-encoded.
  Headers headers = {};
  std::string body = {};
  /// Time allowed from the start to the last byte of the body. Zero: no bound (watches).
  std::chrono::milliseconds timeout{0};
  /// Longest silence allowed while a reader waits for the head or the body; passing it is kTimeout
  /// with `kReasonSilence`. Zero: no bound.
  std::chrono::milliseconds idleTimeout{0};
  bool watch = false;  ///< The body is a stream of events: the log shows each piece when it comes.
};

/// An answer whose status and headers are there and whose body is read piece by piece.
///
/// Thread safety. One reader at a time. Dropping it abandons the transfer at once.
class HttpResponse {
 public:
  virtual ~HttpResponse() = default;
  [[nodiscard]] virtual int status() const = 0;
  /// The header's value, or "" when absent. Names are compared without regard to case.
  [[nodiscard]] virtual std::string_view header(std::string_view name) const = 0;
  /// All headers in order of arrival.
  [[nodiscard]] virtual const Headers& headers() const = 0;

  /// Waits for bytes of the decoded (un-gzipped) body and replaces `chunk` with them. Returns false
  /// at the end of the body. Errors: kConnectionLost for an end inside the body, kTimeout,
  /// kCancelled. Blocking. Ends at once when `stop` is triggered. A reader that does not call
  /// pauses the sender. After `kReasonSilence` it may be called again: the exchange is still open.
  virtual Result<bool> Read(std::string& chunk, std::stop_token stop) = 0;

  /// Changes HttpRequest::idleTimeout for the reads that follow. Ignored by default.
  virtual void SetIdleTimeout(std::chrono::milliseconds /*timeout*/) {}
};

/// Sends requests. The default is CurlTransport; tests put their own in its place.
///
/// Thread safety. All members may be called from any thread at any time.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends a request and waits for the status line and headers. An HTTP error status is a success
  /// here. Errors: kConnect, kDns, kTls, kTimeout, kConnectionLost, kProtocol, kCancelled.
  /// Blocking. Ends at once when `stop` is triggered.
  virtual Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                          std::stop_token stop) = 0;

  /// What a request that is not answered waits for, for people: a credential plugin that runs, else
  /// the server. Empty: not told.
  [[nodiscard]] virtual std::string WaitsFor() const { return {}; }

  /// What a server's own words on a failure leave out, to be added to them: who was refused, and
  /// where that is configured. `; https://h:6443 does not accept the token of /run/token (context
  /// "c", ...)`. Empty: nothing.
  [[nodiscard]] virtual std::string Explain(const Error& /*answered*/) const { return {}; }
};

}  // namespace k8s::inline v0::rest
