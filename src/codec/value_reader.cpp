#include "codec/value_reader.hpp"

#include "codec/scan.hpp"

#include <algorithm>

namespace k8s::inline v0::codec::detail {
namespace {

/// Buffers up to this size are kept for the next value.
constexpr std::size_t kKeptCapacity = std::size_t{1} << 20;

bool EndsScalar(char c) {
  return IsSpace(c) || c == ',' || c == ':' || c == '}' || c == ']' || c == '{' || c == '[' ||
         c == '"';
}

}  // namespace

void ValueReader::Feed(std::string_view chunk) {
  before_ = position();
  begin_ = p_ = chunk.data();
  end_ = p_ + chunk.size();
}

std::optional<char> ValueReader::Peek() {
  p_ = SkipSpace(p_, end_);
  if (p_ == end_) return std::nullopt;
  return *p_;
}

ValueReader::Part ValueReader::PartThatBegins(char c) const {
  if (c == '{' || c == '[') return Part::kBrackets;
  if (c == '"') return Part::kString;
  return EndsScalar(c) ? Part::kNone : Part::kScalar;
}

/// The end of the value that p_ is in, or null when it is in a later chunk.
const char* ValueReader::End() {
  if (part_ == Part::kBrackets) return brackets_.Scan(p_, end_);
  if (part_ == Part::kString) return EndOfString();
  const char* end = std::find_if(p_, end_, EndsScalar);
  return end == end_ ? nullptr : end;
}

const char* ValueReader::EndOfString() {
  const char* p = p_;
  if (text_.empty()) ++p;  // The opening quote.
  for (; p != end_; ++p) {
    if (escaped_) {
      escaped_ = false;
      continue;
    }
    // What ends plain text but no string is left for the decoder to find.
    p = ScanPlainText(p, end_).end;
    if (p == end_) return nullptr;
    if (*p == '"') return p + 1;
    escaped_ = *p == '\\';
  }
  return nullptr;
}

ValueReader::Outcome ValueReader::Read() {
  if (part_ == Part::kNone) {
    const std::optional<char> first = Peek();
    if (!first) return Outcome::kMore;
    part_ = PartThatBegins(*first);
    if (part_ == Part::kNone) return Outcome::kNoValue;
    if (copy_.capacity() > kKeptCapacity) std::string().swap(copy_);
    copy_.clear();
    text_ = {};
    copied_ = false;
  }
  const char* const end = End();
  const std::string_view piece(p_, static_cast<std::size_t>((end ? end : end_) - p_));
  if (piece.size() > max_value_bytes_ - copy_.size()) return Outcome::kTooLong;
  p_ += piece.size();
  if (!end || !copy_.empty()) {
    copy_.append(piece);
    copied_ = true;
  }
  text_ = copied_ ? std::string_view(copy_) : piece;
  if (!end) return Outcome::kMore;
  part_ = Part::kNone;
  return Outcome::kValue;
}

}  // namespace k8s::inline v0::codec::detail
