#include <k8s/bytes.hpp>
#include <k8s/rest/config.hpp>

#include <cstddef>

#include "codec/base64.hpp"
#include "util/file.hpp"
#include "util/problems.hpp"

namespace k8s::inline v0::rest {

namespace {

using util::detail::Problems;

// Whether the text has a PEM block whose label ends in `label` and whose content is base64.
bool HasPemBlock(const std::string& text, std::string_view label) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  for (std::size_t begin = text.find(kBegin); begin != std::string::npos;
       begin = text.find(kBegin, begin + 1)) {
    const std::size_t name = begin + kBegin.size();
    const std::size_t name_end = text.find(kDashes, name);
    if (name_end == std::string::npos) return false;
    if (!std::string_view(text).substr(name, name_end - name).ends_with(label)) continue;
    const std::size_t body = name_end + kDashes.size();
    const std::size_t end = text.find("-----END ", body);
    if (end == std::string::npos) return false;
    // Encrypted keys of the old form have header lines, which are left to the TLS library.
    const std::string content = text.substr(body, end - body);
    Bytes bytes;
    if (content.find(':') != std::string::npos || codec::detail::DecodeBase64(content, bytes)) {
      return true;
    }
  }
  return false;
}

// Checks one item that is given as data or as a file.
void CheckPem(std::string_view what, const std::string& data, const std::string& path,
              std::string_view label, Problems& problems) {
  if (!data.empty()) {
    if (!HasPemBlock(data, label)) problems.Add(std::string(what) + " data is not PEM");
    return;
  }
  if (path.empty()) return;
  const auto text = util::detail::ReadFile(path);
  if (!text) {
    problems.Add(std::string(what) + ": " + text.error().message);
  } else if (!HasPemBlock(*text, label)) {
    problems.Add(std::string(what) + " " + path + " is not PEM");
  }
}

void CheckTls(const TlsClientConfig& tls, Problems& problems) {
  const bool has_ca = !tls.caFile.empty() || !tls.caData.empty();
  const bool has_cert = !tls.certFile.empty() || !tls.certData.empty();
  const bool has_key = !tls.keyFile.empty() || !tls.keyData.empty();
  if (has_ca && tls.insecure) problems.Add("a CA and insecure contradict each other");
  if (has_cert != has_key) problems.Add("a client certificate and its key are needed together");
  if (!tls.insecure) CheckPem("CA", tls.caData, tls.caFile, "CERTIFICATE", problems);
  CheckPem("client certificate", tls.certData, tls.certFile, "CERTIFICATE", problems);
  CheckPem("client key", tls.keyData, tls.keyFile, "PRIVATE KEY", problems);
}

void CheckCredentials(const Config& config, Problems& problems) {
  const bool has_token = !config.bearerToken.empty() || !config.bearerTokenFile.empty();
  const bool has_basic = !config.username.empty() || !config.password.empty();
  if (has_token && has_basic) problems.Add("a token and basic authentication exclude each other");
  const ImpersonationConfig& as = config.impersonate;
  if (as.userName.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    problems.Add("impersonation needs a user");
  }
}

// Go does not run a plugin, either, where other credentials are there.
void CheckPlugins(const Config& config, Problems& problems) {
  if (!config.authProvider.empty()) {
    problems.Add("auth provider \"" + config.authProvider + "\" is not supported");
  }
  if (config.exec.command.empty()) return;
  const bool known = config.exec.apiVersion == "client.authentication.k8s.io/v1" ||
                     config.exec.apiVersion == "client.authentication.k8s.io/v1beta1";
  if (!config.authProvider.empty()) {
    problems.Add("an exec plugin and an auth provider exclude each other");
  }
  if (!known) {
    problems.Add("exec plugin: unknown apiVersion \"" + config.exec.apiVersion + "\"");
  } else if (config.bearerToken.empty() && config.bearerTokenFile.empty() &&
             config.username.empty() && config.tls.certFile.empty() &&
             config.tls.certData.empty()) {
    problems.Add("exec plugin \"" + config.exec.command +
                 "\": credential plugins are not supported yet");
  }
}

}  // namespace

Result<void> Validate(const Config& config) {
  Problems problems;
  if (const auto url = BaseUrl(config); !url) problems.Add(url.error().message);
  CheckTls(config.tls, problems);
  CheckCredentials(config, problems);
  CheckPlugins(config, problems);
  return problems.ToResult();
}

}  // namespace k8s::inline v0::rest
