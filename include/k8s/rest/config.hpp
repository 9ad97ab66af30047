#pragma once

#include <k8s/rest/warnings.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::rest {

class Metrics;

/// How the server proves who it is, and the client's certificate. For each item the data form wins
/// over the file form. Files are read when the client is made and again, when a request is sent,
/// about once a minute, and after the server or this side has refused a certificate; then the
/// request is sent once more. Renewed files count for the requests that follow, on new connections;
/// streams that are open go on with what they began with. Files that cannot be read, or used, or a
/// key that does not fit its certificate, are told once through the log, and what was read before
/// stays in use.
/// **Mirrors** rest.TLSClientConfig. Differs: client-go looks every 5 minutes at most, and closes
/// open streams when the client certificate changes.
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
  std::string keyFile = {};   ///< PEM private key: PKCS#8, PKCS#1 or EC, not encrypted.
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

/// Which credential plugins may be run, for programs that do not trust their kubeconfig. Mirrors
/// api.PluginPolicy.
struct PluginPolicy {
  enum class Type {
    kAllowAll,
    kDenyAll,
    kAllowlist,  ///< Only those of `allowlist`.
  };
  Type policyType = Type::kAllowAll;
  /// Commands as kubeconfigs name them, or paths of programs. A name without a slash is looked up
  /// in PATH and stands for the program found there. Only for kAllowlist, which needs one.
  std::vector<std::string> allowlist = {};

  friend bool operator==(const PluginPolicy&, const PluginPolicy&) = default;
};

/// A credential plugin as a kubeconfig names it: a program that prints an ExecCredential with a
/// token, a client certificate with its key, or both.
///
/// The program is run without a shell and with this process's standard error when a request needs
/// the credential: when there is none, shortly before its expirationTimestamp (a tenth of its life,
/// at most 30 s), and after a 401, whereupon the request is sent once more. A run that fails leaves
/// a credential that has not expired in place. Clients of one process whose plugins are configured
/// alike share the credential and run the program one at a time. A plugin is not run when the
/// Config has a token, basic authentication or a client certificate, nor for a request with an
/// Authorization header.
/// Errors of such a request: kConfig, kTimeout when `timeout` has passed, kCancelled; they name the
/// program and `Config::origin`, never its output, arguments or environment.
/// **Blocking.** A request waits for the run, and not when it is stopped; the wait is not part of
/// the request's own timeout. The run goes on for those who ask next, so that nobody has to log in
/// twice, until its own time limit; it is killed with the last client and at the process's end.
/// **Mirrors** clientcmd's api.ExecConfig. Differs: client-go neither repeats the request after a
/// 401, nor bounds the run, nor renews before the expiry; it closes open streams when the client
/// certificate changes, where here only later requests use the new one.
struct ExecConfig {
  std::string apiVersion = {};  ///< "client.authentication.k8s.io/v1" or "/v1beta1".
  /// Looked up in PATH unless it has a slash; relative entries of PATH do not count. A relative
  /// path is taken from the working directory (clientcmd makes it absolute). Empty: no plugin.
  std::string command = {};
  std::vector<std::string> args = {};
  std::vector<ExecEnvVar> env = {};  ///< Added to this process's environment; wins over it.
  std::string installHint = {};      ///< Told when the program cannot be started.
  /// Tell the program address, CA and proxy of the cluster, and `config`. The CA's file is read
  /// when the client is made.
  bool provideClusterInfo = false;
  /// "Never", "IfAvailable" or "Always": whether the program gets this process's standard input, if
  /// that is a terminal it may read from. Otherwise its input is empty, and "Always" is an error.
  /// Empty: "IfAvailable" for v1beta1; v1 needs it.
  std::string interactiveMode = {};
  /// The program has other uses for standard input: as if it were no terminal. Default: false.
  bool stdinUnavailable = false;
  std::string stdinUnavailableMessage = {};  ///< Why, for the error of "Always".
  /// For the program, as JSON: the value of the cluster's extension
  /// "client.authentication.k8s.io/exec". Empty: none.
  std::string config = {};
  /// After this long the program and the processes it has started are killed; of a program that
  /// reads from the terminal only itself. 0: a minute, or five with a terminal. Negative: no bound.
  std::chrono::milliseconds timeout{0};
  PluginPolicy pluginPolicy = {};  ///< Not of the kubeconfig: the program's own.

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
  /// A file with the token, read again about once a minute and after a 401; wins over `bearerToken`
  /// while readable.
  std::string bearerTokenFile = {};
  std::string username = {};  ///< Basic authentication; contradicts a token.
  std::string password = {};  ///< Secret.
  ImpersonationConfig impersonate = {};
  ExecConfig exec = {};  ///< A program that gives the credentials.
  /// Name of a legacy auth provider in the kubeconfig; none is supported. Empty: none.
  std::string authProvider = {};

  /// Send credentials also to a server without TLS that is not on this machine, or over a proxy.
  /// Default: false; they are left out, and a warning is logged once. Who listens on the way could
  /// use them.
  bool credentialsOverHttp = false;

  /// http, https or socks5 URL, may hold a user and password; NO_PROXY does not count. The name of
  /// the server is resolved by the proxy. Empty: HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the
  /// environment count, or their lower-case forms, as in Go, and as they are when the client is
  /// made. An https proxy is trusted like the server, or by the system's CAs.
  std::string proxyUrl = {};
  std::string userAgent = {};       ///< Empty: `DefaultUserAgent()`.
  bool disableCompression = false;  ///< Do not ask the server for gzip.
  /// Speak HTTP/1.1 also where the server offers HTTP/2: each watch then has a connection of its
  /// own. For proxies that handle HTTP/2 badly. The environment's DISABLE_HTTP2 does the same.
  bool disableHttp2 = false;

  WarningHandler warningHandler = {};  ///< Told of the server's warnings. Empty: the default one.
  /// How much is logged of each request: see log::SetVerbosity, of which the larger one counts.
  int verbosity = 0;

  /// Told of each request of the clients. Null: nobody is, at no cost.
  std::shared_ptr<Metrics> metrics = nullptr;

  double qps = 5;  ///< Requests per second on average, of one client. 0: 5. Negative: no limit.
  int burst = 10;  ///< Requests allowed at once after a pause. 0: 10.
  /// For each whole request, retries included, and for whole watches; leave 0 (no bound) for
  /// informers. Also sent to the server, which then ends its work as well.
  std::chrono::milliseconds timeout{0};

  /// Where all this is written, for errors: `context "x", cluster "c", user "u", kubeconfig /path`.
  /// Empty: not told.
  std::string origin = {};

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
/// credentials, TLS material that cannot be read or is not PEM, plugins that are not supported or
/// configured in part. Reads the files that `config` names; runs no plugin. Errors: kConfig, naming
/// every problem.
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
