#include "clientcmd/validation.hpp"

#include <algorithm>
#include <string_view>

#include "rest/proxy.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::clientcmd::detail {

namespace {

using util::detail::Problems;

std::string Quoted(const std::string& text) { return "\"" + text + "\""; }

void CheckReadable(std::string_view what, const std::string& path, const std::string& owner,
                   Problems& problems) {
  if (path.empty()) return;
  const auto text = util::detail::ReadFile(path);
  if (!text) problems.Add(std::string(what) + " of " + owner + ": " + text.error().message);
}

void CheckOneForm(std::string_view what, const std::string& file, const std::string& data,
                  const std::string& owner, Problems& problems) {
  if (file.empty() || data.empty()) return;
  problems.Add(std::string(what) + " of " + owner + " is given both as a file and as data");
}

void CheckClientCertificate(const std::string& owner, const AuthInfo& user, Problems& problems) {
  // Without a certificate a key has no use, and is not looked at.
  if (user.clientCertificate.empty() && user.clientCertificateData.empty()) return;
  CheckOneForm("client-certificate", user.clientCertificate, user.clientCertificateData, owner,
               problems);
  CheckOneForm("client-key", user.clientKey, user.clientKeyData, owner, problems);
  if (user.clientKey.empty() && user.clientKeyData.empty()) {
    problems.Add("client-certificate of " + owner + " needs a client-key");
  }
  CheckReadable("client-certificate", user.clientCertificate, owner, problems);
  CheckReadable("client-key", user.clientKey, owner, problems);
}

void CheckExec(const std::string& owner, const rest::ExecConfig& exec, Problems& problems) {
  const std::string plugin = "exec plugin of " + owner;
  if (exec.command.empty()) problems.Add(plugin + " needs a command");
  if (exec.apiVersion.empty()) problems.Add(plugin + " needs an apiVersion");
  if (std::any_of(exec.env.begin(), exec.env.end(),
                  [](const rest::ExecEnvVar& variable) { return variable.name.empty(); })) {
    problems.Add(plugin + " has an environment variable without a name");
  }
  if (exec.interactiveMode.empty()) {
    problems.Add(plugin + " needs an interactiveMode");
  } else if (exec.interactiveMode != "Never" && exec.interactiveMode != "IfAvailable" &&
             exec.interactiveMode != "Always") {
    problems.Add(plugin + " has the unknown interactiveMode " + Quoted(exec.interactiveMode));
  }
}

}  // namespace

void CheckCluster(const std::string& name, const Cluster& cluster, Problems& problems) {
  const std::string owner = "cluster " + Quoted(name);
  if (cluster.server.empty()) problems.Add(owner + " has no server");
  if (const auto proxy = rest::detail::ParseProxy(cluster.proxyUrl); !proxy) {
    problems.Add("proxy-url of " + owner + " " + proxy.error().message);
  } else if (proxy->name.starts_with("socks5h:")) {
    problems.Add("proxy-url of " + owner + " is no http, https or socks5 URL");  // Of kubeconfigs.
  }
  CheckOneForm("certificate-authority", cluster.certificateAuthority,
               cluster.certificateAuthorityData, owner, problems);
  CheckReadable("certificate-authority", cluster.certificateAuthority, owner, problems);
}

void CheckAuthInfo(const std::string& name, const AuthInfo& user, Problems& problems) {
  const std::string owner = "user " + Quoted(name);
  CheckClientCertificate(owner, user, problems);
  if (user.exec) {
    if (user.authProvider) problems.Add(owner + " has both an exec plugin and an auth-provider");
    CheckExec(owner, *user.exec, problems);
  }
  if (!user.token.empty() && (!user.username.empty() || !user.password.empty())) {
    problems.Add(owner + " has both a token and basic authentication");
  }
  const rest::ImpersonationConfig& as = user.impersonate;
  if (as.userName.empty() && (!as.uid.empty() || !as.groups.empty() || !as.extra.empty())) {
    problems.Add(owner + " impersonates a uid, groups or extra without a user");
  }
}

}  // namespace k8s::inline v0::clientcmd::detail
