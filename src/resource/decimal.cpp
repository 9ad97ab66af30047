#include "resource/decimal.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <system_error>
#include <utility>

namespace k8s::inline v0::resource::detail {

namespace {

int DigitFromEnd(const std::string& digits, std::size_t i) {
  return i < digits.size() ? digits[digits.size() - 1 - i] - '0' : 0;
}

// digits * factor
std::string Multiply(const std::string& digits, std::uint32_t factor) {
  std::string out;
  std::uint64_t carry = 0;
  for (std::size_t i = 0; i < digits.size() || carry != 0; ++i) {
    carry += std::uint64_t{factor} * static_cast<unsigned>(DigitFromEnd(digits, i));
    out += static_cast<char>('0' + carry % 10);
    carry /= 10;
  }
  std::reverse(out.begin(), out.end());
  return out;
}

// a + sign * b. Requires: the result is not negative.
std::string AddDigits(const std::string& a, const std::string& b, int sign) {
  std::string out;
  int carry = 0;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()) || carry != 0; ++i) {
    const int sum = DigitFromEnd(a, i) + sign * DigitFromEnd(b, i) + carry;
    carry = sum < 0 ? -1 : sum / 10;
    out += static_cast<char>('0' + (sum - 10 * carry));
  }
  std::reverse(out.begin(), out.end());
  return StripLeadingZeros(out);
}

// Of two numbers without leading zeros.
int CompareDigits(const std::string& a, const std::string& b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  const int order = a.compare(b);
  return (order > 0) - (order < 0);
}

}  // namespace

void Decimal::ShiftLeft(int bits) {
  for (; bits > 0; bits -= 10) digits = Multiply(digits, 1U << std::min(bits, 10));
}

bool Decimal::RoundUp(std::int32_t minimum) {
  if (exponent >= minimum || IsZero()) return true;
  const std::int64_t drop = std::int64_t{minimum} - exponent;
  const std::size_t kept = drop < static_cast<std::int64_t>(digits.size())
                               ? digits.size() - static_cast<std::size_t>(drop)
                               : 0;
  const bool exact = digits.find_first_not_of('0', kept) == std::string::npos;
  digits.resize(kept);
  if (!exact) digits = AddDigits(digits, "1", 1);
  exponent = minimum;
  return exact;
}

void Decimal::Extend(std::int32_t maximum) {
  if (exponent <= maximum) return;
  if (!IsZero()) digits.append(static_cast<std::size_t>(exponent - maximum), '0');
  exponent = maximum;
}

void Decimal::Trim() {
  const std::size_t kept = digits.find_last_not_of('0') + 1;
  exponent += static_cast<std::int32_t>(digits.size() - kept);
  digits.resize(kept);
}

std::size_t Decimal::RemoveFactorsOf1024(std::size_t most) {
  for (std::size_t times = 0; times < most; ++times) {
    std::string quotient;
    unsigned rest = 0;
    for (const char c : digits) {
      rest = rest * 10 + static_cast<unsigned>(c - '0');
      quotient += static_cast<char>('0' + rest / 1024);
      rest %= 1024;
    }
    if (rest != 0 || IsZero()) return times;
    digits = StripLeadingZeros(quotient);
  }
  return most;
}

std::optional<std::int64_t> Decimal::ToInt64() const {
  if (IsZero()) return 0;
  if (Magnitude() > 19) return std::nullopt;
  Decimal copy = *this;
  copy.Extend(0);
  const std::string text = copy.SignedDigits();
  std::int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc()) return std::nullopt;
  return value;
}

Decimal FromInt64(std::int64_t value, std::int32_t exponent) {
  std::string digits = std::to_string(value);
  if (value < 0) digits.erase(0, 1);
  return {value < 0, value == 0 ? "" : std::move(digits), exponent};
}

std::string StripLeadingZeros(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return std::string(digits);
}

int CompareMagnitudes(Decimal a, Decimal b) {
  if (a.IsZero() || b.IsZero()) return int{b.IsZero()} - int{a.IsZero()};
  if (a.Magnitude() != b.Magnitude()) return a.Magnitude() < b.Magnitude() ? -1 : 1;
  // Equal magnitudes bound the zeros that are appended here by the digits that are there.
  a.Extend(b.exponent);
  b.Extend(a.exponent);
  return CompareDigits(a.digits, b.digits);
}

int Compare(const Decimal& a, const Decimal& b) {
  const int sign_a = a.IsZero() ? 0 : a.negative ? -1 : 1;
  const int sign_b = b.IsZero() ? 0 : b.negative ? -1 : 1;
  if (sign_a != sign_b) return sign_a < sign_b ? -1 : 1;
  return sign_a < 0 ? CompareMagnitudes(b, a) : CompareMagnitudes(a, b);
}

Decimal Add(Decimal a, Decimal b) {
  if (a.IsZero()) return b;
  if (b.IsZero()) return a;
  a.Extend(b.exponent);
  b.Extend(a.exponent);
  if (a.negative == b.negative) return {a.negative, AddDigits(a.digits, b.digits, 1), a.exponent};
  if (CompareDigits(a.digits, b.digits) < 0) std::swap(a, b);
  return {a.negative, AddDigits(a.digits, b.digits, -1), a.exponent};
}

}  // namespace k8s::inline v0::resource::detail
