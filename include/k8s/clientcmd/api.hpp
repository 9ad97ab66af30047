#pragma once

#include <k8s/rest/config.hpp>

#include <map>
#include <optional>
#include <string>

/// The parts of a kubeconfig as they stand in the file, data fields decoded from base64. They hold
/// secrets: do not print them. Mirrors k8s.io/client-go/tools/clientcmd/api.
namespace k8s::inline v0::clientcmd {

struct Cluster {
  std::string server = {};
  std::string tlsServerName = {};
  bool insecureSkipTlsVerify = false;
  std::string certificateAuthority = {};      ///< A file.
  std::string certificateAuthorityData = {};  ///< PEM.
  std::string proxyUrl = {};
  bool disableCompression = false;
  /// The extension "client.authentication.k8s.io/exec" as JSON, for credential plugins. Empty:
  /// none.
  std::string execConfig = {};
  /// The kubeconfig it stands in; "" if it was not read from a file. For errors.
  std::string locationOfOrigin = {};

  friend bool operator==(const Cluster&, const Cluster&) = default;
};

struct AuthInfo {
  std::string clientCertificate = {};      ///< A file.
  std::string clientCertificateData = {};  ///< PEM.
  std::string clientKey = {};              ///< A file.
  std::string clientKeyData = {};          ///< Secret. PEM.
  std::string token = {};                  ///< Secret.
  std::string tokenFile = {};
  std::string username = {};
  std::string password = {};  ///< Secret.
  rest::ImpersonationConfig impersonate = {};
  std::optional<rest::ExecConfig> exec = std::nullopt;
  std::optional<std::string> authProvider = std::nullopt;  ///< Its name.
  std::string locationOfOrigin = {};                       ///< As of Cluster.

  friend bool operator==(const AuthInfo&, const AuthInfo&) = default;
};

struct Context {
  std::string cluster = {};
  std::string user = {};
  std::string namespace_ = {};  ///< Empty: "default".

  friend bool operator==(const Context&, const Context&) = default;
};

/// A kubeconfig, of one file or merged of several. Mirrors api.Config.
struct KubeConfig {
  std::map<std::string, Cluster> clusters = {};
  std::map<std::string, AuthInfo> users = {};
  std::map<std::string, Context> contexts = {};
  std::string currentContext = {};

  friend bool operator==(const KubeConfig&, const KubeConfig&) = default;
};

}  // namespace k8s::inline v0::clientcmd
