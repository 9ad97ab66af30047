#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s::inline v0::util::detail {

/// A text on one line, for messages: line ends and other control characters become one space. Only
/// its first `limit` bytes count.
[[nodiscard]] std::string OneLine(std::string_view text,
                                  std::size_t limit = std::string_view::npos);

}  // namespace k8s::inline v0::util::detail
