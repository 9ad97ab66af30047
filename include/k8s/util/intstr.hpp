#pragma once

#include <k8s/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace k8s::inline v0::intstr {

/// A number or a text: a port by number or name, a count or a percentage. Mirrors
/// intstr.IntOrString.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
class IntOrString {
 public:
  /// The number 0.
  IntOrString() = default;
  IntOrString(std::int32_t value) : number_(value) {}  // NOLINT: a number is one
  IntOrString(std::string value)                       // NOLINT: a text is one
      : text_(std::move(value)), is_string_(true) {}
  IntOrString(const char* value) : IntOrString(std::string(value)) {}  // NOLINT: likewise

  [[nodiscard]] bool IsString() const { return is_string_; }
  /// The text; empty for a number.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// The number; 0 for a text.
  [[nodiscard]] std::int32_t number() const { return number_; }

  /// The text, or the number in decimal.
  [[nodiscard]] std::string ToString() const;
  /// The number, or the number that the text spells, or 0.
  [[nodiscard]] std::int32_t IntValue() const;
  /// True for the number 0 only; the empty text is a value.
  [[nodiscard]] bool IsZero() const { return !is_string_ && number_ == 0; }

  const char* UnmarshalJSON(std::string_view raw);
  void MarshalJSON(std::string& out) const;

  friend bool operator==(const IntOrString&, const IntOrString&) = default;

 private:
  std::string text_;
  std::int32_t number_ = 0;
  bool is_string_ = false;
};

/// A number if `text` is one of 32 bits, else the text. Mirrors intstr.Parse.
[[nodiscard]] IntOrString Parse(std::string_view text);

/// A number as it is; "30%" of `total`, rounded up or down. Errors: kInvalidArgument for any other
/// text. Mirrors intstr.GetScaledValueFromIntOrPercent.
enum class Rounding { kDown, kUp };
[[nodiscard]] Result<int> GetScaledValueFromIntOrPercent(const IntOrString& value, int total,
                                                         Rounding rounding);

}  // namespace k8s::inline v0::intstr
