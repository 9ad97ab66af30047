#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// Undoes percent-encoding; `plus`: "+" stands for a blank, as in queries.
[[nodiscard]] std::string PercentDecode(std::string_view text, bool plus);

/// The decoded value of the first parameter of that name in a raw query.
[[nodiscard]] std::optional<std::string> QueryParam(std::string_view query, std::string_view key);

}  // namespace k8s::inline v0::testing
