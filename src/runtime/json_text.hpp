#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codec/text.hpp"

/// What scalar classes share to read JSON strings.
namespace k8s::inline v0::runtime::detail {

/// Appends the text of a JSON string to `out`. Returns false if `raw` is not a string.
/// Requires: `raw` is one valid JSON value.
inline bool AppendUnquoted(std::string_view raw, std::string& out) {
  if (raw.size() < 2 || raw.front() != '"') return false;
  const char* fault = nullptr;
  return codec::detail::ReadString(raw.data() + 1, raw.data() + raw.size(), out, fault) != nullptr;
}

/// The text of a JSON string, or nullopt if `raw` is not a string. A view into `raw` where that
/// will do, else into `buffer`. Requires: as above.
inline std::optional<std::string_view> Unquote(std::string_view raw, std::string& buffer) {
  if (raw.size() < 2 || raw.front() != '"') return std::nullopt;
  if (raw.find('\\') == std::string_view::npos) return raw.substr(1, raw.size() - 2);
  buffer.clear();
  if (!AppendUnquoted(raw, buffer)) return std::nullopt;
  return buffer;
}

}  // namespace k8s::inline v0::runtime::detail
