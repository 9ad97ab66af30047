#pragma once

#include <k8s/cache/status.hpp>
#include <k8s/error.hpp>
#include <k8s/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::cache {

/// Why an informer has not synced.
enum class SyncReason {
  kNotStarted,      ///< `Start` was not called since the informer was asked for.
  kStopped,         ///< The informer has been stopped, and nothing was wrong until then.
  kForbidden,       ///< 403: the account may not list or watch the resource.
  kUnauthorized,    ///< 401: the server does not know the account.
  kResourceAbsent,  ///< 404: the server has no such resource; is the CRD installed?
  kTls,             ///< Certificates do not match.
  kUnreachable,     ///< No connection: refused, DNS, timeouts, connections lost.
  kBadRequest,      ///< 400 or 422: what is asked is wrong, a selector for example.
  kConfig,          ///< Nothing to be sent: an exec plugin fails, the token's file is gone.
  kServerError,     ///< Any other refusal or failure of the server.
  kInternal,        ///< A fault on this side: a function of yours threw, for example.
  kNoAnswer,        ///< Nothing failed; a request is under way, and nothing has come back yet.
  kStillListing,    ///< Nothing failed; objects are being received.
};

/// A short name of the reason, "forbidden" for example.
[[nodiscard]] std::string_view ToString(SyncReason reason);

/// One informer that has not synced.
struct UnsyncedInformer {
  SyncReason reason = SyncReason::kStillListing;
  InformerStatus status = {};  ///< Resource, last error, objects received so far.

  /// For example "pods: list: forbidden: pods is forbidden: User ... cannot list resource ...".
  [[nodiscard]] std::string ToString() const;
};

/// Why a wait for caches ended without success.
struct SyncFailure {
  bool cancelled = false;  ///< The caller's token was triggered; else the time was over.
  std::vector<UnsyncedInformer> informers = {};  ///< Those that have not synced.

  /// One line that names every informer with its verb and reason.
  [[nodiscard]] std::string ToString() const;
  /// kCancelled or kTimeout, with the same line.
  [[nodiscard]] Error ToError() const;
};

/// Success, or which informers have not synced and why.
using SyncResult = Result<void, SyncFailure>;

/// The reason that a status speaks of.
[[nodiscard]] SyncReason ReasonOf(const InformerStatus& status);

}  // namespace k8s::inline v0::cache
