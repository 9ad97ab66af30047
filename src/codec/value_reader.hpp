#pragma once

#include "codec/bracket_scanner.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// Cuts JSON values and punctuation out of text that arrives in chunks. A value within one chunk is
/// not copied.
class ValueReader {
 public:
  enum class Outcome { kValue, kMore, kNoValue, kTooLong };

  explicit ValueReader(std::size_t max_value_bytes) : max_value_bytes_(max_value_bytes) {}

  /// Requires: all of the last chunk was used.
  void Feed(std::string_view chunk);

  /// The next byte that is no white space, which it leaves there, or nothing at the chunk's end.
  /// Requires: not within a value.
  std::optional<char> Peek();
  /// Takes the byte that Peek() gave.
  void Take() { ++p_; }

  /// Reads the next value, or more of it. After kValue text() is its text, until the next call.
  Outcome Read();
  [[nodiscard]] bool InValue() const { return part_ != Part::kNone; }
  [[nodiscard]] std::string_view text() const { return text_; }
  /// Whether text() outlives the chunk.
  [[nodiscard]] bool IsCopied() const { return copied_; }
  /// Gives the copied text away for a buffer to use in its place.
  void Swap(std::string& buffer) { buffer.swap(copy_); }

  /// Number of bytes used so far.
  [[nodiscard]] std::uint64_t position() const {
    return before_ + static_cast<std::uint64_t>(p_ - begin_);
  }

 private:
  enum class Part { kNone, kBrackets, kString, kScalar };

  [[nodiscard]] Part PartThatBegins(char c) const;
  const char* End();
  const char* EndOfString();

  std::size_t max_value_bytes_;
  const char* begin_ = nullptr;
  const char* p_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t before_ = 0;

  Part part_ = Part::kNone;
  BracketScanner brackets_;
  bool escaped_ = false;  // In a string, behind a backslash.
  bool copied_ = false;
  std::string copy_;  // Of a value that began in an earlier chunk.
  std::string_view text_;
};

}  // namespace k8s::inline v0::codec::detail
