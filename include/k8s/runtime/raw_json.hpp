#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace k8s::inline v0::runtime {

/// One JSON value kept as text, or unset. What FieldsV1, RawExtension and JSON have in common.
///
/// The unset state is null in JSON and null is read as unset. White space between tokens is dropped
/// when a value is read.
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
class RawJson {
 public:
  RawJson() = default;
  /// Requires: `text` is valid JSON; it is sent to servers as it is. Empty: unset.
  explicit RawJson(std::string text) : text_(std::move(text)) {}

  /// The JSON text; empty when unset.
  [[nodiscard]] const std::string& raw() const { return text_; }
  [[nodiscard]] bool IsZero() const { return text_.empty(); }

  const char* UnmarshalJSON(std::string_view raw);
  void MarshalJSON(std::string& out) const { out += text_.empty() ? "null" : text_; }

  /// Equal texts; other spellings and orders of the same JSON differ.
  friend bool operator==(const RawJson&, const RawJson&) = default;

 private:
  std::string text_;
};

}  // namespace k8s::inline v0::runtime
