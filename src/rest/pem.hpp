#pragma once

#include <string_view>

namespace k8s::inline v0::rest::detail {

/// Whether the text has a PEM block whose label ends in `label` and whose content is base64.
[[nodiscard]] bool HasPemBlock(std::string_view text, std::string_view label);

}  // namespace k8s::inline v0::rest::detail
