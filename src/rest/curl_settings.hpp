#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <string>

namespace k8s::inline v0::rest::detail {

/// What every request of a transport has in common. Immutable.
struct CurlSettings {
  std::string server;    ///< The base URL, for errors.
  std::string base_url;  ///< The base URL as curl gets it: with the TLS server name as its host.
  /// With a TLS server name: the true host for the Host header, and CURLOPT_CONNECT_TO, which makes
  /// curl connect there while SNI and verification use the URL's host.
  std::string host_header;
  std::string connect_to;
  std::string proxy;     ///< Empty: none.
  std::string no_proxy;  ///< CURLOPT_NOPROXY
  TlsClientConfig tls;
  bool is_tls = false;
  bool http2 = true;
  bool gzip = true;

  [[nodiscard]] bool UsesHttp2() const { return is_tls && http2; }
};

/// Errors: kConfig.
[[nodiscard]] Result<CurlSettings> MakeCurlSettings(const Config& config);

}  // namespace k8s::inline v0::rest::detail
