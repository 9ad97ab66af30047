#include "rest/curl_settings.hpp"

#include <curl/curl.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "rest/curl_url.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

bool IsSet(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0';
}

void SetBlob(CURL* easy, CURLoption option, const std::string& data) {
  if (data.empty()) return;
  curl_blob blob{
      .data = const_cast<char*>(data.data()), .len = data.size(), .flags = CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, option, &blob);
}

/// By which CAs a server's certificate is judged.
std::string DescribeTrust(const TlsClientConfig& tls) {
  if (!tls.caData.empty()) return "certificate-authority-data";
  if (!tls.caFile.empty()) return "certificate-authority " + tls.caFile;
  return "the system's CAs";
}

void UseServerName(CURLU* url, const std::string& name, CurlSettings& settings) {
  const auto host = PartOf(url, CURLUPART_HOST);
  const auto port = PartOf(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  settings.host_header = settings.server.substr(std::string_view("https://").size());
  settings.host_header.resize(
      std::min(settings.host_header.find('/'), settings.host_header.size()));
  curl_url_set(url, CURLUPART_HOST, name.c_str(), 0);
  settings.connect_to.append(name).append(":").append(port).append(":");
  settings.connect_to.append(host).append(":").append(port);
  settings.base_url = PartOf(url, CURLUPART_URL);
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
}

}  // namespace

Result<CurlSettings> MakeCurlSettings(const Config& config, TlsClientConfig tls) {
  auto base = BaseUrl(config);
  if (!base) return base.error();
  auto proxy = ProxyFor(config, *base);
  if (!proxy) return std::move(proxy).error();
  CurlSettings settings{.server = *base,
                        .trusted = DescribeTrust(config.tls),
                        .base_url = *base,
                        .host_header = {},
                        .connect_to = {},
                        .proxy = *std::move(proxy),
                        .tls = std::move(tls),
                        .is_tls = base->starts_with("https://"),
                        .http2 = !config.disableHttp2 && !IsSet("DISABLE_HTTP2"),
                        .gzip = !config.disableCompression};
  const auto url = ParseUrl(*base);
  if (url == nullptr) {
    return Error{.kind = ErrorKind::kConfig, .message = "not a URL: " + *base};
  }
  if (settings.is_tls && !settings.tls.serverName.empty()) {
    UseServerName(url.get(), settings.tls.serverName, settings);
  }
  return settings;
}

void SetTlsOptions(CURL* easy, const CurlSettings& settings) {
  const auto& tls = settings.tls;
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (tls.insecure) {
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
  } else if (!tls.caData.empty()) {
    // The default directory would be trusted beside what is given.
    curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
  }
  SetBlob(easy, CURLOPT_CAINFO_BLOB, tls.caData);
  SetBlob(easy, CURLOPT_SSLCERT_BLOB, tls.certData);
  SetBlob(easy, CURLOPT_SSLKEY_BLOB, tls.keyData);
}

void SetProxyOptions(CURL* easy, const CurlSettings& settings) {
  // An empty proxy and an empty list keep curl from asking the environment by itself.
  curl_easy_setopt(easy, CURLOPT_PROXY, settings.proxy.url.c_str());
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  if (!settings.proxy.url.starts_with("https://")) return;
  // In Go the server's CA is the proxy's, too. A proxy that others use has one that the system
  // trusts: both are right here. It is shown no client certificate.
  SetBlob(easy, CURLOPT_PROXY_CAINFO_BLOB, settings.tls.caData);
  if (settings.tls.insecure) {
    curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY_SSL_VERIFYHOST, 0L);
  }
}

}  // namespace k8s::inline v0::rest::detail
