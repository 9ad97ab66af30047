#include "codec/text.hpp"

#include "codec/scan.hpp"

#include <cstdint>

namespace k8s::inline v0::codec::detail {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Length of the well-formed sequence at p, 1 to 4, or 0.
int SequenceLength(const char* p, const char* end) {
  const auto first = static_cast<unsigned char>(p[0]);
  if (first < 0x80) return 1;
  const int length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || end - p < length) return 0;
  const auto second = static_cast<unsigned char>(p[1]);
  // Overlong forms, surrogates and what is above U+10FFFF show in the second byte.
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second > 0x9F) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second > 0x8F) return 0;
  for (int i = 1; i < length; ++i) {
    if (!IsContinuation(p[i])) return 0;
  }
  return length;
}

void AppendCodePoint(std::uint32_t code, std::string& out) {
  const auto tail = [&](int shift) {
    out.push_back(static_cast<char>(0x80 | ((code >> shift) & 0x3F)));
  };
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
  } else if (code < 0x800) {
    out.push_back(static_cast<char>(0xC0 | (code >> 6)));
    tail(0);
  } else if (code < 0x10000) {
    out.push_back(static_cast<char>(0xE0 | (code >> 12)));
    tail(6), tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0 | (code >> 18)));
    tail(12), tail(6), tail(0);
  }
}

int HexDigit(char c) {
  if (IsDigit(c)) return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// The value of the four hexadecimal digits at p, or -1.
std::int32_t HexCode(const char* p, const char* end) {
  if (end - p < 4) return -1;
  std::int32_t code = 0;
  for (int i = 0; i < 4; ++i) {
    const int digit = HexDigit(p[i]);
    if (digit < 0) return -1;
    code = code * 16 + digit;
  }
  return code;
}

bool IsHighSurrogate(std::int32_t code) { return code >= 0xD800 && code < 0xDC00; }
bool IsLowSurrogate(std::int32_t code) { return code >= 0xDC00 && code < 0xE000; }

/// Reads what follows `\u`. Returns the place behind it, or null.
const char* ReadHexEscape(const char* p, const char* end, std::string& out) {
  const std::int32_t code = HexCode(p, end);
  if (code < 0) return nullptr;
  p += 4;
  if (IsHighSurrogate(code) && end - p >= 6 && p[0] == '\\' && p[1] == 'u') {
    const std::int32_t low = HexCode(p + 2, end);
    if (IsLowSurrogate(low)) {
      const auto pair = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
      AppendCodePoint(static_cast<std::uint32_t>(pair), out);
      return p + 6;
    }
  }
  if (IsHighSurrogate(code) || IsLowSurrogate(code)) {
    out += kReplacement;
  } else {
    AppendCodePoint(static_cast<std::uint32_t>(code), out);
  }
  return p;
}

/// What the letter behind a backslash stands for; 0 for `u` and for letters that mean nothing.
char SimpleEscape(char letter) {
  switch (letter) {
    case '"':
    case '\\':
    case '/':
      return letter;
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return 0;
  }
}

/// Reads the escape whose backslash is at p. Returns the place behind it, or null.
const char* ReadEscape(const char* p, const char* end, std::string& out) {
  if (end - p < 2) return nullptr;
  if (p[1] == 'u') return ReadHexEscape(p + 2, end, out);
  const char meaning = SimpleEscape(p[1]);
  if (meaning == 0) return nullptr;
  out.push_back(meaning);
  return p + 2;
}

/// Checks the escape whose backslash is at p. Returns the place behind it, or null.
const char* SkipEscape(const char* p, const char* end) {
  if (end - p < 2) return nullptr;
  if (p[1] == 'u') return HexCode(p + 2, end) < 0 ? nullptr : p + 6;
  return SimpleEscape(p[1]) == 0 ? nullptr : p + 2;
}

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (c) {
    case '"':
    case '\\':
      out.push_back('\\');
      out.push_back(c);
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out.push_back(kHex[static_cast<unsigned char>(c) >> 4]);
      out.push_back(kHex[static_cast<unsigned char>(c) & 0xF]);
  }
}

void AppendRun(const char* p, PlainText run, std::string& out) {
  const std::string_view text(p, static_cast<std::size_t>(run.end - p));
  if (run.ascii) {
    out += text;
  } else {
    AppendRepaired(text, out);
  }
}

}  // namespace

void AppendRepaired(std::string_view text, std::string& out) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const char* good = p;  // What starts here and ends at p is well-formed and not appended yet.
  while (p != end) {
    if (const int length = SequenceLength(p, end)) {
      p += length;
      continue;
    }
    out.append(good, p);
    out += kReplacement;
    good = ++p;
  }
  out.append(good, end);
}

const char* ReadString(const char* p, const char* end, std::string& out, const char*& fault) {
  while (true) {
    const PlainText run = ScanPlainText(p, end);
    AppendRun(p, run, out);
    p = fault = run.end;
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    if (*p != '\\') return nullptr;
    p = ReadEscape(p, end, out);
    if (!p) return nullptr;
  }
}

const char* SkipEscapedString(const char* p, const char* end, const char*& fault) {
  while (true) {
    p = fault = ScanPlainText(p, end).end;
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    if (*p != '\\') return nullptr;
    p = SkipEscape(p, end);
    if (!p) return nullptr;
  }
}

std::string Compact(std::string_view json) {
  if (IsGraphic(json)) return std::string(json);
  std::string out;
  out.reserve(json.size());
  const char* p = json.data();
  const char* const end = p + json.size();
  const char* fault = nullptr;
  while (p != end) {
    const char* const token = p;
    p = *p == '"' ? SkipEscapedString(p + 1, end, fault) : p + 1;
    if (!p) break;
    if (!IsSpace(*token)) AppendRepaired({token, static_cast<std::size_t>(p - token)}, out);
  }
  out.shrink_to_fit();
  return out;
}

void AppendQuoted(std::string_view text, std::string& out) {
  const char* p = text.data();
  const char* const end = p + text.size();
  out.push_back('"');
  while (true) {
    const PlainText run = ScanPlainText(p, end);
    AppendRun(p, run, out);
    if (run.end == end) break;
    AppendEscaped(*run.end, out);
    p = run.end + 1;
  }
  out.push_back('"');
}

}  // namespace k8s::inline v0::codec::detail
