#pragma once

#include <compare>
#include <optional>
#include <string_view>

namespace k8s::inline v0::cache {

/// Orders two resource versions of one resource. No value when either is not what API servers give
/// out: decimal digits without a leading zero. Mirrors resourceversion.CompareResourceVersion.
[[nodiscard]] std::optional<std::strong_ordering> CompareResourceVersion(std::string_view a,
                                                                         std::string_view b);

}  // namespace k8s::inline v0::cache
