#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <string>

#include "rest/curl_handles.hpp"
#include "rest/proxy.hpp"

namespace k8s::inline v0::rest::detail {

/// What every request of a transport has in common. Immutable.
struct CurlSettings {
  std::string server;    ///< The base URL, for errors.
  std::string trusted;   ///< Whose certificates count, for errors.
  std::string base_url;  ///< The base URL as curl gets it: with the TLS server name as its host.
  /// With a TLS server name: the true host for the Host header, and CURLOPT_CONNECT_TO, which makes
  /// curl connect there while SNI and verification use the URL's host.
  std::string host_header;
  std::string connect_to;
  Proxy proxy;
  TlsClientConfig tls;  ///< Data only: no names of files.
  bool is_tls = false;
  bool http2 = true;
  bool gzip = true;

  [[nodiscard]] bool UsesHttp2() const { return is_tls && http2; }
};

/// `tls`: of LoadTls. Errors: kConfig.
[[nodiscard]] Result<CurlSettings> MakeCurlSettings(const Config& config, TlsClientConfig tls);

/// Sets whom to trust and who asks. `easy` refers to `settings` from then on.
void SetTlsOptions(CURL* easy, const CurlSettings& settings);
/// Sets the way to the server; likewise.
void SetProxyOptions(CURL* easy, const CurlSettings& settings);

}  // namespace k8s::inline v0::rest::detail
