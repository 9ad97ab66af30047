#include <k8s/clientcmd/clientcmd.hpp>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include "clientcmd/yaml_reader.hpp"

namespace k8s::inline v0::clientcmd {

namespace {

using detail::YamlReader;

// The only extension that is of use here.
std::string ReadExecConfig(const YamlReader& in) {
  std::string config;
  for (const YamlReader& entry : in.Get("extensions").List()) {
    if (entry.Get("name").String() != "client.authentication.k8s.io/exec") continue;
    if (const YamlReader value = entry.Get("extension"); !value.IsNull()) config = value.Json();
  }
  return config;
}

Cluster ReadCluster(const YamlReader& in) {
  return {.server = in.Get("server").String(),
          .tlsServerName = in.Get("tls-server-name").String(),
          .insecureSkipTlsVerify = in.Get("insecure-skip-tls-verify").Bool(),
          .certificateAuthority = in.Get("certificate-authority").String(),
          .certificateAuthorityData = in.Get("certificate-authority-data").Bytes(),
          .proxyUrl = in.Get("proxy-url").String(),
          .disableCompression = in.Get("disable-compression").Bool(),
          .execConfig = ReadExecConfig(in)};
}

Context ReadContext(const YamlReader& in) {
  return {.cluster = in.Get("cluster").String(),
          .user = in.Get("user").String(),
          .namespace_ = in.Get("namespace").String()};
}

rest::ExecConfig ReadExec(const YamlReader& in) {
  rest::ExecConfig exec{.apiVersion = in.Get("apiVersion").String(),
                        .command = in.Get("command").String(),
                        .args = in.Get("args").Strings(),
                        .installHint = in.Get("installHint").String(),
                        .provideClusterInfo = in.Get("provideClusterInfo").Bool(),
                        .interactiveMode = in.Get("interactiveMode").String()};
  for (const YamlReader& entry : in.Get("env").List()) {
    exec.env.push_back({.name = entry.Get("name").String(), .value = entry.Get("value").String()});
  }
  // Only v1 insists on it.
  const bool is_older = exec.apiVersion == "client.authentication.k8s.io/v1beta1" ||
                        exec.apiVersion == "client.authentication.k8s.io/v1alpha1";
  if (exec.interactiveMode.empty() && is_older) exec.interactiveMode = "IfAvailable";
  return exec;
}

rest::ImpersonationConfig ReadImpersonation(const YamlReader& in) {
  rest::ImpersonationConfig impersonate{.userName = in.Get("as").String(),
                                        .uid = in.Get("as-uid").String(),
                                        .groups = in.Get("as-groups").Strings()};
  for (const auto& [key, values] : in.Get("as-user-extra").Members()) {
    impersonate.extra[key] = values.Strings();
  }
  return impersonate;
}

AuthInfo ReadAuthInfo(const YamlReader& in) {
  AuthInfo user{.clientCertificate = in.Get("client-certificate").String(),
                .clientCertificateData = in.Get("client-certificate-data").Bytes(),
                .clientKey = in.Get("client-key").String(),
                .clientKeyData = in.Get("client-key-data").Bytes(),
                .token = in.Get("token").String(),
                .tokenFile = in.Get("tokenFile").String(),
                .username = in.Get("username").String(),
                .password = in.Get("password").String(),
                .impersonate = ReadImpersonation(in)};
  if (const YamlReader exec = in.Get("exec"); !exec.IsNull()) user.exec = ReadExec(exec);
  if (const YamlReader provider = in.Get("auth-provider"); !provider.IsNull()) {
    user.authProvider = provider.Get("name").String();
  }
  return user;
}

// Reads a list of {name, <key>} into a map by name.
template <class T>
std::map<std::string, T> ReadNamed(const YamlReader& list, const char* key,
                                   T (*read)(const YamlReader&)) {
  std::map<std::string, T> out;
  for (const YamlReader& item : list.List()) {
    const std::string name = item.Get("name").String();
    if (!out.emplace(name, read(item.Called(name).Get(key))).second) {
      item.Fail("the name \"" + name + "\" stands there twice");
    }
  }
  return out;
}

KubeConfig ReadKubeConfig(const YamlReader& in) {
  const std::string kind = in.Get("kind").String();
  const std::string version = in.Get("apiVersion").String();
  if ((!kind.empty() && kind != "Config") || (!version.empty() && version != "v1")) {
    in.Fail("kind \"" + kind + "\" of apiVersion \"" + version + "\" is no kubeconfig");
  }
  return {.clusters = ReadNamed(in.Get("clusters"), "cluster", ReadCluster),
          .users = ReadNamed(in.Get("users"), "user", ReadAuthInfo),
          .contexts = ReadNamed(in.Get("contexts"), "context", ReadContext),
          .currentContext = in.Get("current-context").String()};
}

/// What yaml-cpp's errors do not say: the first line that is indented by a tab.
std::string TabHint(std::string_view text) {
  for (std::size_t line = 1;; ++line) {
    const auto indent = text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
    if (indent.find('\t') != std::string_view::npos) {
      return "; line " + std::to_string(line) +
             " is indented by a tab, where YAML takes spaces only";
    }
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
}

}  // namespace

Result<KubeConfig> ParseKubeConfig(std::string_view text) {
  // yaml-cpp and YamlReader report by exception. Neither quotes values, which may be secrets.
  try {
    return ReadKubeConfig(YamlReader(YAML::Load(std::string(text)), ""));
  } catch (const YAML::ParserException& error) {
    return Error{.kind = ErrorKind::kConfig, .message = error.what() + TabHint(text)};
  } catch (const std::exception& error) {
    return Error{.kind = ErrorKind::kConfig, .message = error.what()};
  }
}

}  // namespace k8s::inline v0::clientcmd
