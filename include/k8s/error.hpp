#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0 {

/// What went wrong, by cause. An API server that answers with a failure Status is `kStatus`; every
/// other kind is a failure of the exchange itself or of an argument.
enum class ErrorKind {
  kStatus,           ///< The server answered with a Status "Failure" or an HTTP error code.
  kConnect,          ///< Connection refused or unreachable: no request was sent.
  kDns,              ///< The host name did not resolve.
  kTls,              ///< Handshake or certificate verification failed.
  kTimeout,          ///< A deadline passed, or a peer was silent for too long.
  kConnectionLost,   ///< It ended before the whole answer was there (reset, EOF, GOAWAY).
  kProtocol,         ///< The peer does not speak HTTP as expected.
  kDecode,           ///< The bytes are not the JSON, or not the object, that was expected.
  kCancelled,        ///< The caller's stop_token was triggered.
  kInvalidArgument,  ///< The call itself is wrong (an empty name, a bad selector): not sent.
  kConfig,           ///< The client configuration is incomplete, contradictory or unreadable.
  kClosed,           ///< The object the call was made on has been stopped or shut down.
  kInternal,         ///< A fault of this library or of a user's callback.
};

/// One entry of a Status's details.causes.
struct StatusCause {
  std::string type;     ///< For example "FieldValueInvalid" or "ResourceVersionTooLarge".
  std::string message;  ///< For people.
  std::string field;    ///< Path of the field concerned, when there is one.
};

/// An error as a value. Mirrors client-go's `errors.StatusError` for answers of the API server, and
/// Go's wrapped errors for all else. Never holds a secret.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
struct Error {
  ErrorKind kind = ErrorKind::kInternal;
  int code = 0;             ///< HTTP status code; 0 when there was no answer.
  std::string reason = {};  ///< metav1 StatusReason, "NotFound" for example; empty when unknown.
  /// One line for people, naming verb, path and cause where they are known.
  std::string message = {};
  std::optional<std::chrono::seconds> retryAfter = std::nullopt;  ///< The server's wish, if any.
  std::string group = {};                                         ///< details.group
  std::string resource = {};  ///< details.kind: the resource or kind concerned.
  std::string name = {};      ///< details.name
  std::vector<StatusCause> causes = {};

  /// The message, or a text made of kind, reason and code when there is none.
  [[nodiscard]] std::string ToString() const;
};

/// `Error::reason` of a kTimeout after which the same read may go on: nothing was heard for the
/// idle time allowed, and nothing else has happened to the stream.
inline constexpr std::string_view kReasonSilence = "Silence";

/// A short name of the kind, "connect" for example.
[[nodiscard]] std::string_view ToString(ErrorKind kind);

// Predicates of k8s.io/apimachinery/pkg/api/errors: true when the reason is equal, or when the
// reason is not one of the known ones and the code is equal. The ones marked "reason only" do not
// look at the code.
[[nodiscard]] bool IsNotFound(const Error& error);              ///< 404
[[nodiscard]] bool IsAlreadyExists(const Error& error);         ///< reason only
[[nodiscard]] bool IsConflict(const Error& error);              ///< 409
[[nodiscard]] bool IsInvalid(const Error& error);               ///< 422
[[nodiscard]] bool IsGone(const Error& error);                  ///< 410
[[nodiscard]] bool IsExpired(const Error& error);               ///< reason only ("ResourceExpired")
[[nodiscard]] bool IsResourceExpired(const Error& error);       ///< reason only; client-go's name
[[nodiscard]] bool IsNotAcceptable(const Error& error);         ///< 406
[[nodiscard]] bool IsUnsupportedMediaType(const Error& error);  ///< 415
[[nodiscard]] bool IsMethodNotSupported(const Error& error);    ///< 405
[[nodiscard]] bool IsServiceUnavailable(const Error& error);    ///< 503
[[nodiscard]] bool IsBadRequest(const Error& error);            ///< 400
[[nodiscard]] bool IsUnauthorized(const Error& error);          ///< 401
[[nodiscard]] bool IsForbidden(const Error& error);             ///< 403
[[nodiscard]] bool IsTimeout(const Error& error);               ///< 504
[[nodiscard]] bool IsServerTimeout(const Error& error);         ///< reason only
[[nodiscard]] bool IsInternalError(const Error& error);         ///< 500
[[nodiscard]] bool IsTooManyRequests(const Error& error);       ///< reason, or code 429 alone
[[nodiscard]] bool IsRequestEntityTooLarge(const Error& error);  ///< reason, or code 413 alone
[[nodiscard]] bool IsStorageReadError(const Error& error);       ///< reason only
[[nodiscard]] bool HasStatusCause(const Error& error, std::string_view type);
/// The requested resourceVersion is newer than what the server has, in every dialect servers use.
[[nodiscard]] bool IsTooLargeResourceVersion(const Error& error);
/// Whether the server asked to come back later, and after how long. Mirrors SuggestsClientDelay.
[[nodiscard]] std::optional<std::chrono::seconds> SuggestsClientDelay(const Error& error);

/// A field that a server-side apply would have to take from another manager.
struct FieldManagerConflict {
  std::string manager;  ///< Who owns the field, "kubectl".
  std::string field;    ///< Its path, ".spec.replicas".
  std::string message;  ///< For people, with what else is known of the manager.
};
/// The conflicts for which an apply was refused, in the server's order; empty for any other error.
/// Apply again with `force` to take the fields.
[[nodiscard]] std::vector<FieldManagerConflict> FieldManagerConflicts(const Error& error);

// Ready-made errors.
[[nodiscard]] Error InvalidArgument(std::string message);
[[nodiscard]] Error DecodeError(std::string message);
[[nodiscard]] Error Cancelled(std::string_view what);
/// What a lister returns for an absent key. Mirrors errors.NewNotFound.
[[nodiscard]] Error NewNotFound(std::string_view group, std::string_view resource,
                                std::string_view name);

}  // namespace k8s::inline v0
