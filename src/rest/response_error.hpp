#pragma once

#include <k8s/error.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/transport.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// Whole seconds of a Retry-After header. A date, which API servers do not send, counts as none.
[[nodiscard]] std::optional<std::chrono::seconds> RetryAfter(const HttpResponse& response);

/// The error that an answer with a failure code stands for: its Status, or one made of the code and
/// up to 2 KiB of a text body. Reads the body. Mirrors rest.Request.transformResponse.
[[nodiscard]] Error ErrorFromResponse(const Request& request, HttpResponse& response,
                                      const std::stop_token& stop);

/// The same without HTTP, for a body that is there. `retry_after`: of the header.
[[nodiscard]] Error ErrorFromBody(const Request& request, int code, std::string_view content_type,
                                  std::string_view body,
                                  std::optional<std::chrono::seconds> retry_after);

/// The first bytes of a text on one line, for messages.
[[nodiscard]] std::string OneLine(std::string_view text, std::size_t limit);

/// "GET /api/v1/pods", for messages.
[[nodiscard]] std::string Describe(const Request& request);

}  // namespace k8s::inline v0::rest::detail
