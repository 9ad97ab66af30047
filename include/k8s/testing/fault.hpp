#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace k8s::inline v0::testing {

/// Which requests are meant. Empty members match anything; all others must be equal.
struct RequestMatch {
  /// "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"; for paths
  /// that are no resource ("/version"): the HTTP method in lower case.
  std::string verb = {};
  std::string resource = {};    ///< Plural, "pods"; with a subresource "pods/status".
  std::string namespace_ = {};  ///< Of the request's path.
  std::string path = {};        ///< The whole path without query, "/api/v1/pods".
};

/// What a fault does. Kinds of the first part concern the answer as a whole; those of the second
/// let the answer begin and break its body.
enum class FaultKind {
  kStatus,     ///< Answers with `status`, a Status body and `retryAfter`.
  kRawAnswer,  ///< Answers with `status`, `contentType` and the bytes in `body`, whatever they are.
  kDropConnection,   ///< Resets the connection instead of answering.
  kCloseConnection,  ///< Closes the connection in an orderly way instead of answering.
  kStall,            ///< Never answers; the connection stays open and silent (half-open peer).
  kDelay,            ///< Waits for `delay`, then answers as always.

  kErrorEvent,   ///< Watch: an ERROR event with `status`, then the end of the stream.
  kEndStream,    ///< Watch: an orderly end of the stream.
  kCutStream,    ///< Half of the next event (or of the list's body), then a reset.
  kStallStream,  ///< Watch: silence; list: half of the body, then silence. Stays open.
  kRawBytes,     ///< Watch: the bytes in `body` in place of an event; the stream goes on.
  kTrickle,      ///< Every byte of the body is sent alone, `delay` after the one before.
  kGzip,         ///< gzip, though the answer be small; a watch sends each event as a gzip member.
  kNoBookmarks,  ///< Watch: no bookmarks, not even the one that ends initial events.
};

/// One fault: what to do, to which requests and how often. Faults are tried in the order they were
/// injected; the first one of each part (see FaultKind) that matches is used.
struct Fault {
  FaultKind kind = FaultKind::kStatus;
  RequestMatch match = {};
  int times = 1;  ///< Requests concerned; the fault is gone after them. Negative: no limit.
  int skip = 0;   ///< Matching requests that pass unharmed first.
  /// Second part of FaultKind, watches: this many events are sent unharmed first, bookmarks and
  /// initial events included. Lists ignore it; kTrickle, kGzip and kNoBookmarks concern the whole
  /// stream.
  int afterEvents = 0;

  int status = 500;  ///< HTTP status, or the code of the ERROR event.
  /// `details.retryAfterSeconds` and the Retry-After header. Default: neither.
  std::optional<int> retryAfter = std::nullopt;
  std::string reason = {};   ///< Of the Status. Empty: the usual one for `status` (410: "Expired").
  std::string message = {};  ///< Of the Status. Empty: a text that says that this is a fault.
  std::string body = {};     ///< kRawAnswer, kRawBytes.
  std::string contentType = "application/json";  ///< kRawAnswer.
  std::chrono::milliseconds delay{0};            ///< kDelay, kTrickle.
};

}  // namespace k8s::inline v0::testing
