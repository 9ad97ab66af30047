#pragma once

#include <k8s/result.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace k8s::inline v0::runtime::detail {

/// Deepest nesting of a value that is held as nlohmann::json: its copies and comparisons recurse.
inline constexpr int kMaxJsonDepth = 1000;

/// Reads one JSON value. Integers within 64 bits are kept exactly, all other numbers are doubles;
/// of equal keys the last one counts; each ill-formed byte and each lone surrogate becomes U+FFFD.
/// Errors: kDecode with the place of the fault, never with the text around it.
[[nodiscard]] Result<nlohmann::json> ReadJson(std::string_view text);

/// Appends the value as Go writes it: whole doubles without a point.
void WriteJson(const nlohmann::json& value, std::string& out);

/// The text with each ill-formed UTF-8 byte and each escaped lone surrogate replaced by U+FFFD.
/// Looks at nothing else: what is no JSON stays so.
[[nodiscard]] std::string ReplaceIllFormed(std::string_view text);

}  // namespace k8s::inline v0::runtime::detail
