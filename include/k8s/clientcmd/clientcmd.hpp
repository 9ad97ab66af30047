#pragma once

#include <k8s/clientcmd/api.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::clientcmd {

/// Where kubeconfig files are looked for. Mirrors clientcmd.ClientConfigLoadingRules.
struct LoadingRules {
  /// This file and no other; it must exist. Empty: `precedence`.
  std::string explicitPath = {};
  /// Files to merge; the first definition of a name wins, missing files are skipped. Empty: those
  /// of the environment's KUBECONFIG (separated by colons), else ~/.kube/config.
  std::vector<std::string> precedence = {};
};

/// What a program's flags say; each member that is set wins over the kubeconfig. Mirrors
/// clientcmd.ConfigOverrides.
struct Overrides {
  std::string currentContext = {};  ///< Must exist.
  std::string namespace_ = {};
  std::string cluster = {};  ///< The name of a cluster; must exist.
  std::string user = {};     ///< The name of a user; must exist.

  std::string server = {};  ///< Also clears the file's TLS server name.
  std::string tlsServerName = {};
  std::string certificateAuthority = {};  ///< A file; also clears the file's CA and insecure.
  bool insecureSkipTlsVerify = false;     ///< Also clears the file's CA.
  std::string proxyUrl = {};
  bool disableCompression = false;

  std::string clientCertificate = {};  ///< A file; replaces both forms.
  std::string clientKey = {};          ///< A file; replaces both forms.
  std::string token = {};              ///< Secret.
  std::string tokenFile = {};
  std::string username = {};
  std::string password = {};  ///< Secret.
  rest::ImpersonationConfig impersonate = {};

  std::chrono::milliseconds timeout{0};  ///< See rest::Config.
};

/// A usable configuration and where it points.
struct ClientConfig {
  rest::Config config = {};
  std::string namespace_ = {};  ///< Never empty.
  std::string context = {};     ///< Its name; empty for the in-cluster configuration.
};

/// Finds the configuration as kubectl does: KUBECONFIG, ~/.kube/config, then the service account of
/// the pod. Errors: kConfig, naming every problem; `IsEmptyConfig` when there is none at all.
[[nodiscard]] Result<rest::Config> LoadDefaultConfig();

/// Likewise, with the program's own rules and flags. The in-cluster configuration is taken when the
/// kubeconfig has no usable context and no problem either. Token and certificate of the user are
/// left out for a server that is not https.
/// **Mirrors** clientcmd.NewNonInteractiveDeferredLoadingClientConfig with its ClientConfig() and
/// Namespace().
[[nodiscard]] Result<ClientConfig> Load(const LoadingRules& rules, const Overrides& overrides);

/// What a program's two classic flags say: the in-cluster configuration when both are empty; else
/// the file, if any, with the server of `master_url`, if any. Mirrors
/// clientcmd.BuildConfigFromFlags.
[[nodiscard]] Result<rest::Config> BuildConfigFromFlags(const std::string& master_url,
                                                        const std::string& kubeconfig_path);

/// Turns one kubeconfig into a configuration, without regard to the environment. Mirrors
/// clientcmd.NewDefaultClientConfig.
[[nodiscard]] Result<ClientConfig> Resolve(const KubeConfig& kubeconfig,
                                           const Overrides& overrides);

/// Reads and merges the files of the rules; paths in them become absolute. Errors: kConfig, naming
/// every file that cannot be read.
[[nodiscard]] Result<KubeConfig> LoadKubeConfig(const LoadingRules& rules);

/// Reads one file; its relative paths are taken from the file's directory.
[[nodiscard]] Result<KubeConfig> LoadFromFile(const std::string& path);

/// Reads the text of a kubeconfig, YAML or JSON; paths in it stay as they are.
[[nodiscard]] Result<KubeConfig> ParseKubeConfig(std::string_view text);

/// Whether an error says that no configuration was provided at all.
[[nodiscard]] bool IsEmptyConfig(const Error& error);

}  // namespace k8s::inline v0::clientcmd
