#include <k8s/error.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace k8s::inline v0 {

namespace {

constexpr std::array<std::string_view, 19> kKnownReasons = {"Unauthorized",
                                                            "Forbidden",
                                                            "NotFound",
                                                            "AlreadyExists",
                                                            "Conflict",
                                                            "Gone",
                                                            "Invalid",
                                                            "ServerTimeout",
                                                            "StorageReadError",
                                                            "Timeout",
                                                            "TooManyRequests",
                                                            "BadRequest",
                                                            "MethodNotAllowed",
                                                            "NotAcceptable",
                                                            "RequestEntityTooLarge",
                                                            "UnsupportedMediaType",
                                                            "InternalError",
                                                            "Expired",
                                                            "ServiceUnavailable"};

bool IsKnown(std::string_view reason) {
  return std::find(kKnownReasons.begin(), kKnownReasons.end(), reason) != kKnownReasons.end();
}

bool HasReasonOrCode(const Error& error, std::string_view reason, int code) {
  return error.reason == reason || (error.code == code && !IsKnown(error.reason));
}

/// The manager in `conflict with "kubectl" using v1`: the first text in Go's quotes.
std::string QuotedManager(std::string_view message) {
  std::string manager;
  const auto start = message.find('"');
  if (start == std::string_view::npos) return manager;
  for (std::size_t i = start + 1; i < message.size() && message[i] != '"'; ++i) {
    if (message[i] == '\\' && i + 1 < message.size()) ++i;
    manager += message[i];
  }
  return manager;
}

}  // namespace

std::string Error::ToString() const {
  if (!message.empty()) return message;
  std::string text(k8s::ToString(kind));
  if (!reason.empty()) text += ": " + reason;
  if (code != 0) text += " (" + std::to_string(code) + ")";
  return text;
}

std::string_view ToString(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kStatus:
      return "status";
    case ErrorKind::kConnect:
      return "connect";
    case ErrorKind::kDns:
      return "dns";
    case ErrorKind::kTls:
      return "tls";
    case ErrorKind::kTimeout:
      return "timeout";
    case ErrorKind::kConnectionLost:
      return "connection lost";
    case ErrorKind::kProtocol:
      return "protocol";
    case ErrorKind::kDecode:
      return "decode";
    case ErrorKind::kCancelled:
      return "cancelled";
    case ErrorKind::kInvalidArgument:
      return "invalid argument";
    case ErrorKind::kConfig:
      return "config";
    case ErrorKind::kClosed:
      return "closed";
    case ErrorKind::kInternal:
      return "internal";
  }
  return "unknown";
}

bool IsNotFound(const Error& error) { return HasReasonOrCode(error, "NotFound", 404); }
bool IsAlreadyExists(const Error& error) { return error.reason == "AlreadyExists"; }
bool IsConflict(const Error& error) { return HasReasonOrCode(error, "Conflict", 409); }
bool IsInvalid(const Error& error) { return HasReasonOrCode(error, "Invalid", 422); }
bool IsGone(const Error& error) { return HasReasonOrCode(error, "Gone", 410); }
bool IsExpired(const Error& error) { return error.reason == "Expired"; }
bool IsResourceExpired(const Error& error) { return IsExpired(error); }
bool IsNotAcceptable(const Error& error) { return HasReasonOrCode(error, "NotAcceptable", 406); }
bool IsUnsupportedMediaType(const Error& error) {
  return HasReasonOrCode(error, "UnsupportedMediaType", 415);
}
bool IsMethodNotSupported(const Error& error) {
  return HasReasonOrCode(error, "MethodNotAllowed", 405);
}
bool IsServiceUnavailable(const Error& error) {
  return HasReasonOrCode(error, "ServiceUnavailable", 503);
}
bool IsBadRequest(const Error& error) { return HasReasonOrCode(error, "BadRequest", 400); }
bool IsUnauthorized(const Error& error) { return HasReasonOrCode(error, "Unauthorized", 401); }
bool IsForbidden(const Error& error) { return HasReasonOrCode(error, "Forbidden", 403); }
bool IsTimeout(const Error& error) { return HasReasonOrCode(error, "Timeout", 504); }
bool IsServerTimeout(const Error& error) { return error.reason == "ServerTimeout"; }
bool IsInternalError(const Error& error) { return HasReasonOrCode(error, "InternalError", 500); }
bool IsTooManyRequests(const Error& error) {
  return error.reason == "TooManyRequests" || error.code == 429;
}
bool IsRequestEntityTooLarge(const Error& error) {
  return error.reason == "RequestEntityTooLarge" || error.code == 413;
}
bool IsStorageReadError(const Error& error) { return error.reason == "StorageReadError"; }

bool HasStatusCause(const Error& error, std::string_view type) {
  return std::any_of(error.causes.begin(), error.causes.end(),
                     [type](const StatusCause& cause) { return cause.type == type; });
}

bool IsTooLargeResourceVersion(const Error& error) {
  if (HasStatusCause(error, "ResourceVersionTooLarge")) return true;
  // Servers up to 1.18.5 send no such cause: 1.17 names it in a cause's message, older ones in the
  // Status's message.
  constexpr std::string_view kText = "Too large resource version";
  if (!IsTimeout(error)) return false;
  return error.message.find(kText) != std::string::npos ||
         std::any_of(error.causes.begin(), error.causes.end(),
                     [&](const StatusCause& cause) { return cause.message == kText; });
}

std::optional<std::chrono::seconds> SuggestsClientDelay(const Error& error) {
  const auto delay = error.retryAfter.value_or(std::chrono::seconds(0));
  if (IsServerTimeout(error) || delay.count() > 0) return delay;
  return std::nullopt;
}

std::vector<FieldManagerConflict> FieldManagerConflicts(const Error& error) {
  std::vector<FieldManagerConflict> conflicts;
  for (const auto& cause : error.causes) {
    if (cause.type != "FieldManagerConflict") continue;
    conflicts.push_back(
        {.manager = QuotedManager(cause.message), .field = cause.field, .message = cause.message});
  }
  return conflicts;
}

Error InvalidArgument(std::string message) {
  return Error{.kind = ErrorKind::kInvalidArgument, .message = std::move(message)};
}

Error DecodeError(std::string message) {
  return Error{.kind = ErrorKind::kDecode, .message = std::move(message)};
}

Error Cancelled(std::string_view what) {
  return Error{.kind = ErrorKind::kCancelled, .message = std::string(what) + ": cancelled"};
}

Error NewNotFound(std::string_view group, std::string_view resource, std::string_view name) {
  std::string message(resource);
  if (!group.empty()) message.append(".").append(group);
  message.append(" \"").append(name).append("\" not found");
  return Error{.kind = ErrorKind::kStatus,
               .code = 404,
               .reason = "NotFound",
               .message = std::move(message),
               .group = std::string(group),
               .resource = std::string(resource),
               .name = std::string(name)};
}

}  // namespace k8s::inline v0
