#pragma once

#include <k8s/result.hpp>

#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::rest {

/// How the server proves who it is, and the client's certificate. For each item the data form wins
/// over the file form. Files are named by path and read when a connection is made, so that renewed
/// ones count. Mirrors rest.TLSClientConfig.
struct TlsClientConfig {
  /// Trust any server certificate. Default: false. For tests only; contradicts `caFile` and
  /// `caData`.
  bool insecure = false;
  /// The name expected in the server's certificate and sent as SNI. Empty: the host of the URL.
  std::string serverName = {};
  std::string caFile =
      {};  ///< PEM. With a CA given, no other CA is trusted; else the system's are.
  std::string caData = {};    ///< PEM bytes, not base64.
  std::string certFile = {};  ///< PEM client certificate; needs a key.
  std::string certData = {};  ///< PEM bytes, not base64.
  std::string keyFile = {};   ///< PEM private key.
  std::string keyData = {};   ///< Secret. PEM bytes, not base64.

  friend bool operator==(const TlsClientConfig&, const TlsClientConfig&) = default;
};

/// Whom to act as. Everything but `userName` needs `userName`. Mirrors rest.ImpersonationConfig.
struct ImpersonationConfig {
  std::string userName = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};

  friend bool operator==(const ImpersonationConfig&, const ImpersonationConfig&) = default;
};

struct ExecEnvVar {
  std::string name = {};
  std::string value = {};  ///< Secret.

  friend bool operator==(const ExecEnvVar&, const ExecEnvVar&) = default;
};

/// A credential plugin as a kubeconfig names it. Mirrors clientcmd's api.ExecConfig.
///
/// Running plugins is not supported yet: a client cannot be made from a Config whose only
/// credential is a plugin (see `Validate`).
struct ExecConfig {
  std::string apiVersion = {};  ///< "client.authentication.k8s.io/v1" or "/v1beta1".
  std::string command = {};     ///< Empty: no plugin.
  std::vector<std::string> args = {};
  std::vector<ExecEnvVar> env = {};
  std::string installHint = {};
  bool provideClusterInfo = false;
  std::string interactiveMode = {};  ///< "Never", "IfAvailable" or "Always".

  friend bool operator==(const ExecConfig&, const ExecConfig&) = default;
};

/// Where the API server is and how to speak with it. Made by clientcmd, by `InClusterConfig`, or by
/// hand. Holds secrets: print it with `ToString` only. Mirrors rest.Config.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
struct Config {
  /// A URL with an optional path prefix, or host[:port]. Without a scheme it is https when TLS
  /// material is given, else http. Empty: localhost.
  std::string host = {};
  TlsClientConfig tls = {};

  std::string bearerToken = {};  ///< Secret.
  /// A file with the token, read again about once a minute; wins over `bearerToken` while readable.
  std::string bearerTokenFile = {};
  std::string username = {};  ///< Basic authentication; contradicts a token.
  std::string password = {};  ///< Secret.
  ImpersonationConfig impersonate = {};
  ExecConfig exec = {};
  /// Name of a legacy auth provider in the kubeconfig; none is supported. Empty: none.
  std::string authProvider = {};

  /// http, https or socks5 URL, may hold a user and password. Empty: HTTPS_PROXY, HTTP_PROXY and
  /// NO_PROXY of the environment count.
  std::string proxyUrl = {};
  std::string userAgent = {};       ///< Empty: `DefaultUserAgent()`.
  bool disableCompression = false;  ///< Do not ask the server for gzip.

  double qps = 5;  ///< Requests per second on average, of one client. 0: 5. Negative: no limit.
  int burst = 10;  ///< Requests allowed at once after a pause. 0: 10.
  /// For each whole request, watches included; leave 0 (no bound) for informers.
  std::chrono::milliseconds timeout{0};

  friend bool operator==(const Config&, const Config&) = default;
};

/// The configuration for people, on one line, with "--- REDACTED ---" for each secret that is set.
/// Mirrors rest.Config's GoString.
[[nodiscard]] std::string ToString(const Config& config);

/// A copy without what says who asks: tokens, user and password, client certificate, plugin,
/// impersonation. To ask as nobody, or to give other credentials. Mirrors
/// rest.AnonymousClientConfig.
[[nodiscard]] Config AnonymousClientConfig(const Config& config);

/// The URL all request paths are appended to: lower-case scheme, host and port, path prefix without
/// repeated or trailing slashes; query and fragment dropped. "https://gw.test/k8s/clusters/c-1".
/// Errors: kConfig for an address that is neither a URL nor host[:port], or not http(s).
/// **Mirrors** rest.DefaultServerURL; keeps percent-escapes of the prefix as they are.
[[nodiscard]] Result<std::string> BaseUrl(const Config& config);

/// Whether requests go over TLS, by the scheme of BaseUrl(). Mirrors rest.IsConfigTransportTLS.
[[nodiscard]] bool IsTransportTls(const Config& config);

/// Checks all that can be known before the first request: the address, contradictions between
/// credentials, TLS material that cannot be read or is not PEM, plugins that are not supported.
/// Reads the files that `config` names. Errors: kConfig, naming every problem.
[[nodiscard]] Result<void> Validate(const Config& config);

/// Whether an error of InClusterConfig says that this process does not run in a pod.
[[nodiscard]] bool IsNotInCluster(const Error& error);

/// The configuration of a pod's service account: KUBERNETES_SERVICE_HOST and _PORT of the
/// environment, token and ca.crt under /var/run/secrets/kubernetes.io/serviceaccount. An unreadable
/// ca.crt is logged. Errors: kConfig when not in a cluster (`IsNotInCluster`) or without a token.
/// **Mirrors** rest.InClusterConfig.
[[nodiscard]] Result<Config> InClusterConfig();

/// The pod's namespace: environment POD_NAMESPACE, else the service account's file, else "default".
[[nodiscard]] std::string InClusterNamespace();

/// "program/unknown (os/arch) client-cpp/version". Mirrors rest.DefaultKubernetesUserAgent.
[[nodiscard]] std::string DefaultUserAgent();

}  // namespace k8s::inline v0::rest
