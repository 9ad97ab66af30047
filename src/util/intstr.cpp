#include <k8s/util/intstr.hpp>

#include <charconv>
#include <system_error>

#include "codec/text.hpp"
#include "runtime/json_text.hpp"

namespace k8s::inline v0::intstr {

namespace {

// The whole of `text` as a number of 32 bits in Go's spelling, where a plus sign is allowed.
bool ToInt32(std::string_view text, std::int32_t& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

std::string IntOrString::ToString() const { return is_string_ ? text_ : std::to_string(number_); }

std::int32_t IntOrString::IntValue() const {
  if (!is_string_) return number_;
  std::int32_t value = 0;
  return ToInt32(text_, value) ? value : 0;
}

const char* IntOrString::UnmarshalJSON(std::string_view raw) {
  *this = IntOrString();
  if (raw == "null") return nullptr;
  if (runtime::detail::AppendUnquoted(raw, text_)) {
    is_string_ = true;
    return nullptr;
  }
  return ToInt32(raw, number_) ? nullptr : "neither a 32-bit number nor a string";
}

void IntOrString::MarshalJSON(std::string& out) const {
  if (is_string_) {
    codec::detail::AppendQuoted(text_, out);
  } else {
    out += std::to_string(number_);
  }
}

IntOrString Parse(std::string_view text) {
  std::int32_t value = 0;
  if (ToInt32(text, value)) return value;
  return std::string(text);
}

Result<int> GetScaledValueFromIntOrPercent(const IntOrString& value, int total, Rounding rounding) {
  if (!value.IsString()) return value.number();
  std::int32_t percent = 0;
  std::string_view text = value.text();
  if (!text.ends_with('%') || !ToInt32(text.substr(0, text.size() - 1), percent)) {
    return InvalidArgument("\"" + value.text() + "\" is neither a number nor a percentage");
  }
  const std::int64_t scaled = std::int64_t{percent} * total;
  const bool exact = scaled % 100 == 0;
  // Division cuts towards zero, so only one of the two directions needs a step.
  std::int64_t result = scaled / 100;
  if (!exact && rounding == Rounding::kUp && scaled > 0) ++result;
  if (!exact && rounding == Rounding::kDown && scaled < 0) --result;
  return static_cast<int>(result);
}

}  // namespace k8s::inline v0::intstr
