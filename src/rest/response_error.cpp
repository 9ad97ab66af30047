#include "rest/response_error.hpp"

#include <k8s/runtime/status.hpp>

#include <charconv>
#include <string>
#include <utility>

#include "rest/ascii.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

constexpr std::size_t kMaxStatusBytes = std::size_t{1} << 20;
constexpr std::size_t kMaxTextBytes = 2048;
constexpr std::size_t kMaxMessageBytes = 200;

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

Error GenericError(const Request& request, int code, std::string_view content_type,
                   std::string_view body) {
  Error error{.kind = ErrorKind::kStatus,
              .code = code,
              .reason = std::string(ReasonFor(code, request.method)),
              .message = "the server answered " + std::to_string(code),
              .group = request.resource.group,
              .resource = request.resource.resource,
              .name = request.name};
  if (!content_type.empty()) error.message.append(" with ").append(content_type);
  if (body.empty() || !IsText(content_type)) return error;
  error.message += ": " + OneLine(body, kMaxMessageBytes);
  error.causes.push_back(
      {.type = "UnexpectedServerResponse", .message = OneLine(body, kMaxTextBytes), .field = {}});
  return error;
}

}  // namespace

std::string Describe(const Request& request) { return request.method + " " + request.path; }

std::string OneLine(std::string_view text, std::size_t limit) {
  std::string line;
  for (const char c : text.substr(0, limit)) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    if (!control) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

std::optional<std::chrono::seconds> RetryAfter(const HttpResponse& response) {
  const auto text = response.header("Retry-After");
  int seconds = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (seconds < 0) return std::nullopt;
  return std::chrono::seconds(seconds);
}

Error ErrorFromBody(const Request& request, int code, std::string_view content_type,
                    std::string_view body, std::optional<std::chrono::seconds> retry_after) {
  auto status = runtime::ErrorFromStatus(body);
  auto error = status ? std::move(*status) : GenericError(request, code, content_type, body);
  if (error.code == 0) error.code = code;
  if (!error.retryAfter) error.retryAfter = retry_after;
  error.message = Describe(request) + ": " + error.ToString();
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
