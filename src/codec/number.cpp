#include "codec/number.hpp"

#include "codec/scan.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <system_error>

namespace k8s::inline v0::codec::detail {
namespace {

const char* SkipDigits(const char* p, const char* end) {
  while (p != end && IsDigit(*p)) ++p;
  return p;
}

/// Checks one digit or more. Returns the place behind them, or null.
const char* SkipSomeDigits(const char* p, const char* end) {
  const char* after = SkipDigits(p, end);
  return after == p ? nullptr : after;
}

/// Checks sign and whole part, in which 0 stands alone. Returns the place behind it, or null.
const char* SkipWholePart(const char* p, const char* end) {
  if (p != end && *p == '-') ++p;
  if (p != end && *p == '0') return p + 1;
  return SkipSomeDigits(p, end);
}

bool IsExponent(char c) { return (c | 0x20) == 'e'; }

/// Whether the number, which does not fit a double, is near 0 instead of large. Its first digit
/// that is not 0, moved by the exponent, is then far behind the point.
bool IsTiny(const char* p, const char* end) {
  if (*p == '-') ++p;
  std::int64_t magnitude =
      0;  // Of the first digit that is not 0: 1 for the digit before the point.
  bool behind_point = false;
  bool significant = false;
  for (; p != end && !IsExponent(*p); ++p) {
    if (*p == '.') {
      behind_point = true;
      continue;
    }
    significant |= *p != '0';
    if (behind_point && !significant) --magnitude;
    if (!behind_point && significant) ++magnitude;
  }
  if (p == end) return magnitude < 0;
  p += p[1] == '+' ? 2 : 1;
  std::int64_t exponent = 0;
  if (std::from_chars(p, end, exponent).ec != std::errc()) return *p == '-';
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 2;
  if (exponent > kFar) return false;
  return exponent < -kFar || magnitude + exponent < 0;
}

/// Go writes e-7 where the standard library writes e-07.
void AppendScientific(std::string_view text, std::string& out) {
  const std::size_t sign = text.find('e') + 1;
  out += text.substr(0, sign + 1);
  text.remove_prefix(sign + 1);
  if (text.size() == 2 && text.front() == '0') text.remove_prefix(1);
  out += text;
}

}  // namespace

const char* SkipNumber(const char* p, const char* end) {
  p = SkipWholePart(p, end);
  if (p && p != end && *p == '.') p = SkipSomeDigits(p + 1, end);
  if (p && p != end && IsExponent(*p)) {
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    p = SkipSomeDigits(p, end);
  }
  return p;
}

IntegerFault ReadInteger(const char*& p, const char* end, std::int64_t& value) {
  const char* const after = SkipWholePart(p, end);
  if (!after) return IntegerFault::kNotANumber;
  if (after != end && (*after == '.' || IsExponent(*after))) return IntegerFault::kNotAnInteger;
  if (std::from_chars(p, after, value).ec != std::errc()) return IntegerFault::kOutOfRange;
  p = after;
  return IntegerFault::kNone;
}

bool ReadDouble(const char* p, const char* end, double& value) {
  if (std::from_chars(p, end, value).ec == std::errc()) return true;
  if (!IsTiny(p, end)) return false;
  value = *p == '-' ? -0.0 : 0.0;
  return true;
}

void AppendInteger(std::int64_t value, std::string& out) {
  char text[24];
  out.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

void AppendDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  const double size = std::fabs(value);
  const bool scientific = size != 0 && (size < 1e-6 || size >= 1e21);
  char text[64];
  const auto format = scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const char* end = std::to_chars(text, text + sizeof text, value, format).ptr;
  const std::string_view written(text, static_cast<std::size_t>(end - text));
  if (scientific) {
    AppendScientific(written, out);
  } else {
    out += written;
  }
}

}  // namespace k8s::inline v0::codec::detail
