#pragma once

#include "codec/number.hpp"
#include "codec/scan.hpp"
#include "codec/text.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// Walks over JSON text and checks it. The place is passed along and returned, so that it stays in
/// a register; null says that the text is no JSON, and then fault() and reason() tell where and
/// why.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : begin_(text.data()), end_(text.data() + text.size()) {}

  [[nodiscard]] const char* begin() const { return begin_; }
  [[nodiscard]] const char* end() const { return end_; }
  /// Whether the byte at p is `c`. False at the end of the text.
  [[nodiscard]] bool At(const char* p, char c) const { return p != end_ && *p == c; }

  [[nodiscard]] const char* Space(const char* p) const { return SkipSpace(p, end_); }

  /// Skips a string; `p` is behind its opening quote.
  const char* SkipString(const char* p) { return SkipString(p, ScanPlainText(p, end_).end); }

  /// Skips a colon and the white space around it.
  const char* SkipColon(const char* p) {
    if (end_ - p > 1 && p[0] == ':' && p[1] > ' ') [[likely]]
      return p + 1;
    p = Space(p);
    if (!At(p, ':')) [[unlikely]]
      return Fail(p, "':' belongs here");
    return Space(p + 1);
  }

  /// Skips one value of any kind without recursion and checks all of it. `p` is at its first byte.
  const char* SkipValue(const char* p);

  /// Skips one value of which nothing is kept. Of an object or an array only the quotes and
  /// brackets are looked at, four times as fast as a check of all it says.
  const char* SkipUnread(const char* p);

  /// Appends a string, unescaped and repaired; `p` is behind its opening quote.
  const char* ReadString(const char* p, std::string& out);

  /// Skips a word: null, true, false.
  const char* SkipWord(const char* p, std::string_view word);

  const char* Fail(const char* at, const char* reason) {
    fault_ = at;
    reason_ = at == end_ ? "the text ends too early" : reason;
    return nullptr;
  }
  [[nodiscard]] std::size_t fault() const { return static_cast<std::size_t>(fault_ - begin_); }
  /// A static text, or null when nothing failed.
  [[nodiscard]] const char* reason() const { return reason_; }

 private:
  /// The same, knowing where the plain text at p ends.
  const char* SkipString(const char* p, const char* plain_end) {
    return At(plain_end, '"') ? plain_end + 1 : SkipEscaped(p);
  }
  const char* SkipEscaped(const char* p);
  const char* SkipKey(const char* p, TextEnds& ends);
  const char* SkipScalar(const char* p);
  [[nodiscard]] bool IsEmptyContainer(const char* p) const;
  const char* FailInString(const char* at);

  const char* begin_;
  const char* end_;
  const char* fault_ = nullptr;
  const char* reason_ = nullptr;
};

}  // namespace k8s::inline v0::codec::detail
