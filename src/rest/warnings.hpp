#pragma once

#include <k8s/rest/transport.hpp>
#include <k8s/rest/warnings.hpp>

#include <string_view>
#include <vector>

namespace k8s::inline v0::rest::detail {

/// The values of one Warning header: `299 - "text" "date", 299 - "other"`. The first one that does
/// not parse ends them. Mirrors net.ParseWarningHeaders; does not decode RFC 2047 words, which RFC
/// 7234 has taken out and no API server sends.
[[nodiscard]] std::vector<Warning> ParseWarnings(std::string_view header);

/// Hands the warnings of an answer to `handler`, or to the default one.
void HandleWarnings(const HttpResponse& response, const WarningHandler& handler);

}  // namespace k8s::inline v0::rest::detail
