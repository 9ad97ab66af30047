#pragma once

#include <k8s/error.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/transport.hpp>

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "util/one_line.hpp"

namespace k8s::inline v0::rest::detail {

using util::detail::OneLine;

/// How long a Retry-After header asks to wait: whole seconds, or the time from the answer's Date
/// (this machine's without one) to an HTTP date, 0 when it is past. Nothing for anything else.
/// Differs from client-go, which does not read dates: proxies and load balancers send them.
[[nodiscard]] std::optional<std::chrono::seconds> RetryAfter(const HttpResponse& response);

/// The error that an answer with a failure code stands for: its Status, or one made of the code and
/// up to 2 KiB of a text body. Reads the body. Mirrors rest.Request.transformResponse.
[[nodiscard]] Error ErrorFromResponse(const Request& request, HttpResponse& response,
                                      const std::stop_token& stop);

/// The same without HTTP, for a body that is there. `retry_after`: of the header.
[[nodiscard]] Error ErrorFromBody(const Request& request, int code, std::string_view content_type,
                                  std::string_view body,
                                  std::optional<std::chrono::seconds> retry_after);

/// "GET /api/v1/pods", for messages. Without the query, which may be long, and without the server,
/// which the failures to reach it name.
[[nodiscard]] std::string Describe(std::string_view method, std::string_view target);
[[nodiscard]] std::string Describe(const Request& request);

}  // namespace k8s::inline v0::rest::detail
