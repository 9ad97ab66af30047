#include <k8s/rest/config.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "rest/ascii.hpp"
#include "rest/exec_plugin.hpp"
#include "rest/origin.hpp"
#include "rest/proxy.hpp"
#include "rest/tls_material.hpp"
#include "util/problems.hpp"

namespace k8s::inline v0::rest {

namespace {

using util::detail::Problems;

void CheckTls(const TlsClientConfig& tls, Problems& problems) {
  const bool has_ca = !tls.caFile.empty() || !tls.caData.empty();
  const bool has_cert = !tls.certFile.empty() || !tls.certData.empty();
  const bool has_key = !tls.keyFile.empty() || !tls.keyData.empty();
  if (has_ca && tls.insecure) {
    problems.Add("a CA and insecure-skip-tls-verify contradict each other");
  }
  if (has_cert != has_key) problems.Add("a client certificate and its key are needed together");
  (void)detail::LoadTls(tls, problems);
}

bool HasControlIn(const ImpersonationConfig& as) {
  std::vector<std::string> texts = as.groups;
  texts.insert(texts.end(), {as.userName, as.uid});
  for (const auto& [key, values] : as.extra) {
    texts.insert(texts.end(), values.begin(), values.end());
  }
  return std::any_of(texts.begin(), texts.end(),
                     [](const std::string& text) { return detail::HasControl(text); });
}

void CheckCredentials(const Config& config, Problems& problems) {
  const bool has_token = !config.bearerToken.empty() || !config.bearerTokenFile.empty();
  const bool has_basic = !config.username.empty() || !config.password.empty();
  if (detail::HasControl(config.bearerToken))
    problems.Add("the token has a line break or the like");
  if (has_token && has_basic) problems.Add("a token and basic authentication exclude each other");
  const ImpersonationConfig& as = config.impersonate;
  if (as.userName.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    problems.Add("impersonation needs a user");
  }
  if (HasControlIn(as)) problems.Add("impersonation has a line break or the like in a name");
}

void CheckPolicy(const std::string& plugin, const PluginPolicy& policy, Problems& problems) {
  const auto& list = policy.allowlist;
  if (policy.policyType != PluginPolicy::Type::kAllowlist) {
    if (!list.empty()) problems.Add(plugin + ": a policy with an allowlist that does not count");
  } else if (list.empty() || std::find(list.begin(), list.end(), "") != list.end()) {
    problems.Add(plugin + ": an allowlist that is empty, or has an empty entry");
  }
}

void CheckExec(const Config& config, Problems& problems) {
  const ExecConfig& exec = config.exec;
  const std::string plugin = detail::NameOf(exec);
  const bool is_v1 = exec.apiVersion == "client.authentication.k8s.io/v1";
  if (!is_v1 && exec.apiVersion != "client.authentication.k8s.io/v1beta1") {
    problems.Add(plugin + ": unknown apiVersion \"" + exec.apiVersion + "\"");
  }
  // Go does not look at the rest, either, where other credentials are there.
  if (!detail::UsesExecPlugin(config)) return;
  const std::string& mode = exec.interactiveMode;
  if (mode.empty() ? is_v1 : mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    problems.Add(plugin + ": interactiveMode must be Never, IfAvailable or Always");
  }
  CheckPolicy(plugin, exec.pluginPolicy, problems);
  if (std::any_of(exec.env.begin(), exec.env.end(),
                  [](const ExecEnvVar& variable) { return variable.name.empty(); })) {
    problems.Add(plugin + ": an environment variable without a name");
  }
}

void CheckPlugins(const Config& config, Problems& problems) {
  if (!config.authProvider.empty()) {
    problems.Add("auth provider \"" + config.authProvider +
                 "\" is not supported; exec plugins take their place");
  }
  if (config.exec.command.empty()) return;
  if (!config.authProvider.empty()) {
    problems.Add("an exec plugin and an auth provider exclude each other");
  }
  CheckExec(config, problems);
}

}  // namespace

Result<void> Validate(const Config& config) {
  Problems problems;
  if (const auto url = BaseUrl(config); !url) problems.Add(url.error().message);
  CheckTls(config.tls, problems);
  if (const auto proxy = detail::ParseProxy(config.proxyUrl); !proxy) {
    problems.Add("proxyUrl " + proxy.error().message);
  }
  CheckCredentials(config, problems);
  CheckPlugins(config, problems);
  if (problems.empty()) return {};
  return detail::WithOrigin(problems.ToError(), config.origin);
}

}  // namespace k8s::inline v0::rest
