#include "codec/scanner.hpp"

#include <k8s/codec/codec.hpp>

#include "codec/bracket_scanner.hpp"

#include <cstdint>

namespace k8s::inline v0::codec {
namespace detail {
namespace {

/// Which kinds of brackets are open, one bit each: the innermost 64 in a register.
class Nesting {
 public:
  [[nodiscard]] bool empty() const { return depth_ == 0; }
  [[nodiscard]] bool full() const { return depth_ == kMaxDepth; }
  [[nodiscard]] bool InObject() const { return (innermost_ & 1) != 0; }
  [[nodiscard]] char Closer() const { return InObject() ? '}' : ']'; }

  /// Returns false when the nesting is too deep.
  bool Push(bool object) {
    if (full()) return false;
    if (depth_ % 64 == 0) outer_[depth_ / 64] = innermost_;
    innermost_ = innermost_ << 1 | (object ? 1 : 0);
    ++depth_;
    return true;
  }
  void Pop() {
    --depth_;
    innermost_ >>= 1;
    if (depth_ % 64 == 0) innermost_ = outer_[depth_ / 64];
  }

 private:
  std::uint64_t innermost_ = 0;
  unsigned depth_ = 0;
  std::uint64_t outer_[kMaxDepth / 64 + 1];  // Word i, once set: the 64 at depth 64 * i.
};

bool Opens(char c) { return c == '{' || c == '['; }
bool Closes(char c) { return c == '}' || c == ']'; }
char Closer(char opening) { return opening == '{' ? '}' : ']'; }

}  // namespace

const char* Scanner::FailInString(const char* at) {
  const bool control = at != end_ && static_cast<unsigned char>(*at) < 0x20;
  return Fail(at, control ? "a control character in a string" : "no such escape in a string");
}

const char* Scanner::SkipEscaped(const char* p) {
  const char* fault = p;
  p = SkipEscapedString(p, end_, fault);
  return p ? p : FailInString(fault);
}

const char* Scanner::ReadString(const char* p, std::string& out) {
  const char* fault = p;
  p = detail::ReadString(p, end_, out, fault);
  return p ? p : FailInString(fault);
}

const char* Scanner::SkipWord(const char* p, std::string_view word) {
  const std::string_view rest(p, static_cast<std::size_t>(end_ - p));
  if (rest.starts_with(word)) return p + word.size();
  return Fail(rest.size() < word.size() && word.starts_with(rest) ? end_ : p, "no JSON value");
}

const char* Scanner::SkipScalar(const char* p) {
  if (p == end_) return Fail(p, "");
  switch (*p) {
    case '"':
      return SkipString(p + 1);
    case 'n':
      return SkipWord(p, "null");
    case 't':
      return SkipWord(p, "true");
    case 'f':
      return SkipWord(p, "false");
    default:
      const char* after = SkipNumber(p, end_);
      return after ? after : Fail(p, "no JSON value");
  }
}

const char* Scanner::SkipKey(const char* p, TextEnds& ends) {
  if (!At(p, '"')) return Fail(p, "a field's name belongs here");
  p = SkipString(p + 1, ends.After(p + 1));
  return p ? SkipColon(p) : nullptr;
}

/// The most frequent value of all: managed fields are made of it.
bool Scanner::IsEmptyContainer(const char* p) const {
  return end_ - p >= 2 && ((p[0] == '{' && p[1] == '}') || (p[0] == '[' && p[1] == ']'));
}

const char* Scanner::SkipValue(const char* p) {
  Nesting open;
  TextEnds ends(p, end_);
  while (true) {
    // A value begins at p, behind its name if it is in an object.
    if (open.InObject()) {
      p = SkipKey(p, ends);
      if (!p) return nullptr;
    }
    if (IsEmptyContainer(p) && !open.full()) {
      p += 2;
    } else if (p != end_ && Opens(*p)) {
      if (!open.Push(*p == '{')) return Fail(p, "nested too deeply");
      p = Space(p + 1);
      if (p == end_ || !Closes(*p)) continue;
    } else {
      p = At(p, '"') ? SkipString(p + 1, ends.After(p + 1)) : SkipScalar(p);
      if (!p) return nullptr;
    }
    // A value ended, or a container is empty: what closes here, up to the next comma.
    while (true) {
      if (open.empty()) return p;
      p = Space(p);
      if (At(p, ',')) break;
      if (!At(p, open.Closer())) return Fail(p, "',' or a closing bracket belongs here");
      open.Pop();
      ++p;
    }
    p = Space(p + 1);
  }
}

const char* Scanner::SkipUnread(const char* p) {
  if (p == end_ || !Opens(*p)) return SkipScalar(p);
  const char* const after = BracketScanner().Scan(p, end_);
  if (!after) return Fail(end_, "");
  return after[-1] == Closer(*p) ? after : Fail(after - 1, "another closing bracket belongs here");
}

}  // namespace detail

bool Valid(std::string_view json) {
  detail::Scanner scanner(json);
  const char* p = scanner.SkipValue(scanner.Space(scanner.begin()));
  return p && scanner.Space(p) == scanner.end();
}

}  // namespace k8s::inline v0::codec
