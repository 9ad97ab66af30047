#pragma once

#include <string>

#include "rest/curl_handles.hpp"

namespace k8s::inline v0::rest::detail {

/// A URL in its parts, of any scheme; null when it cannot be read. `why`: gets libcurl's words
/// then.
[[nodiscard]] UrlHandle ParseUrl(const std::string& text, std::string* why = nullptr);

/// One part, percent-escapes as they are; "" when it is absent. `flags`: CURLU_DEFAULT_PORT.
[[nodiscard]] std::string PartOf(CURLU* url, CURLUPart part, unsigned flags = 0);

}  // namespace k8s::inline v0::rest::detail
