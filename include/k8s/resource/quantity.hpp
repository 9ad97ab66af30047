#pragma once

#include <k8s/result.hpp>

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::resource {

namespace detail {
struct Decimal;
}

/// How a quantity is written: "12e6", "12Mi" or "12M".
enum class Format : std::uint8_t { kDecimalSI, kDecimalExponent, kBinarySI };

[[nodiscard]] std::string_view ToString(Format format);

/// An exact fixed-point number: "100m" CPU, "1.5Gi" of memory. Keeps nine fractional digits; what
/// is finer is rounded away from zero. Numbers beyond 64 bits are kept exactly, but BinarySI is
/// capped at 2^63-1 when it is read.
///
/// Two quantities are equal when their values are: "1", "1000m" and "1e0" are one.
/// Cost. 24 bytes and no heap, but for numbers beyond 64 bits and for odd spellings that are to be
/// written again as they were read ("+1", "1.", "1E3").
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
/// **Mirrors** resource.Quantity; Value and MilliValue report an overflow instead of wrapping.
class Quantity {
 public:
  /// Zero.
  Quantity() = default;
  /// `value` times ten to the power of `scale`. Finer than 10^-9 is rounded away from zero.
  explicit Quantity(std::int64_t value, Format format = Format::kDecimalSI, int scale = 0);
  Quantity(const Quantity& other)
      : value_(other.value_),
        scale_(other.scale_),
        format_(other.format_),
        extra_(other.extra_ ? Clone(*other.extra_) : nullptr) {}
  Quantity(Quantity&& other) noexcept = default;
  Quantity& operator=(const Quantity& other) { return *this = Quantity(other); }
  Quantity& operator=(Quantity&& other) noexcept = default;
  ~Quantity() = default;

  /// Errors: kInvalidArgument. Refuses exponents above 10,000, which Go takes.
  [[nodiscard]] static Result<Quantity> Parse(std::string_view text);

  [[nodiscard]] Format format() const { return format_; }
  [[nodiscard]] bool IsZero() const { return Sign() == 0; }
  /// -1, 0 or 1.
  [[nodiscard]] int Sign() const;
  /// In units of 1, of 1/1000, of 10^scale; rounded away from zero. nullopt: beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> Value() const { return ScaledValue(0); }
  [[nodiscard]] std::optional<std::int64_t> MilliValue() const { return ScaledValue(-3); }
  [[nodiscard]] std::optional<std::int64_t> ScaledValue(int scale) const;
  /// The nearest double, roughly; infinite when out of range.
  [[nodiscard]] double AsApproximateFloat64() const;

  /// The spelling that was read where Go keeps it, else the canonical form.
  [[nodiscard]] std::string ToString() const;
  /// The canonical form: no fraction, the largest suffix that loses nothing.
  [[nodiscard]] std::string Canonical() const;
  /// The exact value without suffix or exponent, "0.0005".
  [[nodiscard]] std::string ToPlainString() const;

  /// Less than, equal to or greater than zero as *this is less than, equal to or greater than
  /// `other`.
  [[nodiscard]] int Cmp(const Quantity& other) const;
  /// A zero takes the other's format.
  void Add(const Quantity& other);
  void Sub(const Quantity& other);
  void Neg();

  const char* UnmarshalJSON(std::string_view raw);
  void MarshalJSON(std::string& out) const;

  friend bool operator==(const Quantity& a, const Quantity& b) { return a.Cmp(b) == 0; }
  friend std::weak_ordering operator<=>(const Quantity& a, const Quantity& b) {
    return a.Cmp(b) <=> 0;
  }

 private:
  struct Extra;
  struct Delete {
    void operator()(Extra* extra) const noexcept;
  };
  using ExtraPtr = std::unique_ptr<Extra, Delete>;

  static ExtraPtr Clone(const Extra& extra);
  const char* ParseInto(std::string_view text);
  void AppendCanonical(std::string& out) const;
  [[nodiscard]] detail::Decimal ToDecimal() const;
  void Assign(detail::Decimal&& decimal);

  std::int64_t value_ = 0;  // times 10^scale_, unless extra_ has digits
  std::int32_t scale_ = 0;
  Format format_ = Format::kDecimalSI;
  // Rare: digits beyond 64 bits, or an odd spelling.
  ExtraPtr extra_;
};

}  // namespace k8s::inline v0::resource
