#include "rest/response_error.hpp"

#include <k8s/runtime/status.hpp>

#include <curl/curl.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <string>
#include <utility>

#include "rest/ascii.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

constexpr std::size_t kMaxStatusBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxTextBytes = 2048;
constexpr std::size_t kMaxMessageBytes = 200;
constexpr std::int64_t kLongestRetryAfter = 2'147'483'647;  // As in seconds.
constexpr std::string_view kAbsent = "the server could not find the requested resource";

/// Mirrors errors.NewGenericServerResponse.
std::string_view ReasonFor(int code, std::string_view method) {
  switch (code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return method == "POST" ? "AlreadyExists" : "Conflict";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return code >= 500 ? "InternalError" : "";
  }
}

std::optional<std::time_t> ParseHttpDate(std::string_view text) {
  // All forms of an HTTP date begin with the day's name; curl knows others beside them.
  if (text.empty() || ToLower(text.front()) < 'a' || ToLower(text.front()) > 'z')
    return std::nullopt;
  const std::time_t time = curl_getdate(std::string(text).c_str(), nullptr);
  if (time < 0) return std::nullopt;
  return time;
}

bool IsText(std::string_view content_type) {
  return content_type.empty() || content_type.starts_with("text/") ||
         content_type.find("json") != std::string_view::npos ||
         content_type.find("xml") != std::string_view::npos;
}

/// What can be read of a failure's body; a body that breaks off is still better than none.
std::string ReadSome(HttpResponse& response, std::size_t limit, const std::stop_token& stop) {
  std::string body;
  std::string chunk;
  while (body.size() < limit) {
    auto more = response.Read(chunk, stop);
    if (!more || !*more) break;
    body += chunk;
  }
  return body;
}

std::string_view TakeSegment(std::string_view& path) {
  path.remove_prefix(std::min(path.size(), path.starts_with('/') ? std::size_t{1} : 0));
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

/// Which resource a server does not have, and what to look at; nothing for paths of no resource.
std::string AbsentResource(const Request& request) {
  std::string_view path = request.path;
  const auto root = TakeSegment(path);
  if (root != "api" && root != "apis") return {};
  const auto group = root == "apis" ? TakeSegment(path) : std::string_view();
  const auto version = TakeSegment(path);
  std::string_view plural = request.resource.resource;
  if (plural.empty()) {
    plural = TakeSegment(path);
    TakeSegment(path);
    if (const auto inner = TakeSegment(path); plural == "namespaces" && !inner.empty()) {
      plural = inner;
    }
  }
  if (plural.empty()) return {};
  std::string hint = "; it has no \"" + std::string(plural) + "\" in \"" + std::string(group);
  hint += (group.empty() ? "" : "/") + std::string(version) + "\": ";
  // Groups of Kubernetes' own kinds have no dot, or end in ".k8s.io" as some of custom kinds do.
  return hint + (group.find('.') == std::string_view::npos
                     ? "does this version of Kubernetes serve it?"
                     : "is its CustomResourceDefinition installed?");
}

/// What API servers answer for a path that they do not have.
bool IsAbsentPath(int code, std::string_view body) {
  return code == 404 && (body.empty() || body.starts_with("404 page not found"));
}

Error GenericError(const Request& request, int code, std::string_view content_type,
                   std::string_view body) {
  Error error{.kind = ErrorKind::kStatus,
              .code = code,
              .reason = std::string(ReasonFor(code, request.method)),
              .message = "the server answered " + std::to_string(code),
              .group = request.resource.group,
              .resource = request.resource.resource,
              .name = request.name};
  const bool absent = IsAbsentPath(code, body);
  if (absent) {
    error.message = kAbsent;
  } else if (!content_type.empty()) {
    error.message.append(" with ").append(content_type);
  }
  if (body.empty() || !IsText(content_type)) return error;
  if (!absent) error.message += ": " + OneLine(body, kMaxMessageBytes);
  if (body.find("HTTP request to an HTTPS server") != std::string_view::npos) {
    error.message += "; write https:// before the server's address";
  }
  error.causes.push_back(
      {.type = "UnexpectedServerResponse", .message = OneLine(body, kMaxTextBytes), .field = {}});
  return error;
}

}  // namespace

std::string Describe(std::string_view method, std::string_view target) {
  return std::string(method).append(" ").append(target.substr(0, target.find('?')));
}

std::string Describe(const Request& request) { return Describe(request.method, request.path); }

std::optional<std::chrono::seconds> RetryAfter(const HttpResponse& response) {
  const auto text = response.header("Retry-After");
  int seconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  if (whole && seconds >= 0) return std::chrono::seconds(seconds);
  const auto date = ParseHttpDate(text);
  if (!date) return std::nullopt;
  // The server's own clock, where it shows it: that of this machine may be wrong.
  const auto now = ParseHttpDate(response.header("Date")).value_or(std::time(nullptr));
  return std::chrono::seconds(std::clamp<std::int64_t>(*date - now, 0, kLongestRetryAfter));
}

Error ErrorFromBody(const Request& request, int code, std::string_view content_type,
                    std::string_view body, std::optional<std::chrono::seconds> retry_after) {
  auto status = runtime::ErrorFromStatus(body);
  auto error = status ? std::move(*status) : GenericError(request, code, content_type, body);
  if (error.code == 0) error.code = code;
  if (!error.retryAfter) error.retryAfter = retry_after;
  // No such kind, which people take for no such object.
  const bool absent = error.code == 404 && error.message == kAbsent;
  error.message = Describe(request) + ": " + error.ToString();
  if (absent) error.message += AbsentResource(request);
  return error;
}

Error ErrorFromResponse(const Request& request, HttpResponse& response,
                        const std::stop_token& stop) {
  const auto content_type = response.header("Content-Type");
  const auto body = ReadSome(response, kMaxStatusBytes, stop);
  auto error = ErrorFromBody(request, response.status(), content_type, body, RetryAfter(response));
  if (response.status() >= 300 && response.status() < 400) {
    error.message += "; redirects are not followed";
  }
  return error;
}

}  // namespace k8s::inline v0::rest::detail
