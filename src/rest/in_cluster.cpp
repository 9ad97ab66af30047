#include "rest/in_cluster.hpp"

#include <k8s/log.hpp>

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "util/file.hpp"

namespace k8s::inline v0::rest {

namespace {

using util::detail::ReadFile;
using util::detail::Trim;

constexpr std::string_view kNotInCluster = "NotInCluster";

std::string Environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string ServerUrl(const std::string& host, const std::string& port) {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return "https://" + (is_ipv6 ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace

namespace detail {

Result<Config> InClusterConfigFrom(const std::string& directory) {
  const std::string host = Environment("KUBERNETES_SERVICE_HOST");
  const std::string port = Environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return Error{.kind = ErrorKind::kConfig,
                 .reason = std::string(kNotInCluster),
                 .message =
                     "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT "
                     "are not both set"};
  }
  Config config;
  config.origin = "service account of the pod";
  config.host = ServerUrl(host, port);
  config.bearerTokenFile = directory + "/token";
  auto token = ReadFile(config.bearerTokenFile);
  if (!token) return token.error();
  config.bearerToken = Trim(*std::move(token));
  const std::string ca = directory + "/ca.crt";
  if (const auto text = ReadFile(ca)) {
    config.tls.caFile = ca;
  } else {
    log::Write(log::Level::kWarning, text.error().message + "; the system's CAs are trusted");
  }
  return config;
}

std::string InClusterNamespaceFrom(const std::string& directory) {
  if (std::string name = Environment("POD_NAMESPACE"); !name.empty()) return name;
  const std::string name = Trim(ReadFile(directory + "/namespace").value_or(""));
  return name.empty() ? "default" : name;
}

bool IsInClusterPossible(const std::string& directory) {
  std::error_code ignored;
  return !Environment("KUBERNETES_SERVICE_HOST").empty() &&
         !Environment("KUBERNETES_SERVICE_PORT").empty() &&
         std::filesystem::is_regular_file(directory + "/token", ignored);
}

}  // namespace detail

bool IsNotInCluster(const Error& error) { return error.reason == kNotInCluster; }

Result<Config> InClusterConfig() {
  return detail::InClusterConfigFrom(detail::kServiceAccountDirectory);
}

std::string InClusterNamespace() {
  return detail::InClusterNamespaceFrom(detail::kServiceAccountDirectory);
}

}  // namespace k8s::inline v0::rest
