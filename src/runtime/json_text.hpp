#pragma once

#include <string>
#include <string_view>

namespace k8s::inline v0::runtime::detail {

/// Replaces `out` with the text of a JSON string. Returns false if `raw` is not a string.
/// Requires: `raw` is one valid JSON value. A lone surrogate becomes U+FFFD, as in Go.
bool Unquote(std::string_view raw, std::string& out);

/// Appends `text` as a JSON string. Requires: `text` is UTF-8.
void AppendQuoted(std::string_view text, std::string& out);

}  // namespace k8s::inline v0::runtime::detail
