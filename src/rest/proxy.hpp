#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <string>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// A proxy as libcurl gets it and as people read it.
struct Proxy {
  std::string url = {};   ///< Secret: may hold a password. Empty: none.
  std::string name = {};  ///< The URL without user and password.
};

/// Reads the URL of a proxy: http, https, socks5 or socks5h, which is the same here as in Go: the
/// proxy resolves names. "" is none. Errors: kConfig with the reason, never with user or password.
[[nodiscard]] Result<Proxy> ParseProxy(std::string_view text);

/// The proxy on the way to `base_url`: that of the Config, whatever NO_PROXY says, else that of the
/// environment. Errors: kConfig.
[[nodiscard]] Result<Proxy> ProxyFor(const Config& config, const std::string& base_url);

/// Whether NO_PROXY names `host`, a name or an address without brackets. **Mirrors**
/// golang.org/x/net/http/httpproxy.
[[nodiscard]] bool IsExemptFromProxy(std::string_view no_proxy, std::string_view host,
                                     std::string_view port);

/// Whether a host, without brackets, is this machine.
[[nodiscard]] bool IsLoopback(std::string_view host);

/// The host of a URL, without brackets, and its port, that of the scheme by default.
struct Endpoint {
  std::string host = {};
  std::string port = {};
};
[[nodiscard]] Endpoint EndpointOf(const std::string& url);

}  // namespace k8s::inline v0::rest::detail
