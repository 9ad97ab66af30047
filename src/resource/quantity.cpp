#include <k8s/resource/quantity.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <system_error>
#include <utility>

#include "resource/decimal.hpp"

namespace k8s::inline v0::resource {

using detail::Decimal;

// What an ordinary quantity does without.
struct Quantity::Extra {
  std::string digits;    // beyond 64 bits; Quantity::value_ then holds the sign only
  std::string spelling;  // to be written again as it was read
};

namespace {

constexpr std::int32_t kNano = -9;
// Numbers with more zeros than this have no use but to exhaust memory.
constexpr int kMaxExponent = 10'000;
// Far below what any text's digits could bring up to 10^-9.
constexpr std::int64_t kMinExponent = -1'000'000'000;

struct Suffix {
  Format format;
  int exponent;  // of 10, or of 2 for kBinarySI
};

constexpr std::array<std::string_view, 10> kDecimalSuffixes = {"n", "u", "m", "",  "k",
                                                               "M", "G", "T", "P", "E"};
constexpr std::array<std::string_view, 7> kBinarySuffixes = {"",   "Ki", "Mi", "Gi",
                                                             "Ti", "Pi", "Ei"};

const char* ParseSuffix(std::string_view text, Suffix& suffix) {
  for (std::size_t i = 0; i < kDecimalSuffixes.size(); ++i) {
    if (text != kDecimalSuffixes[i]) continue;
    suffix = {Format::kDecimalSI, kNano + 3 * static_cast<int>(i)};
    return nullptr;
  }
  for (std::size_t i = 1; i < kBinarySuffixes.size(); ++i) {
    if (text != kBinarySuffixes[i]) continue;
    suffix = {Format::kBinarySI, 10 * static_cast<int>(i)};
    return nullptr;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return "unknown suffix of a quantity";
  text.remove_prefix(text.starts_with("e+") || text.starts_with("E+") ? 2 : 1);
  int exponent = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exponent);
  if (stop != end || text.empty()) return "malformed exponent of a quantity";
  if (error != std::errc() || exponent > kMaxExponent) return "exponent of a quantity out of range";
  suffix = {Format::kDecimalExponent, exponent};
  return nullptr;
}

// A quantity's text in parts.
struct Parts {
  bool negative = false;
  std::string_view whole;     // digits before the point, without leading zeros
  std::string_view fraction;  // digits behind the point
  Suffix suffix{};
  bool plain = false;  // no plus sign, leading zero, or point
};

std::string_view TakeDigits(std::string_view& text) {
  const std::size_t size = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

// Go takes numbers without any digit for zero, "-", ".", ".Ki", but for the suffixes whose numbers
// it does not expect to fit in 64 bits.
bool MayLackDigits(const Suffix& suffix) {
  return suffix.format == Format::kBinarySI ? suffix.exponent < 50 : suffix.exponent >= kNano;
}

const char* Split(std::string_view full, Parts& parts) {
  if (full.empty()) return "an empty quantity";
  std::string_view text = full;
  parts.negative = text[0] == '-';
  if (text[0] == '-' || text[0] == '+') text.remove_prefix(1);
  parts.plain = !full.starts_with('+') && !text.starts_with('0');
  const std::string_view number = text;
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
  parts.whole = TakeDigits(text);
  if (text.starts_with('.')) {
    parts.plain = false;
    text.remove_prefix(1);
    parts.fraction = TakeDigits(text);
  }
  const bool has_digits = number.substr(0, number.size() - text.size()).find_first_not_of('.') !=
                          std::string_view::npos;
  if (const char* reason = ParseSuffix(text, parts.suffix)) return reason;
  return has_digits || MayLackDigits(parts.suffix) ? nullptr : "a quantity without digits";
}

// Whether Go keeps the spelling of a quantity to write it again, which it does where a quick look
// takes it for the canonical form.
bool KeepsSpelling(const Parts& parts) {
  const auto digits =
      static_cast<int>(std::max<std::size_t>(parts.whole.size(), 1) + parts.fraction.size());
  if (parts.whole.empty()) return false;
  if (parts.suffix.format == Format::kBinarySI) {
    std::int64_t value = 0;
    if (!parts.fraction.empty() || digits + parts.suffix.exponent * 3 / 10 > 14) return false;
    std::from_chars(parts.whole.data(), parts.whole.data() + parts.whole.size(), value);
    return value % 8 != 0;
  }
  const int scale = parts.suffix.exponent - static_cast<int>(parts.fraction.size());
  if (digits > 18 || scale < kNano || scale % 3 != 0) return false;
  return !(std::string(parts.whole) += parts.fraction).ends_with("000");
}

// The usual quantity, "100m" or "2Gi": 64 bits do, and Go would not keep an odd spelling. Returns
// false for all others.
bool ToPlainInt64(const Parts& parts, std::int64_t& value) {
  if (!parts.plain || parts.suffix.format == Format::kDecimalExponent) return false;
  const auto digits = parts.whole;
  if (digits.empty() || digits.size() > 18) return false;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parts.suffix.format == Format::kBinarySI) {
    if (value > std::numeric_limits<std::int64_t>::max() >> parts.suffix.exponent) return false;
    value <<= parts.suffix.exponent;
  }
  if (parts.negative) value = -value;
  return true;
}

Decimal ToDecimal(const Parts& parts) {
  Decimal number;
  number.negative = parts.negative;
  number.digits = detail::StripLeadingZeros((std::string(parts.whole) += parts.fraction));
  number.exponent = -static_cast<std::int32_t>(parts.fraction.size());
  if (parts.suffix.format == Format::kBinarySI) {
    number.ShiftLeft(parts.suffix.exponent);
  } else {
    const std::int64_t exponent = std::int64_t{number.exponent} + parts.suffix.exponent;
    number.exponent = static_cast<std::int32_t>(std::max(exponent, kMinExponent));
  }
  return number;
}

// Rounded to nine fractional digits, binary quantities cut down to 64 bits.
Decimal ToBoundedDecimal(const Parts& parts, Format& format) {
  Decimal number = ToDecimal(parts);
  number.RoundUp(kNano);
  if (format != Format::kBinarySI || number.IsZero()) return number;
  // As Go: a fraction of a byte is no binary quantity.
  if (number.Magnitude() <= 0) format = Format::kDecimalSI;
  const Decimal max{number.negative, "9223372036854775807", 0};
  return CompareMagnitudes(number, max) > 0 ? max : number;
}

void AppendDecimal(Decimal number, Format format, std::string& out) {
  number.Trim();
  const int excess = ((number.exponent % 3) + 3) % 3;
  number.Extend(number.exponent - excess);
  out += number.SignedDigits();
  const int index = (number.exponent - kNano) / 3;
  if (format == Format::kDecimalSI && index >= 0 &&
      index < static_cast<int>(kDecimalSuffixes.size())) {
    out += kDecimalSuffixes[static_cast<std::size_t>(index)];
  } else if (number.exponent != 0) {
    out += "e" + std::to_string(number.exponent);
  }
}

}  // namespace

std::string_view ToString(Format format) {
  switch (format) {
    case Format::kDecimalSI:
      return "DecimalSI";
    case Format::kDecimalExponent:
      return "DecimalExponent";
    case Format::kBinarySI:
      return "BinarySI";
  }
  return "unknown";
}

Quantity::Quantity(std::int64_t value, Format format, int scale)
    : value_(value), scale_(scale), format_(format) {
  if (scale >= kNano) return;
  Decimal number = detail::FromInt64(value, scale);
  number.RoundUp(kNano);
  Assign(std::move(number));
}

Quantity::ExtraPtr Quantity::Clone(const Extra& extra) { return ExtraPtr(new Extra(extra)); }

void Quantity::Delete::operator()(Extra* extra) const noexcept { delete extra; }

Result<Quantity> Quantity::Parse(std::string_view text) {
  Quantity quantity;
  if (const char* reason = quantity.ParseInto(text)) {
    return InvalidArgument("\"" + std::string(text) + "\": " + reason);
  }
  return quantity;
}

const char* Quantity::ParseInto(std::string_view text) {
  Parts parts;
  if (const char* reason = Split(text, parts)) return reason;
  format_ = parts.suffix.format;
  std::int64_t value = 0;
  if (ToPlainInt64(parts, value)) {
    value_ = value;
    scale_ = format_ == Format::kBinarySI ? 0 : parts.suffix.exponent;
    extra_.reset();
    return nullptr;
  }
  Assign(ToBoundedDecimal(parts, format_));
  if (KeepsSpelling(parts) && Canonical() != text) {
    if (!extra_) extra_ = ExtraPtr(new Extra);
    extra_->spelling = text;
  }
  return nullptr;
}

Decimal Quantity::ToDecimal() const {
  if (extra_ && !extra_->digits.empty()) return {value_ < 0, extra_->digits, scale_};
  return detail::FromInt64(value_, scale_);
}

void Quantity::Assign(Decimal&& number) {
  extra_.reset();
  scale_ = number.exponent;
  const Decimal unscaled{number.negative, number.digits, 0};
  if (const auto value = unscaled.ToInt64()) {
    value_ = *value;
    if (value_ == 0) scale_ = 0;
    return;
  }
  value_ = number.negative ? -1 : 1;
  extra_ = ExtraPtr(new Extra);
  extra_->digits = std::move(number.digits);
}

int Quantity::Sign() const { return (value_ > 0) - (value_ < 0); }

std::optional<std::int64_t> Quantity::ScaledValue(int scale) const {
  if (scale == scale_ && !extra_) return value_;
  Decimal number = ToDecimal();
  number.RoundUp(scale);
  number.exponent -= scale;
  return number.ToInt64();
}

double Quantity::AsApproximateFloat64() const {
  auto digits = static_cast<double>(value_);
  if (extra_ && !extra_->digits.empty())
    digits = Sign() * std::strtod(extra_->digits.c_str(), nullptr);
  return digits * std::pow(10.0, scale_);
}

std::string Quantity::ToString() const {
  return extra_ && !extra_->spelling.empty() ? extra_->spelling : Canonical();
}

std::string Quantity::Canonical() const {
  std::string out;
  AppendCanonical(out);
  return out;
}

void Quantity::AppendCanonical(std::string& out) const {
  if (IsZero()) {
    out += '0';
    return;
  }
  Decimal number = ToDecimal();
  if (format_ != Format::kBinarySI) return AppendDecimal(std::move(number), format_, out);
  // Go writes small numbers and fractions as DecimalSI rather than to round them.
  if (CompareMagnitudes(number, detail::FromInt64(1024)) < 0 || !number.RoundUp(0)) {
    return AppendDecimal(ToDecimal(), Format::kDecimalSI, out);
  }
  number.Extend(0);
  const std::size_t times = number.RemoveFactorsOf1024(kBinarySuffixes.size() - 1);
  out += number.SignedDigits();
  out += kBinarySuffixes[times];
}

std::string Quantity::ToPlainString() const {
  if (IsZero()) return "0";
  Decimal number = ToDecimal();
  number.Trim();
  number.Extend(0);
  const auto decimals = static_cast<std::size_t>(-number.exponent);
  if (number.digits.size() <= decimals) {
    number.digits.insert(0, decimals + 1 - number.digits.size(), '0');
  }
  if (decimals > 0) number.digits.insert(number.digits.size() - decimals, ".");
  return number.SignedDigits();
}

int Quantity::Cmp(const Quantity& other) const {
  if (scale_ == other.scale_ && !extra_ && !other.extra_) {
    return (value_ > other.value_) - (value_ < other.value_);
  }
  return detail::Compare(ToDecimal(), other.ToDecimal());
}

void Quantity::Add(const Quantity& other) {
  if (IsZero()) format_ = other.format_;
  Assign(detail::Add(ToDecimal(), other.ToDecimal()));
}

void Quantity::Sub(const Quantity& other) {
  Quantity negated = other;
  negated.Neg();
  Add(negated);
}

void Quantity::Neg() {
  Decimal number = ToDecimal();
  number.negative = !number.negative;
  Assign(std::move(number));
}

const char* Quantity::UnmarshalJSON(std::string_view raw) {
  if (raw == "null") {
    *this = Quantity();
    return nullptr;
  }
  if (raw.size() >= 2 && raw.front() == '"' && raw.back() == '"') {
    raw = raw.substr(1, raw.size() - 2);
  }
  // Escapes are not undone, as in Go: a quantity has no character that needs one.
  const std::size_t first = raw.find_first_not_of(' ');
  const std::size_t last = raw.find_last_not_of(' ');
  return ParseInto(first == std::string_view::npos ? "" : raw.substr(first, last - first + 1));
}

void Quantity::MarshalJSON(std::string& out) const {
  out += '"';
  if (extra_ && !extra_->spelling.empty()) {
    out += extra_->spelling;
  } else {
    AppendCanonical(out);
  }
  out += '"';
}

}  // namespace k8s::inline v0::resource
