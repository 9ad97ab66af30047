#pragma once

#include <algorithm>
#include <string_view>

namespace k8s::inline v0::cache::detail {

/// Whether a resource version can be compared with others: a decimal number of any length without
/// leading zeros. Mirrors what apimachinery's CompareResourceVersion accepts.
[[nodiscard]] inline bool IsComparable(std::string_view version) {
  return !version.empty() && version.front() != '0' &&
         std::all_of(version.begin(), version.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Whether `a` is an older resource version than `b`; false when they cannot be compared.
[[nodiscard]] inline bool IsOlder(std::string_view a, std::string_view b) {
  if (!IsComparable(a) || !IsComparable(b)) return false;
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace k8s::inline v0::cache::detail
