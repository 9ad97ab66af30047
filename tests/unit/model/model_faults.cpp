#include "model_faults.hpp"

#include <chrono>
#include <utility>

namespace k8s::test {

Error Refusal(int code, std::string reason, int retry_after) {
  Error error{
      .kind = ErrorKind::kStatus, .code = code, .reason = reason, .message = std::move(reason)};
  if (retry_after > 0) error.retryAfter = std::chrono::seconds(retry_after);
  return error;
}

Error ExpiredVersion() { return Refusal(410, "Expired"); }

Error TooLargeVersion(unsigned dialect) {
  Error error = Refusal(504, "Timeout");
  switch (dialect % 3) {
    case 0:
      error.causes.push_back({.type = "ResourceVersionTooLarge", .message = "", .field = ""});
      break;
    case 1:
      error.causes.push_back({.type = "", .message = "Too large resource version", .field = ""});
      break;
    default:
      error.message = "Too large resource version: 7, current: 6";
  }
  return error;
}

Error Broken(ErrorKind kind) { return {.kind = kind, .message = "broken"}; }

const std::vector<Error>& RequestFailures() {
  static const std::vector<Error> failures{Broken(ErrorKind::kConnect),
                                           Broken(ErrorKind::kDns),
                                           Broken(ErrorKind::kTls),
                                           Broken(ErrorKind::kTimeout),
                                           Broken(ErrorKind::kConnectionLost),
                                           Broken(ErrorKind::kProtocol),
                                           Broken(ErrorKind::kDecode),
                                           Broken(ErrorKind::kConfig),
                                           Broken(ErrorKind::kInternal),
                                           Refusal(400, "BadRequest"),
                                           Refusal(401, "Unauthorized"),
                                           Refusal(403, "Forbidden"),
                                           Refusal(404, "NotFound"),
                                           Refusal(406, "NotAcceptable"),
                                           Refusal(409, "Conflict"),
                                           ExpiredVersion(),
                                           Refusal(410, "Gone"),
                                           Refusal(422, "Invalid"),
                                           Refusal(429, "TooManyRequests"),
                                           Refusal(429, "TooManyRequests", 5),
                                           Refusal(429, "TooManyRequests", 1000),
                                           Refusal(500, "InternalError"),
                                           Refusal(500, "InternalError", 7),
                                           Refusal(502, ""),
                                           Refusal(503, "ServiceUnavailable"),
                                           Refusal(503, "ServiceUnavailable", 3),
                                           Refusal(504, "Timeout"),
                                           TooLargeVersion(0),
                                           TooLargeVersion(1),
                                           TooLargeVersion(2)};
  return failures;
}

const std::vector<Error>& StreamFailures() {
  static const std::vector<Error> failures{Broken(ErrorKind::kConnectionLost),
                                           Broken(ErrorKind::kConnectionLost),
                                           Broken(ErrorKind::kTimeout),
                                           Broken(ErrorKind::kConnect),
                                           Broken(ErrorKind::kProtocol),
                                           Broken(ErrorKind::kDecode),
                                           Broken(ErrorKind::kTls),
                                           Broken(ErrorKind::kInternal)};
  return failures;
}

const std::vector<Error>& ErrorEvents() {
  static const std::vector<Error> events{ExpiredVersion(),
                                         Refusal(410, "Gone"),
                                         Refusal(429, "TooManyRequests"),
                                         Refusal(429, "TooManyRequests", 9),
                                         Refusal(500, "InternalError"),
                                         Refusal(500, "StorageReadError"),
                                         Refusal(503, "ServiceUnavailable"),
                                         Refusal(504, "Timeout"),
                                         TooLargeVersion(0)};
  return events;
}

}  // namespace k8s::test
