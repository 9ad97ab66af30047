#include <k8s/fields.hpp>
#include <k8s/runtime/object_type_of.hpp>

#include "codec/decoder.hpp"
#include "codec/encoder.hpp"

#include <chrono>
#include <utility>

namespace k8s::inline v0::runtime {
namespace detail {

/// metav1::Status as far as an Error needs it.
struct StatusText {
  struct Cause {
    std::string reason;
    std::string message;
    std::string field;
  };
  struct Details {
    std::string name;
    std::string group;
    std::string kind;
    std::vector<Cause> causes;
    std::int32_t retryAfterSeconds = 0;
  };
  std::string kind;
  std::string status;
  std::string message;
  std::string reason;
  Details details;
  std::int32_t code = 0;
};

}  // namespace detail
}  // namespace k8s::inline v0::runtime

CLIENT_CPP_FIELDS(k8s::runtime::detail::StatusText::Cause, reason, message, field);
CLIENT_CPP_FIELDS(k8s::runtime::detail::StatusText::Details, name, group, kind, causes,
                  retryAfterSeconds);
CLIENT_CPP_FIELDS(k8s::runtime::detail::StatusText, kind, status, message, reason, details, code);

namespace k8s::inline v0::runtime {
namespace {

Error ToError(detail::StatusText&& status) {
  Error error{.kind = ErrorKind::kStatus,
              .code = status.code,
              .reason = std::move(status.reason),
              .message = std::move(status.message)};
  if (const int seconds = status.details.retryAfterSeconds; seconds > 0) {
    error.retryAfter = std::chrono::seconds(seconds);
  }
  error.group = std::move(status.details.group);
  error.resource = std::move(status.details.kind);
  error.name = std::move(status.details.name);
  for (auto& cause : status.details.causes) {
    error.causes.push_back({.type = std::move(cause.reason),
                            .message = std::move(cause.message),
                            .field = std::move(cause.field)});
  }
  return error;
}

Error WrongKind(const ObjectType& type, std::string_view kind, std::string_view json) {
  if (kind == "Status") {
    Error error = StatusError(json);
    if (error.kind == ErrorKind::kStatus) return error;
  }
  return DecodeError(std::string(kind) + " where " + type.info.kind + " belongs");
}

}  // namespace

Error StatusError(std::string_view json) {
  auto status = codec::Decode<detail::StatusText>(json);
  if (!status) return status.error();
  if (status->kind != "Status") return DecodeError("the answer is no Status");
  if (status->status != "Failure") return DecodeError("a Status that tells of no failure");
  return ToError(std::move(*status));
}

Result<void> DecodeObject(const ObjectType& type, const codec::TypeInfo& info,
                          std::string_view json, void* object) {
  codec::detail::TypeMeta meta;
  auto decoded = codec::detail::Decoder(json).Run(info, object, meta);
  // What is of another kind need not fit the type: its kind is the better explanation.
  if (!meta.kind.empty() && meta.kind != type.info.kind) return WrongKind(type, meta.kind, json);
  return decoded;
}

void EncodeObject(const ObjectType& type, const codec::TypeInfo& info, const void* object,
                  std::string& out) {
  codec::detail::Encoder(out).TopLevel(info, object, type.info);
}

}  // namespace k8s::inline v0::runtime
