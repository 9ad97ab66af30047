#include "rest/curl_settings.hpp"

#include <curl/curl.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "rest/curl_handles.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

std::string Environment(const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return value;
  }
  return {};
}

std::string Part(CURLU* url, CURLUPart part) {
  char* text = nullptr;
  // The port is wanted even when the URL leaves it to the scheme.
  if (curl_url_get(url, part, &text, part == CURLUPART_PORT ? CURLU_DEFAULT_PORT : 0) !=
      CURLUE_OK) {
    return {};
  }
  std::string out(text);
  curl_free(text);
  return out;
}

UrlHandle ParseUrl(const std::string& text) {
  UrlHandle url(curl_url());
  if (url == nullptr || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), 0) != CURLUE_OK) {
    return nullptr;
  }
  return url;
}

bool IsLoopback(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

/// Go, too, never asks the environment's proxy for a loopback address.
void UseProxy(const Config& config, std::string_view host, CurlSettings& settings) {
  if (!config.proxyUrl.empty()) {
    settings.proxy = config.proxyUrl;
    return;
  }
  if (IsLoopback(host)) return;
  settings.proxy = settings.is_tls ? Environment("HTTPS_PROXY", "https_proxy")
                                   : Environment("HTTP_PROXY", "http_proxy");
  settings.no_proxy = Environment("NO_PROXY", "no_proxy");
}

void UseServerName(CURLU* url, const std::string& name, CurlSettings& settings) {
  const auto host = Part(url, CURLUPART_HOST);
  const auto port = Part(url, CURLUPART_PORT);
  settings.host_header = settings.server.substr(std::string_view("https://").size());
  settings.host_header.resize(
      std::min(settings.host_header.find('/'), settings.host_header.size()));
  curl_url_set(url, CURLUPART_HOST, name.c_str(), 0);
  settings.connect_to.append(name).append(":").append(port).append(":");
  settings.connect_to.append(host).append(":").append(port);
  settings.base_url = Part(url, CURLUPART_URL);
  while (settings.base_url.ends_with('/')) settings.base_url.pop_back();
}

}  // namespace

Result<CurlSettings> MakeCurlSettings(const Config& config) {
  auto base = BaseUrl(config);
  if (!base) return base.error();
  CurlSettings settings{
      .server = *base,
      .base_url = *base,
      .host_header = {},
      .connect_to = {},
      .proxy = {},
      .no_proxy = {},
      .tls = config.tls,
      .is_tls = base->starts_with("https://"),
      .http2 = !config.disableHttp2 && Environment("DISABLE_HTTP2", "DISABLE_HTTP2").empty(),
      .gzip = !config.disableCompression};
  const auto url = ParseUrl(*base);
  if (url == nullptr) {
    return Error{.kind = ErrorKind::kConfig, .message = "not a URL: " + *base};
  }
  UseProxy(config, Part(url.get(), CURLUPART_HOST), settings);
  if (settings.is_tls && !config.tls.serverName.empty()) {
    UseServerName(url.get(), config.tls.serverName, settings);
  }
  return settings;
}

}  // namespace k8s::inline v0::rest::detail
