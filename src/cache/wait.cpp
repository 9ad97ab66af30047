#include <k8s/cache/wait.hpp>

#include <k8s/cache/listwatch.hpp>

namespace k8s::inline v0::cache {

namespace {

SyncReason ReasonOfStatusCode(const Error& error) {
  if (IsForbidden(error)) return SyncReason::kForbidden;
  if (IsUnauthorized(error)) return SyncReason::kUnauthorized;
  if (IsNotFound(error)) return SyncReason::kResourceAbsent;
  if (IsBadRequest(error) || IsInvalid(error)) return SyncReason::kBadRequest;
  return SyncReason::kServerError;
}

SyncReason ReasonOfError(const Error& error) {
  if (error.reason == kReasonObjectDecode) return SyncReason::kStillListing;
  switch (error.kind) {
    case ErrorKind::kStatus:
      return ReasonOfStatusCode(error);
    case ErrorKind::kTls:
      return SyncReason::kTls;
    case ErrorKind::kInvalidArgument:
      return SyncReason::kBadRequest;
    case ErrorKind::kConfig:
      return SyncReason::kConfig;
    case ErrorKind::kInternal:
      return SyncReason::kInternal;
    case ErrorKind::kConnect:
    case ErrorKind::kDns:
    case ErrorKind::kTimeout:
    case ErrorKind::kConnectionLost:
      return SyncReason::kUnreachable;
    default:
      return SyncReason::kServerError;
  }
}

}  // namespace

std::string_view ToString(SyncReason reason) {
  switch (reason) {
    case SyncReason::kNotStarted:
      return "not started";
    case SyncReason::kStopped:
      return "stopped";
    case SyncReason::kForbidden:
      return "forbidden";
    case SyncReason::kUnauthorized:
      return "unauthorized";
    case SyncReason::kResourceAbsent:
      return "resource absent";
    case SyncReason::kTls:
      return "TLS";
    case SyncReason::kUnreachable:
      return "unreachable";
    case SyncReason::kBadRequest:
      return "bad request";
    case SyncReason::kConfig:
      return "configuration";
    case SyncReason::kServerError:
      return "server error";
    case SyncReason::kInternal:
      return "internal";
    case SyncReason::kNoAnswer:
      return "no answer yet";
    case SyncReason::kStillListing:
      return "still listing";
  }
  return "unknown";
}

SyncReason ReasonOf(const InformerStatus& status) {
  // A stop, which often ends the wait as well, does not hide why there was nothing to wait for.
  if (status.lastError) return ReasonOfError(*status.lastError);
  if (status.unansweredSince && status.itemCount == 0) return SyncReason::kNoAnswer;
  if (status.state == ReflectorState::kStopped) return SyncReason::kStopped;
  return status.state == ReflectorState::kNotStarted ? SyncReason::kNotStarted
                                                     : SyncReason::kStillListing;
}

std::string UnsyncedInformer::ToString() const {
  std::string text = status.resource + ": ";
  const bool failing = status.lastError && reason != SyncReason::kNotStarted;
  if (failing) text += status.lastErrorVerb + ": ";
  text += cache::ToString(reason);
  if (reason == SyncReason::kNotStarted) {
    text += ": Start was not called after it was asked for, or not before Shutdown";
  }
  if (reason == SyncReason::kStillListing) {
    text += ": " + std::to_string(status.itemCount) + " objects so far";
  }
  if (failing) text += ": " + status.lastError->ToString();
  if (reason == SyncReason::kNoAnswer && !status.waitsFor.empty()) {
    text += ": waits for " + status.waitsFor;
  }
  return text;
}

std::string SyncFailure::ToString() const {
  std::string text = cancelled ? "cancelled; not synced: " : "not synced: ";
  for (std::size_t i = 0; i < informers.size(); ++i) {
    if (i > 0) text += "; ";
    text += informers[i].ToString();
  }
  return text;
}

Error SyncFailure::ToError() const {
  return {.kind = cancelled ? ErrorKind::kCancelled : ErrorKind::kTimeout, .message = ToString()};
}

}  // namespace k8s::inline v0::cache
