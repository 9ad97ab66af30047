#pragma once

#include <string>
#include <string_view>

/// Text as JSON has it, and UTF-8.
namespace k8s::inline v0::codec::detail {

/// Appends the text, each byte that is not part of well-formed UTF-8 replaced by U+FFFD. As in Go,
/// it is one U+FFFD per byte.
void AppendRepaired(std::string_view text, std::string& out);

/// Appends the text between the quotes of a JSON string, unescaped and repaired. `p` is behind the
/// opening quote. Returns the place behind the closing one, or null with `fault` at the bad byte.
/// A half of a surrogate pair becomes U+FFFD.
const char* ReadString(const char* p, const char* end, std::string& out, const char*& fault);

/// Checks a string without reading it; otherwise as ReadString.
const char* SkipEscapedString(const char* p, const char* end, const char*& fault);

/// The value without white space between its tokens, repaired. Requires: `json` is one valid value.
std::string Compact(std::string_view json);

/// Appends the text as a JSON string with its quotes. The result is well-formed UTF-8.
void AppendQuoted(std::string_view text, std::string& out);

}  // namespace k8s::inline v0::codec::detail
