#include <k8s/rest/config.hpp>
#include <k8s/version.hpp>

#include <errno.h>

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace k8s::inline v0::rest {

namespace {

constexpr std::string_view kRedacted = "--- REDACTED ---";

std::string_view Hide(std::string_view secret) { return secret.empty() ? secret : kRedacted; }

// Makes "name: value" pairs out of the members that are set.
class Printer {
 public:
  void Add(std::string_view name, std::string_view value) {
    if (value.empty()) return;
    if (!out_.empty()) out_ += ", ";
    out_.append(name).append(": ").append(value);
  }
  void AddFlag(std::string_view name, bool value) {
    if (value) Add(name, "true");
  }
  void AddData(std::string_view name, const std::string& data) {
    if (!data.empty()) Add(name, std::to_string(data.size()) + " bytes");
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  std::string out_;
};

// URLs may have a password.
std::string HideUserInfo(const std::string& url) {
  const std::size_t at = url.rfind('@');
  if (at == std::string::npos) return url;
  const std::size_t scheme = url.find("://");
  const std::size_t start = scheme == std::string::npos ? 0 : scheme + 3;
  if (at < start) return url;
  return url.substr(0, start) + std::string(kRedacted) + url.substr(at);
}

Error BadHost(std::string_view host, const char* reason) {
  // What stands before an '@' may be a password.
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) host.remove_prefix(at);
  return Error{
      .kind = ErrorKind::kConfig,
      .message = "the server's address \"" + std::string(host) + "\" is invalid: " + reason};
}

bool IsSchemeCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '+' || c == '-' || c == '.';
}

// The scheme in front of "://", in lower case, is cut off `url`. Empty: none.
std::string TakeScheme(std::string_view& url) {
  const std::size_t end = url.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  std::string scheme(url.substr(0, end));
  if (!std::all_of(scheme.begin(), scheme.end(), IsSchemeCharacter)) return {};
  url.remove_prefix(end + 3);
  std::transform(scheme.begin(), scheme.end(), scheme.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return scheme;
}

bool IsPort(std::string_view port) {
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  if (port.size() > 5 || !std::all_of(port.begin(), port.end(), is_digit)) return false;
  return port.empty() || std::stoi(std::string(port)) <= 65535;
}

// Why "host", "host:port" or "[v6]:port" is none of these, or null.
const char* CheckAuthority(std::string_view authority) {
  if (authority.find('@') != std::string_view::npos) return "it holds credentials";
  if (std::any_of(authority.begin(), authority.end(), [](unsigned char c) {
        return c <= ' ' || c == 0x7F || c == '"' || c == '<' || c == '>' || c == '\\';
      })) {
    return "it has a space or another character that no address has";
  }
  std::string_view rest = authority;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return "']' is missing";
    rest.remove_prefix(end + 1);
    if (!rest.empty() && rest[0] != ':') return "a port must follow ']'";
  } else {
    rest.remove_prefix(std::min(rest.find(':'), rest.size()));
    if (rest.size() == authority.size()) return "the host is empty";
  }
  if (rest.starts_with(':')) rest.remove_prefix(1);
  return IsPort(rest) ? nullptr
                      : "the port is no number up to 65535, or an IPv6 address lacks brackets";
}

// The path without query, fragment, repeated and trailing slashes.
std::string CleanPath(std::string_view path) {
  path = path.substr(0, path.find_first_of("?#"));
  std::string out;
  for (const char c : path) {
    if (c != '/' || !out.ends_with('/')) out += c;
  }
  while (out.ends_with('/')) out.pop_back();
  return out;
}

bool HasTls(const TlsClientConfig& tls) {
  return tls.insecure || !tls.caFile.empty() || !tls.caData.empty() || !tls.certFile.empty() ||
         !tls.certData.empty();
}

}  // namespace

std::string ToString(const Config& config) {
  Printer out;
  out.Add("host", HideUserInfo(config.host));
  out.Add("username", config.username);
  out.Add("password", Hide(config.password));
  out.Add("bearerToken", Hide(config.bearerToken));
  out.Add("bearerTokenFile", config.bearerTokenFile);
  out.Add("impersonate.userName", config.impersonate.userName);
  out.Add("impersonate.uid", config.impersonate.uid);
  out.Add("exec.command", config.exec.command);
  out.Add("authProvider", config.authProvider);
  out.AddFlag("tls.insecure", config.tls.insecure);
  out.Add("tls.serverName", config.tls.serverName);
  out.Add("tls.caFile", config.tls.caFile);
  out.AddData("tls.caData", config.tls.caData);
  out.Add("tls.certFile", config.tls.certFile);
  out.AddData("tls.certData", config.tls.certData);
  out.Add("tls.keyFile", config.tls.keyFile);
  out.Add("tls.keyData", Hide(config.tls.keyData));
  out.AddFlag("credentialsOverHttp", config.credentialsOverHttp);
  out.Add("proxyUrl", HideUserInfo(config.proxyUrl));
  out.Add("userAgent", config.userAgent);
  out.AddFlag("disableCompression", config.disableCompression);
  out.AddFlag("disableHttp2", config.disableHttp2);
  out.Add("qps", std::to_string(config.qps));
  out.Add("burst", std::to_string(config.burst));
  if (config.timeout.count() != 0)
    out.Add("timeout", std::to_string(config.timeout.count()) + "ms");
  out.Add("origin", config.origin);
  return "rest::Config{" + out.text() + "}";
}

Config AnonymousClientConfig(const Config& config) {
  // Names what is kept, so that a new credential is not.
  return {.host = config.host,
          .tls = {.insecure = config.tls.insecure,
                  .serverName = config.tls.serverName,
                  .caFile = config.tls.caFile,
                  .caData = config.tls.caData},
          .credentialsOverHttp = config.credentialsOverHttp,
          .proxyUrl = config.proxyUrl,
          .userAgent = config.userAgent,
          .disableCompression = config.disableCompression,
          .disableHttp2 = config.disableHttp2,
          .warningHandler = config.warningHandler,
          .verbosity = config.verbosity,
          .qps = config.qps,
          .burst = config.burst,
          .timeout = config.timeout};
}

Result<std::string> BaseUrl(const Config& config) {
  std::string_view rest = config.host.empty() ? std::string_view("localhost") : config.host;
  std::string scheme = TakeScheme(rest);
  const bool has_scheme = !scheme.empty();
  if (!has_scheme) scheme = HasTls(config.tls) ? "https" : "http";
  if (scheme != "https" && scheme != "http") return BadHost(config.host, "neither http nor https");
  const std::size_t size = std::min(rest.find_first_of("/?#"), rest.size());
  std::string_view authority = rest.substr(0, size);
  if (const char* reason = CheckAuthority(authority)) return BadHost(config.host, reason);
  const std::string path = CleanPath(rest.substr(size));
  if (!has_scheme && !path.empty()) return BadHost(config.host, "a path needs a scheme before it");
  if (authority.ends_with(':')) authority.remove_suffix(1);
  return (scheme += "://").append(authority).append(path);
}

bool IsTransportTls(const Config& config) {
  const auto url = BaseUrl(config);
  return url.has_value() && url->starts_with("https://");
}

std::string DefaultUserAgent() {
#if defined(__x86_64__)
  constexpr std::string_view kArchitecture = "amd64";
#elif defined(__aarch64__)
  constexpr std::string_view kArchitecture = "arm64";
#else
  constexpr std::string_view kArchitecture = "unknown";
#endif
  std::string agent(program_invocation_short_name);
  agent.append("/unknown (linux/").append(kArchitecture).append(") client-cpp/").append(Version());
  return agent;
}

}  // namespace k8s::inline v0::rest
