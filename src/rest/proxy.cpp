#include "rest/proxy.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <utility>

#include "rest/ascii.hpp"
#include "rest/curl_url.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

Error Bad(std::string reason) { return {.kind = ErrorKind::kConfig, .message = std::move(reason)}; }

/// libcurl's own default is 1080 for most.
const char* DefaultPort(std::string_view scheme) {
  if (scheme == "http") return "80";
  if (scheme == "https") return "443";
  return scheme == "socks5" || scheme == "socks5h" ? "1080" : nullptr;
}

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return ToLower(c); });
  return out;
}

/// An IPv4 address is kept as the IPv6 address that maps it.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  bool is_v4 = false;

  friend bool operator==(const Address&, const Address&) = default;
};

std::optional<Address> ParseAddress(const std::string& text) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  Address out;
  if (inet_pton(AF_INET, text.c_str(), out.bytes.data() + kMapped.size()) == 1) {
    std::copy(kMapped.begin(), kMapped.end(), out.bytes.begin());
  } else if (inet_pton(AF_INET6, text.c_str(), out.bytes.data()) != 1) {
    return std::nullopt;
  }
  out.is_v4 = std::equal(kMapped.begin(), kMapped.end(), out.bytes.begin());
  return out;
}

/// Addresses whose first bits are the same.
struct Network {
  Address address;
  unsigned bits = 0;

  [[nodiscard]] bool Contains(const Address& other) const {
    if (address.is_v4 != other.is_v4) return false;
    for (unsigned bit = 0; bit < bits; ++bit) {
      const unsigned mask = 0x80U >> (bit % 8);
      if (((address.bytes[bit / 8] ^ other.bytes[bit / 8]) & mask) != 0) return false;
    }
    return true;
  }
};

std::optional<Network> ParseNetwork(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) return std::nullopt;
  const auto address = ParseAddress(text.substr(0, slash));
  if (!address) return std::nullopt;
  const bool is_short = text.find(':') == std::string::npos;  // 10.0.0.0/8
  unsigned bits = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + slash + 1, end, bits);
  if (error != std::errc() || stop != end || bits > (is_short ? 32U : 128U)) return std::nullopt;
  return Network{.address = *address, .bits = is_short ? bits + 96 : bits};
}

/// "host:port" and "[address]:port" in two; all else is a host.
Endpoint SplitPort(const std::string& text) {
  const auto colon = text.rfind(':');
  if (colon == std::string::npos) return {.host = text};
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) {
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string::npos) {
    return {.host = text};
  }
  return {.host = std::move(host), .port = text.substr(colon + 1)};
}

/// "a.test" stands for itself and what is below it, ".a.test" and "*.a.test" only for the latter.
bool NamesDomain(std::string entry, const std::string& host) {
  if (entry.starts_with("*.")) entry.erase(0, 1);
  if (entry.starts_with('.')) return host.ends_with(entry);
  return host == entry || host.ends_with("." + entry);
}

/// `address`: of the host, if it is one.
bool Matches(const std::string& entry, const Endpoint& to, const std::optional<Address>& address) {
  if (entry == "*") return true;
  if (const auto network = ParseNetwork(entry)) return address && network->Contains(*address);
  const auto [host, port] = SplitPort(entry);
  if (host.empty() || (!port.empty() && port != to.port)) return false;
  if (const auto wanted = ParseAddress(host)) return address && *wanted == *address;
  return !address && NamesDomain(host, to.host);
}

/// The first of two variables that is not empty, with its name.
std::pair<const char*, std::string> Variable(const char* upper, const char* lower) {
  for (const char* name : {upper, lower}) {
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      return {name, value};
    }
  }
  return {upper, ""};
}

Result<Proxy> ProxyOfEnvironment(bool is_tls) {
  const auto [name, text] =
      is_tls ? Variable("HTTPS_PROXY", "https_proxy") : Variable("HTTP_PROXY", "http_proxy");
  // Go takes the scheme for http where there is none.
  const bool has_scheme = text.empty() || text.find("://") != std::string::npos;
  auto proxy = ParseProxy(has_scheme ? text : "http://" + text);
  // Go would go around a proxy that was asked for.
  if (!proxy) return Bad(std::string(name) + " of the environment " + proxy.error().message);
  // A web server hands a client's header "Proxy" to its CGI programs under this name.
  if (!is_tls && !proxy->url.empty() && Variable("REQUEST_METHOD", "REQUEST_METHOD").second != "") {
    return Bad("HTTP_PROXY of the environment does not count in a CGI program");
  }
  return proxy;
}

}  // namespace

Endpoint EndpointOf(const std::string& url) {
  const auto parsed = ParseUrl(url);
  if (parsed == nullptr) return {};
  auto host = PartOf(parsed.get(), CURLUPART_HOST);
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  return {.host = Lower(host), .port = PartOf(parsed.get(), CURLUPART_PORT, CURLU_DEFAULT_PORT)};
}

Result<Proxy> ParseProxy(std::string_view text) {
  if (text.empty()) return Proxy();
  const auto is_bad = [](unsigned char c) { return c <= ' ' || c == 0x7F; };
  const auto scheme = Lower(text.substr(0, std::min(text.find("://"), text.size())));
  const char* const default_port = DefaultPort(scheme);
  if (default_port == nullptr) return Bad("is no http, https or socks5 URL");
  if (std::any_of(text.begin(), text.end(), is_bad)) return Bad("has a space or the like in it");
  std::string why;
  const auto url = ParseUrl(std::string(text), &why);
  if (url == nullptr) return Bad("is a URL that cannot be read: " + why);
  auto port = PartOf(url.get(), CURLUPART_PORT);
  if (port.empty()) port = default_port;
  const auto address = PartOf(url.get(), CURLUPART_HOST) + ":" + port;
  const auto user = PartOf(url.get(), CURLUPART_USER);
  const auto password = PartOf(url.get(), CURLUPART_PASSWORD);
  std::string curl_scheme = scheme == "socks5" ? "socks5h" : scheme;
  std::string who = user.empty() && password.empty() ? "" : user + ":" + password + "@";
  return Proxy{.url = std::move(curl_scheme) + "://" + who + address,
               .name = scheme + "://" + address};
}

Result<Proxy> ProxyFor(const Config& config, const std::string& base_url) {
  if (!config.proxyUrl.empty()) {
    auto proxy = ParseProxy(config.proxyUrl);
    if (!proxy) return Bad("proxyUrl " + proxy.error().message);
    return proxy;
  }
  const auto to = EndpointOf(base_url);
  if (IsLoopback(to.host)) return Proxy();
  if (IsExemptFromProxy(Variable("NO_PROXY", "no_proxy").second, to.host, to.port)) return Proxy();
  return ProxyOfEnvironment(base_url.starts_with("https://"));
}

bool IsExemptFromProxy(std::string_view no_proxy, std::string_view host, std::string_view port) {
  const Endpoint to{.host = Lower(host), .port = std::string(port)};
  const auto address = ParseAddress(to.host);
  while (!no_proxy.empty()) {
    const auto end = std::min(no_proxy.find(','), no_proxy.size());
    const auto entry = util::detail::Trim(Lower(no_proxy.substr(0, end)));
    if (!entry.empty() && Matches(entry, to, address)) return true;
    no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
  }
  return false;
}

bool IsLoopback(std::string_view host) {
  if (host == "localhost") return true;
  const auto address = ParseAddress(std::string(host));
  if (!address) return false;
  if (address->is_v4) return address->bytes[12] == 127;
  return *address == *ParseAddress("::1");
}

}  // namespace k8s::inline v0::rest::detail
