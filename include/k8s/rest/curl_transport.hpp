#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <stop_token>

namespace k8s::inline v0::rest {

/// The transport on libcurl: one I/O thread, connections that are kept and shared, HTTP/2 over TLS
/// where the server offers it. Requests with a body use HTTP/1.1; over TLS the first of them starts
/// a second I/O thread.
///
/// Redirects are not followed. A dead peer is found by TCP keep-alive within 50 s. Credentials of
/// the Config go only to the Config's host. Over plain HTTP they are sent only when the host is a
/// URL with that scheme, and on this machine, or with Config::credentialsOverHttp.
/// **Thread safety.** All members may be called from any thread at any time.
/// **Lifetime.** An answer that is still held keeps the I/O thread; with the last of transport and
/// answers the connections are closed and the thread is joined.
class CurlTransport final : public Transport {
 public:
  /// Checks `config` and starts the I/O thread; nothing is sent. Errors: kConfig.
  static Result<std::shared_ptr<CurlTransport>> New(const Config& config);
  ~CurlTransport() override;

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  std::stop_token stop) override;
  [[nodiscard]] std::string WaitsFor() const override;
  [[nodiscard]] std::string Explain(const Error& answered) const override;

 private:
  class Impl;
  explicit CurlTransport(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace k8s::inline v0::rest
