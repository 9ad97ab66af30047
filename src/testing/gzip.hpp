#pragma once

#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// One complete gzip member.
[[nodiscard]] std::string Gzip(std::string_view text);

}  // namespace k8s::inline v0::testing
