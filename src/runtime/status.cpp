#include <k8s/apis/meta/v1.hpp>
#include <k8s/codec/codec.hpp>
#include <k8s/runtime/status.hpp>

#include "util/one_line.hpp"

#include <chrono>
#include <utility>

namespace k8s::inline v0::runtime {

Error ErrorFromStatus(const metav1::Status& status) {
  Error error{.kind = ErrorKind::kStatus,
              .code = status.code,
              .reason = status.reason,
              // Admission webhooks and validation send several lines.
              .message = util::detail::OneLine(status.message)};
  if (!status.details) return error;
  const auto& details = *status.details;
  error.group = details.group;
  error.resource = details.kind;
  error.name = details.name;
  if (details.retryAfterSeconds > 0) {
    error.retryAfter = std::chrono::seconds(details.retryAfterSeconds);
  }
  for (const auto& cause : details.causes) {
    error.causes.push_back({.type = cause.reason, .message = cause.message, .field = cause.field});
  }
  return error;
}

std::optional<Error> ErrorFromStatus(std::string_view json) {
  auto status = codec::Decode<metav1::Status>(json);
  if (!status || status->status != metav1::kStatusFailure) return std::nullopt;
  if (!status->kind.empty() && status->kind != "Status") return std::nullopt;
  return ErrorFromStatus(*status);
}

}  // namespace k8s::inline v0::runtime
