#pragma once

#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// What a credential plugin has answered. Secret. Mirrors
/// clientauthentication.ExecCredentialStatus.
struct ExecCredential {
  std::string token = {};        ///< Empty: none.
  std::string certificate = {};  ///< PEM; empty: none.
  std::string key = {};          ///< PEM; there if and only if `certificate` is.
  std::optional<std::chrono::system_clock::time_point> expires = std::nullopt;

  friend bool operator==(const ExecCredential&, const ExecCredential&) = default;
};

/// Reads a plugin's output, which must have this apiVersion. Errors: kConfig, never with a part of
/// the output but its apiVersion and kind.
[[nodiscard]] Result<ExecCredential> ParseExecCredential(std::string_view output,
                                                         const std::string& api_version);

/// spec.cluster of KUBERNETES_EXEC_INFO as JSON, "" when the plugin is not to get it. Errors:
/// kConfig for a CA file that cannot be read and for an ExecConfig::config that is no JSON.
[[nodiscard]] Result<std::string> ExecClusterInfo(const Config& config);

/// The value of KUBERNETES_EXEC_INFO. `cluster`: of ExecClusterInfo.
[[nodiscard]] std::string ExecInfo(const std::string& api_version, bool interactive,
                                   const std::string& cluster);

}  // namespace k8s::inline v0::rest::detail
