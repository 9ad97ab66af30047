#pragma once

#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// The present time as metav1.Time writes it, "2026-12-02T01:40:12Z".
[[nodiscard]] std::string NowText();
/// The present time as HTTP's Date header has it.
[[nodiscard]] std::string HttpDate();
/// How long ago that was, as kubectl shows ages: "107s", "5m", "3h", "12d"; "<unknown>" for "".
[[nodiscard]] std::string HumanAge(std::string_view timestamp);
/// A random UUID.
[[nodiscard]] std::string NewUid();
/// `count` characters as generateName appends them.
[[nodiscard]] std::string RandomSuffix(int count);

}  // namespace k8s::inline v0::testing
