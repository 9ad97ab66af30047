#pragma once

#include <k8s/clock.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::rest {

/// Query parameters in order, not yet percent-encoded. Encode with `EncodeQuery`.
using Query = std::vector<std::pair<std::string, std::string>>;

/// What a request is about, as the API server's paths name it.
struct ResourcePath {
  std::string namespace_ = {};   ///< Empty: all namespaces, or a cluster-scoped resource.
  std::string name = {};         ///< Empty: the collection.
  std::string subresource = {};  ///< "status"; needs a name. Empty: none.
};

/// One request to the API server: what a Transport does not know of.
struct Request {
  std::string method = "GET";
  std::string path;  ///< Below the server's base URL, percent-encoded: "/api/v1/pods".
  Query query = {};
  std::string accept = "application/json";
  std::string contentType = {};  ///< Of the body; empty: no Content-Type header.
  std::string body = {};
  /// Bound for the whole exchange, retries and the waits before them included; a retry that would
  /// come too late is not waited for. The first wait for the rate limit does not count. Zero:
  /// Config::timeout, which is no bound by default.
  std::chrono::milliseconds timeout{0};
  /// Longest silence allowed while the body is awaited. Zero: no bound.
  std::chrono::milliseconds idleTimeout{0};
  /// Told of each failure after which the request is sent once more, and of the wait before that.
  /// On the calling thread, without a lock. Empty: nobody.
  std::function<void(const Error& error, std::chrono::seconds wait)> onRetry = {};
  /// Opens a watch: only 200 is success, and the first try passes the rate limiter by.
  bool watch = false;
  /// Named in errors when the server's answer does not name them.
  GroupResource resource = {};
  std::string name = {};
};

/// A whole answer.
struct Response {
  int status = 0;
  std::string contentType;
  std::string body;
};

/// The path of a resource below the server's base URL: "/apis/apps/v1/namespaces/d/deployments/a".
/// Every part is one percent-encoded segment. Errors: kInvalidArgument for a part that is ".", ".."
/// or contains "/" or "%", a subresource without a name, and a namespace for a cluster-scoped
/// resource. **Mirrors** rest.Request.URL.
[[nodiscard]] Result<std::string> PathOf(const ResourceInfo& info, const ResourcePath& path);

/// Percent-encoded "a=b&c=d"; empty for no parameters.
[[nodiscard]] std::string EncodeQuery(const Query& query);

/// Speaks with one API server: rate limit, retries, errors. Mirrors rest.RESTClient. A cheap value;
/// copies share transport and rate limiter.
///
/// **Retries.** At most 10 per request: any method after 429 or 5xx with Retry-After, in seconds or
/// as a date (waits longer than 1 minute are cut to it); GET after a lost connection (1 s). Each
/// asks the rate limiter. Never: other answers, no connection, TLS, timeouts. An error names a
/// different earlier one.
/// **Warnings** of the server go to Config::warningHandler.
/// **Thread safety.** All members may be called from any thread at any time.
/// **Mirrors** rest.RESTClient. Differs: Retry-After has a cap and may be a date; a watch that
/// cannot be opened is always an error, never an empty stream, and a timeout at its opening is not
/// tried again here.
class Client {
 public:
  /// A client with a CurlTransport of its own. Errors: kConfig, see `Validate`.
  static Result<Client> New(const Config& config);
  /// A client over any transport. `config` gives rate limit, user agent, timeout. For tests, and
  /// for several clients that share connections.
  static Client New(const Config& config, std::shared_ptr<Transport> transport,
                    std::shared_ptr<Clock> clock = RealClock());

  /// Sends `request` and reads the whole answer. An HTTP error status becomes an Error of kind
  /// kStatus made of the body's Status, or of the code when there is none. Other errors: those of
  /// Transport. Bodies above 256 MiB are refused (kProtocol).
  /// **Blocking.** Ends at once when `stop` is triggered.
  [[nodiscard]] Result<Response> Do(const Request& request, std::stop_token stop = {}) const;

  /// Sends `request` and hands over the answer's body as a stream once the server has answered with
  /// success. Errors and blocking as `Do`.
  [[nodiscard]] Result<std::unique_ptr<HttpResponse>> Stream(const Request& request,
                                                             std::stop_token stop = {}) const;

  /// See Transport::WaitsFor.
  [[nodiscard]] std::string WaitsFor() const;

 private:
  struct Shared;
  explicit Client(std::shared_ptr<const Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<const Shared> shared_;
};

}  // namespace k8s::inline v0::rest
