#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::resource::detail {

/// A decimal number of any size: (negative ? -1 : 1) * digits * 10^exponent. What Quantity computes
/// with where 64 bits may not do.
struct Decimal {
  bool negative = false;
  std::string digits = {};  ///< Most significant first, no leading zeros; empty for zero.
  std::int32_t exponent = 0;

  [[nodiscard]] bool IsZero() const { return digits.empty(); }
  /// The position of the first digit: 10^(Magnitude()-1) <= |*this| < 10^Magnitude().
  /// Requires: not zero.
  [[nodiscard]] std::int64_t Magnitude() const {
    return static_cast<std::int64_t>(digits.size()) + exponent;
  }

  /// Multiplies by 2^bits.
  void ShiftLeft(int bits);
  /// Makes the exponent at least `exponent`, rounding away from zero. Returns whether nothing was
  /// lost.
  bool RoundUp(std::int32_t exponent);
  /// Makes the exponent at most `exponent` by appending zeros.
  void Extend(std::int32_t exponent);
  /// Moves trailing zeros into the exponent.
  void Trim();
  /// Divides by 1024 as long as nothing remains, at most `most` times, and returns how often.
  /// Requires: exponent is 0.
  std::size_t RemoveFactorsOf1024(std::size_t most);

  /// The value if it is an integer of 64 bits. Requires: exponent >= 0.
  [[nodiscard]] std::optional<std::int64_t> ToInt64() const;
  /// The digits with sign, without the exponent.
  [[nodiscard]] std::string SignedDigits() const { return (negative ? "-" : "") + digits; }
};

[[nodiscard]] Decimal FromInt64(std::int64_t value, std::int32_t exponent = 0);
/// Requires: `digits` holds decimal digits only.
[[nodiscard]] std::string StripLeadingZeros(std::string_view digits);

/// Compares without regard to the signs.
[[nodiscard]] int CompareMagnitudes(Decimal a, Decimal b);
[[nodiscard]] int Compare(const Decimal& a, const Decimal& b);
[[nodiscard]] Decimal Add(Decimal a, Decimal b);

}  // namespace k8s::inline v0::resource::detail
