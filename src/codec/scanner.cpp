#include "codec/scanner.hpp"

#include <k8s/codec/codec.hpp>

#include <cstdint>

namespace k8s::inline v0::codec {
namespace detail {
namespace {

/// Which kinds of brackets are open, one bit each.
class Nesting {
 public:
  [[nodiscard]] bool empty() const { return depth_ == 0; }
  [[nodiscard]] bool InObject() const { return in_object_; }
  [[nodiscard]] char Closer() const { return in_object_ ? '}' : ']'; }

  /// Returns false when the nesting is too deep.
  bool Push(bool object) {
    if (depth_ == kMaxDepth) return false;
    const std::uint64_t bit = std::uint64_t{1} << (depth_ % 64);
    std::uint64_t& word = objects_[depth_ / 64];
    if (depth_ % 64 == 0) word = 0;
    if (object)
      word |= bit;
    else
      word &= ~bit;
    in_object_ = object;
    ++depth_;
    return true;
  }
  void Pop() {
    --depth_;
    if (depth_ == 0) return;
    in_object_ = (objects_[(depth_ - 1) / 64] >> ((depth_ - 1) % 64) & 1) != 0;
  }

 private:
  std::uint64_t objects_[kMaxDepth / 64 + 1];  // The words up to depth_ are set.
  unsigned depth_ = 0;
  bool in_object_ = false;
};

bool Opens(char c) { return c == '{' || c == '['; }
bool Closes(char c) { return c == '}' || c == ']'; }

}  // namespace

const char* Scanner::FailInString(const char* at) {
  const bool control = at != end_ && static_cast<unsigned char>(*at) < 0x20;
  return Fail(at, control ? "a control character in a string" : "no such escape in a string");
}

const char* Scanner::SkipString(const char* p, const char* plain_end) {
  const char* fault = plain_end;
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

const char* Scanner::SkipKey(const char* p) {
  if (!At(p, '"')) return Fail(p, "a field's name belongs here");
  p = SkipString(p + 1);
  return p ? SkipColon(p) : nullptr;
}

const char* Scanner::SkipValue(const char* p) {
  Nesting open;
  while (true) {
    // A value begins at p.
    if (p != end_ && Opens(*p)) {
      if (!open.Push(*p == '{')) return Fail(p, "nested too deeply");
      p = Space(p + 1);
      if (p == end_ || !Closes(*p)) {
        if (open.InObject()) p = SkipKey(p);
        if (!p) return nullptr;
        continue;
      }
    } else {
      p = SkipScalar(p);
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
      if (open.empty()) return p;
    }
    p = Space(p + 1);
    if (open.InObject()) p = SkipKey(p);
    if (!p) return nullptr;
  }
}

}  // namespace detail

bool Valid(std::string_view json) {
  detail::Scanner scanner(json);
  const char* p = scanner.SkipValue(scanner.Space(scanner.begin()));
  return p && scanner.Space(p) == scanner.end();
}

}  // namespace k8s::inline v0::codec
