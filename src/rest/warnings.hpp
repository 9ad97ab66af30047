#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::rest::detail {

/// The texts of a Warning header's values with code 299, the only one API servers send:
/// `299 - "text", 299 - "other"`. What does not parse is left out. Mirrors net.ParseWarningHeaders.
[[nodiscard]] std::vector<std::string> ParseWarnings(std::string_view header);

}  // namespace k8s::inline v0::rest::detail
