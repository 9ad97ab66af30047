#include "status.hpp"

#include "json.hpp"

#include <map>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

Json Details(const Error& error) {
  Json details = Json::object();
  if (!error.name.empty()) details["name"] = error.name;
  if (!error.group.empty()) details["group"] = error.group;
  if (!error.resource.empty()) details["kind"] = error.resource;
  for (const StatusCause& cause : error.causes) {
    Json entry = {{"reason", cause.type}, {"message", cause.message}};
    if (!cause.field.empty()) entry["field"] = cause.field;
    details["causes"].push_back(std::move(entry));
  }
  if (error.retryAfter) details["retryAfterSeconds"] = error.retryAfter->count();
  return details;
}

/// Some failures have no details at all, others an empty object.
bool HasDetails(const Error& error, const Json& details) {
  return !details.empty() || error.code == 405 || error.code == 406 || error.code == 415 ||
         (error.code == 404 && error.name.empty());
}

std::string UsualReason(int code) {
  static const std::map<int, std::string> reasons = {{400, "BadRequest"},
                                                     {401, "Unauthorized"},
                                                     {403, "Forbidden"},
                                                     {404, "NotFound"},
                                                     {405, "MethodNotAllowed"},
                                                     {406, "NotAcceptable"},
                                                     {409, "Conflict"},
                                                     {410, "Expired"},
                                                     {413, "RequestEntityTooLarge"},
                                                     {415, "UnsupportedMediaType"},
                                                     {422, "Invalid"},
                                                     {429, "TooManyRequests"},
                                                     {500, "InternalError"},
                                                     {503, "ServiceUnavailable"},
                                                     {504, "Timeout"}};
  const auto found = reasons.find(code);
  return found == reasons.end() ? std::string() : found->second;
}

Error About(const ServedResource& resource, std::string_view name, Error error) {
  error.group = resource.info.group;
  error.resource = resource.info.plural;
  error.name = name;
  return error;
}

std::string Named(const ServedResource& resource, std::string_view name) {
  return resource.QualifiedName() + " \"" + std::string(name) + "\"";
}

}  // namespace

std::string StatusBody(const Error& error, std::string_view continue_token) {
  Json status = {{"kind", "Status"},
                 {"apiVersion", "v1"},
                 {"metadata", Json::object()},
                 {"status", "Failure"}};
  if (!continue_token.empty()) status["metadata"]["continue"] = std::string(continue_token);
  if (!error.message.empty()) status["message"] = error.message;
  if (!error.reason.empty()) status["reason"] = error.reason;
  if (Json details = Details(error); HasDetails(error, details)) {
    status["details"] = std::move(details);
  }
  status["code"] = error.code;
  return Dump(status) + "\n";
}

std::string DeletedBody(const ServedResource& resource, std::string_view name,
                        std::string_view uid) {
  Json details = {{"name", std::string(name)}};
  if (!resource.info.group.empty()) details["group"] = resource.info.group;
  details["kind"] = resource.info.plural;
  details["uid"] = std::string(uid);
  return Dump(Json{{"kind", "Status"},
                   {"apiVersion", "v1"},
                   {"metadata", Json::object()},
                   {"status", "Success"},
                   {"details", std::move(details)}}) +
         "\n";
}

Error FaultError(const Fault& fault) {
  Error error = MakeError(fault.status, fault.reason, fault.message);
  if (error.reason.empty()) error.reason = UsualReason(fault.status);
  if (error.message.empty()) error.message = "injected fault";
  if (fault.retryAfter) error.retryAfter = std::chrono::seconds(*fault.retryAfter);
  return error;
}

Error MakeError(int code, std::string reason, std::string message) {
  return {.kind = ErrorKind::kStatus,
          .code = code,
          .reason = std::move(reason),
          .message = std::move(message)};
}

Error BadRequest(std::string message) { return MakeError(400, "BadRequest", std::move(message)); }

Error Unauthorized() { return MakeError(401, "Unauthorized", "Unauthorized"); }

Error NoSuchObject(const ServedResource& resource, std::string_view name) {
  return About(resource, name, MakeError(404, "NotFound", Named(resource, name) + " not found"));
}

Error NoSuchResource() {
  return MakeError(404, "NotFound", "the server could not find the requested resource");
}

Error NoSuchMethod() {
  return MakeError(405, "MethodNotAllowed",
                   "the server does not allow this method on the requested resource");
}

Error AlreadyExists(const ServedResource& resource, std::string_view name) {
  return About(resource, name,
               MakeError(409, "AlreadyExists", Named(resource, name) + " already exists"));
}

Error Conflict(const ServedResource& resource, std::string_view name, std::string_view why) {
  return About(resource, name,
               MakeError(409, "Conflict",
                         "Operation cannot be fulfilled on " + Named(resource, name) + ": " +
                             std::string(why)));
}

Error UnsupportedMediaType(std::string message) {
  if (message.empty()) message = "415: Unsupported Media Type";
  return MakeError(415, "UnsupportedMediaType", std::move(message));
}

Error InvalidField(std::string_view group, std::string_view kind, std::string_view name,
                   StatusCause cause) {
  const std::string qualified =
      group.empty() ? std::string(kind) : std::string(kind) + "." + std::string(group);
  Error error = MakeError(422, "Invalid",
                          qualified + " \"" + std::string(name) + "\" is invalid: " + cause.field +
                              ": " + cause.message);
  error.group = group;
  error.resource = kind;
  error.name = name;
  error.causes.push_back(std::move(cause));
  return error;
}

Error TooLargeVersion(std::uint64_t asked, std::uint64_t current) {
  Error error = MakeError(504, "Timeout",
                          "Timeout: Too large resource version: " + std::to_string(asked) +
                              ", current: " + std::to_string(current));
  error.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  error.retryAfter = std::chrono::seconds(1);
  return error;
}

Error TooOldVersion(std::uint64_t asked, std::uint64_t oldest) {
  return MakeError(
      410, "Expired",
      "too old resource version: " + std::to_string(asked) + " (" + std::to_string(oldest) + ")");
}

Error ExpiredContinue() {
  return MakeError(
      410, "Expired",
      "The provided continue parameter is too old to display a consistent list result. You can "
      "start a new list without the continue parameter, or use the continue token in this response "
      "to retrieve the remainder of the results. Continuing with the provided token results in an "
      "inconsistent list - objects that were created, modified, or deleted between the time the "
      "first chunk was returned and now may show up in the list.");
}

Error ExpiredList() {
  return MakeError(410, "Expired", "The resourceVersion for the provided list is too old.");
}

}  // namespace k8s::inline v0::testing
