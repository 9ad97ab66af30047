#include "clientcmd/client_config.hpp"

#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/log.hpp>

#include <cstdlib>
#include <optional>
#include <utility>

#include "clientcmd/validation.hpp"
#include "rest/in_cluster.hpp"
#include "rest/origin.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::clientcmd {

namespace {

using util::detail::Problems;

constexpr std::string_view kEmptyConfig = "EmptyConfig";

Error ConfigError(std::string message) {
  return {.kind = ErrorKind::kConfig, .message = std::move(message)};
}

Error EmptyConfig(const std::string& why) {
  return {.kind = ErrorKind::kConfig,
          .reason = std::string(kEmptyConfig),
          .message = "invalid configuration: no configuration has been provided: " + why +
                     ", and no service account of a pod"};
}

void Override(const std::string& value, std::string& member) {
  if (!value.empty()) member = value;
}

// Replaces both forms of an item by a file.
void OverrideFile(const std::string& file, std::string& member, std::string& data) {
  if (file.empty()) return;
  member = file;
  data.clear();
}

void ApplyOverrides(const Overrides& overrides, Cluster& cluster) {
  Override(overrides.server, cluster.server);
  Override(overrides.proxyUrl, cluster.proxyUrl);
  cluster.disableCompression |= overrides.disableCompression;
  // Both say how to trust the server, so what the file says of it goes.
  if (overrides.insecureSkipTlsVerify || !overrides.certificateAuthority.empty()) {
    cluster.insecureSkipTlsVerify = overrides.insecureSkipTlsVerify;
    cluster.certificateAuthority = overrides.certificateAuthority;
    cluster.certificateAuthorityData.clear();
  }
  // The file's name belongs to the file's server.
  if (!overrides.server.empty() || !overrides.tlsServerName.empty()) {
    cluster.tlsServerName = overrides.tlsServerName;
  }
}

void ApplyOverrides(const Overrides& overrides, AuthInfo& user) {
  OverrideFile(overrides.clientCertificate, user.clientCertificate, user.clientCertificateData);
  OverrideFile(overrides.clientKey, user.clientKey, user.clientKeyData);
  Override(overrides.token, user.token);
  Override(overrides.tokenFile, user.tokenFile);
  Override(overrides.username, user.username);
  Override(overrides.password, user.password);
  const rest::ImpersonationConfig& as = overrides.impersonate;
  Override(as.userName, user.impersonate.userName);
  Override(as.uid, user.impersonate.uid);
  if (!as.groups.empty()) user.impersonate.groups = as.groups;
  if (!as.extra.empty()) user.impersonate.extra = as.extra;
}

// The parts of a kubeconfig that one context selects, with the overrides applied.
struct Selection {
  std::string context_name = {};
  Context context = {};
  Cluster cluster = {};
  AuthInfo user = {};
};

// A name that an override gives must exist; one of the file need not.
template <class T>
std::optional<Error> Pick(const std::map<std::string, T>& from, const std::string& name,
                          bool must_exist, const char* what, T& into) {
  const auto found = from.find(name);
  if (found != from.end()) {
    into = found->second;
  } else if (must_exist) {
    return ConfigError("invalid configuration: " + std::string(what) + " \"" + name +
                       "\" does not exist");
  }
  return std::nullopt;
}

Result<Selection> Select(const KubeConfig& kubeconfig, const Overrides& overrides) {
  Selection out;
  const bool named = !overrides.currentContext.empty();
  out.context_name = named ? overrides.currentContext : kubeconfig.currentContext;
  if (auto error = Pick(kubeconfig.contexts, out.context_name, named, "context", out.context)) {
    return *std::move(error);
  }
  Override(overrides.cluster, out.context.cluster);
  Override(overrides.user, out.context.user);
  Override(overrides.namespace_, out.context.namespace_);
  if (auto error =
          Pick(kubeconfig.users, out.context.user, !overrides.user.empty(), "user", out.user)) {
    return *std::move(error);
  }
  if (auto error = Pick(kubeconfig.clusters, out.context.cluster, !overrides.cluster.empty(),
                        "cluster", out.cluster)) {
    return *std::move(error);
  }
  ApplyOverrides(overrides, out.cluster);
  ApplyOverrides(overrides, out.user);
  return out;
}

bool IsEmpty(const Cluster& cluster) {
  return cluster == Cluster{.locationOfOrigin = cluster.locationOfOrigin};
}

std::string WhyNoCluster(const KubeConfig& kubeconfig, const Selection& selection) {
  if (selection.context_name.empty()) return "no kubeconfig with a current context";
  const std::string context = "context \"" + selection.context_name + "\"";
  const std::string& cluster = selection.context.cluster;
  if (cluster.empty()) return context + " names no cluster";
  const bool exists = kubeconfig.clusters.contains(cluster);
  return "cluster \"" + cluster + "\" of " + context +
         (exists ? " has no server" : " does not exist");
}

Result<void> CheckUsable(const KubeConfig& kubeconfig, const Selection& selection) {
  Problems problems;
  if (!selection.context_name.empty() && !kubeconfig.contexts.contains(selection.context_name)) {
    problems.Add("context \"" + selection.context_name + "\" does not exist");
  }
  detail::CheckAuthInfo(selection.context.user, selection.user, problems);
  if (IsEmpty(selection.cluster)) {
    if (problems.empty()) return EmptyConfig(WhyNoCluster(kubeconfig, selection));
    problems.Add("no cluster with a server is selected");
  } else {
    detail::CheckCluster(selection.context.cluster, selection.cluster, problems);
  }
  return problems.ToResult();
}

void UsePlugin(const Selection& selection, rest::Config& config) {
  if (!selection.user.exec) return;
  config.exec = *selection.user.exec;
  config.exec.config = selection.cluster.execConfig;
}

// What an error of this configuration is to name: `context "x", cluster "c", user "u", kubeconfig
// /path`.
std::string OriginOf(const Selection& selection) {
  std::string text;
  const auto add = [&text](std::string_view what, const std::string& name) {
    if (name.empty()) return;
    if (!text.empty()) text += ", ";
    text.append(what).append(name);
  };
  const auto quoted = [](const std::string& name) {
    return name.empty() ? name : "\"" + name + "\"";
  };
  add("context ", quoted(selection.context_name));
  add("cluster ", quoted(selection.context.cluster));
  add("user ", quoted(selection.context.user));
  const std::string& file = selection.cluster.locationOfOrigin;
  add("kubeconfig ", file);
  if (selection.user.locationOfOrigin != file) {
    add("user's kubeconfig ", selection.user.locationOfOrigin);
  }
  return text;
}

void UseCredentials(const AuthInfo& user, rest::Config& config) {
  config.bearerToken = user.token;
  config.bearerTokenFile = user.tokenFile;
  config.username = user.username;
  config.password = user.password;
  if (user.authProvider) config.authProvider = *user.authProvider;
  // Without a certificate a key has no use.
  if (user.clientCertificate.empty() && user.clientCertificateData.empty()) return;
  config.tls.certFile = user.clientCertificate;
  config.tls.certData = user.clientCertificateData;
  config.tls.keyFile = user.clientKey;
  config.tls.keyData = user.clientKeyData;
}

void UseServerIdentity(const Cluster& cluster, rest::Config& config) {
  config.tls.insecure = cluster.insecureSkipTlsVerify;
  config.tls.serverName = cluster.tlsServerName;
  config.tls.caFile = cluster.certificateAuthority;
  config.tls.caData = cluster.certificateAuthorityData;
}

Result<rest::Config> ToRestConfig(const Selection& selection, const Overrides& overrides) {
  rest::Config config;
  config.origin = OriginOf(selection);
  config.host = selection.cluster.server;
  config.proxyUrl = selection.cluster.proxyUrl;
  config.disableCompression = selection.cluster.disableCompression;
  config.timeout = overrides.timeout;
  if (!selection.user.impersonate.userName.empty()) config.impersonate = selection.user.impersonate;
  // A server that is not https gets no credentials.
  if (!rest::IsTransportTls(config)) {
    if (selection.user != AuthInfo{.impersonate = selection.user.impersonate,
                                   .locationOfOrigin = selection.user.locationOfOrigin}) {
      log::Write(log::Level::kWarning, "the credentials are left out, as " + config.host +
                                           " is not https" +
                                           rest::detail::InParentheses(config.origin));
    }
    return config;
  }
  if (selection.user.token.empty() && !selection.user.tokenFile.empty()) {
    const auto token = util::detail::ReadFile(selection.user.tokenFile);
    if (!token) {
      return ConfigError("invalid configuration: tokenFile of user \"" + selection.context.user +
                         "\": " + token.error().message);
    }
  }
  UseCredentials(selection.user, config);
  UsePlugin(selection, config);
  UseServerIdentity(selection.cluster, config);
  return config;
}

Result<ClientConfig> InClusterClientConfig(const Overrides& overrides,
                                           const std::string& directory) {
  auto config = rest::detail::InClusterConfigFrom(directory);
  if (!config) return config.error();
  // An override of the server or its CA makes a configuration by itself and does not come here.
  if (!overrides.token.empty() || !overrides.tokenFile.empty()) {
    config->bearerToken = overrides.token;
    config->bearerTokenFile = overrides.tokenFile;
  }
  config->timeout = overrides.timeout;
  return ClientConfig{.config = *std::move(config),
                      .namespace_ = overrides.namespace_.empty()
                                        ? rest::detail::InClusterNamespaceFrom(directory)
                                        : overrides.namespace_};
}

}  // namespace

Result<ClientConfig> Resolve(const KubeConfig& kubeconfig, const Overrides& overrides) {
  const auto selection = Select(kubeconfig, overrides);
  if (!selection) return selection.error();
  if (auto usable = CheckUsable(kubeconfig, *selection); !usable) return usable.error();
  auto config = ToRestConfig(*selection, overrides);
  if (!config) return config.error();
  const std::string& name = selection->context.namespace_;
  return ClientConfig{.config = *std::move(config),
                      .namespace_ = name.empty() ? "default" : name,
                      .context = selection->context_name};
}

namespace detail {

Result<ClientConfig> LoadWith(const LoadingRules& rules, const Overrides& overrides,
                              const std::string& service_account_directory) {
  const auto kubeconfig = LoadKubeConfig(rules);
  if (!kubeconfig) return kubeconfig.error();
  auto config = Resolve(*kubeconfig, overrides);
  if (config) return config;
  auto error = std::move(config).error();
  const bool is_empty = IsEmptyConfig(error);
  if (const auto files = DescribeFiles(rules); !files.empty()) {
    error.message += " (kubeconfig " + files + ")";
  }
  if (!is_empty) return error;
  if (!rest::detail::IsInClusterPossible(service_account_directory)) {
    // Where part of a pod's surroundings is there, the rest is missed.
    const auto in_cluster = rest::detail::InClusterConfigFrom(service_account_directory);
    if (std::getenv("KUBERNETES_SERVICE_HOST") != nullptr && !in_cluster) {
      error.message += "; KUBERNETES_SERVICE_HOST is set, but: " + in_cluster.error().message;
    }
    return error;
  }
  if (!kubeconfig->contexts.empty()) {
    log::Write(log::Level::kWarning, error.message + "; the pod's service account is used");
  }
  return InClusterClientConfig(overrides, service_account_directory);
}

}  // namespace detail

Result<ClientConfig> Load(const LoadingRules& rules, const Overrides& overrides) {
  return detail::LoadWith(rules, overrides, rest::detail::kServiceAccountDirectory);
}

Result<rest::Config> LoadDefaultConfig() {
  auto loaded = Load({}, {});
  if (!loaded) return loaded.error();
  return std::move(loaded->config);
}

Result<rest::Config> BuildConfigFromFlags(const std::string& master_url,
                                          const std::string& kubeconfig_path) {
  if (master_url.empty() && kubeconfig_path.empty()) return rest::InClusterConfig();
  // Without a path no file is looked for: its credentials are not meant for this server.
  auto loaded = kubeconfig_path.empty()
                    ? Resolve({}, {.server = master_url})
                    : Load({.explicitPath = kubeconfig_path}, {.server = master_url});
  if (!loaded) return loaded.error();
  return std::move(loaded->config);
}

bool IsEmptyConfig(const Error& error) { return error.reason == kEmptyConfig; }

}  // namespace k8s::inline v0::clientcmd
