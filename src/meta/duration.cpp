#include <k8s/apis/meta/time.hpp>

#include <array>
#include <limits>
#include <optional>

#include "codec/text.hpp"
#include "runtime/json_text.hpp"

namespace k8s::inline v0::metav1 {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
// The magnitude of the most negative duration.
constexpr std::uint64_t kLimit = std::uint64_t{1} << 63;

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
};

// The letter mu has two code points.
constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1000},
                                         {"\u00B5s", 1000},
                                         {"\u03BCs", 1000},
                                         {"ms", 1'000'000},
                                         {"s", kSecond},
                                         {"m", 60 * kSecond},
                                         {"h", 3600 * kSecond}}};

std::optional<std::uint64_t> UnitNamed(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return unit.nanoseconds;
  }
  return std::nullopt;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads one "12.5h" off the front of `text`. nullopt: malformed, or too large.
std::optional<std::uint64_t> TakePart(std::string_view& text) {
  std::uint64_t whole = 0;
  std::size_t pos = 0;
  for (; pos < text.size() && IsDigit(text[pos]); ++pos) {
    if (whole > kLimit / 10) return std::nullopt;
    whole = whole * 10 + static_cast<std::uint64_t>(text[pos] - '0');
  }
  bool has_digits = pos > 0;
  double fraction = 0, scale = 1;
  if (pos < text.size() && text[pos] == '.') {
    for (++pos; pos < text.size() && IsDigit(text[pos]); ++pos) {
      has_digits = true;
      if (scale >= 1e18) continue;  // finer than a nanosecond of the largest unit
      fraction = fraction * 10 + (text[pos] - '0');
      scale *= 10;
    }
  }
  std::size_t end = pos;
  while (end < text.size() && text[end] != '.' && !IsDigit(text[end])) ++end;
  const auto unit = UnitNamed(text.substr(pos, end - pos));
  if (!has_digits || !unit || whole > kLimit / *unit) return std::nullopt;
  text.remove_prefix(end);
  return whole * *unit +
         static_cast<std::uint64_t>(fraction * (static_cast<double>(*unit) / scale));
}

// Mirrors Go's time.ParseDuration.
std::optional<std::int64_t> ParseDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  std::uint64_t total = 0;
  while (!text.empty()) {
    const auto part = TakePart(text);
    if (!part || *part > kLimit - total) return std::nullopt;
    total += *part;
  }
  if (total == kLimit && !negative) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - total : total);
}

// `value` divided by `unit` in decimal, without trailing zeros.
void AppendDecimal(std::string& out, std::uint64_t value, std::uint64_t unit) {
  out += std::to_string(value / unit);
  std::uint64_t rest = value % unit;
  if (rest == 0) return;
  out += '.';
  for (unit /= 10; rest != 0; rest %= unit, unit /= 10) {
    out += static_cast<char>('0' + rest / unit);
    if (unit == 1) break;
  }
}

}  // namespace

std::string Duration::ToString() const {
  const auto count = static_cast<std::uint64_t>(value_.count());
  if (count == 0) return "0s";
  std::string out = value_.count() < 0 ? "-" : "";
  const std::uint64_t size = value_.count() < 0 ? 0 - count : count;
  if (size < 1000) return out + std::to_string(size) + "ns";
  if (size < kSecond) {
    AppendDecimal(out, size, size < 1'000'000 ? 1000 : 1'000'000);
    return out + (size < 1'000'000 ? "\u00B5s" : "ms");
  }
  const std::uint64_t minutes = size / (60 * kSecond);
  if (minutes >= 60) out += std::to_string(minutes / 60) + "h";
  if (minutes > 0) out += std::to_string(minutes % 60) + "m";
  AppendDecimal(out, size % (60 * kSecond), kSecond);
  return out + "s";
}

const char* Duration::UnmarshalJSON(std::string_view raw) {
  std::string buffer;
  const auto text = runtime::detail::Unquote(raw, buffer);
  if (!text) return "not a string with a duration";
  const auto parsed = ParseDuration(*text);
  if (!parsed) return "not a duration";
  value_ = std::chrono::nanoseconds(*parsed);
  return nullptr;
}

void Duration::MarshalJSON(std::string& out) const { codec::detail::AppendQuoted(ToString(), out); }

}  // namespace k8s::inline v0::metav1
