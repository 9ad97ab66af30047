#include "runtime/json_text.hpp"

#include <charconv>
#include <cstddef>
#include <cstdint>

namespace k8s::inline v0::runtime::detail {

namespace {

void AppendUtf8(std::uint32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
}

std::uint32_t HexAt(std::string_view text, std::size_t pos) {
  std::uint32_t code = 0;
  if (pos + 4 <= text.size()) std::from_chars(&text[pos], &text[pos] + 4, code, 16);
  return code;
}

// Appends the character of the \u escape at `pos` and returns the position behind it.
std::size_t AppendUnicodeEscape(std::string_view text, std::size_t pos, std::string& out) {
  const std::uint32_t first = HexAt(text, pos + 2);
  pos += 6;
  if (first < 0xD800 || first > 0xDFFF) {
    AppendUtf8(first, out);
    return pos;
  }
  if (first < 0xDC00 && text.substr(pos, 2) == "\\u") {
    const std::uint32_t second = HexAt(text, pos + 2);
    if (second >= 0xDC00 && second <= 0xDFFF) {
      AppendUtf8(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00), out);
      return pos + 6;
    }
  }
  AppendUtf8(0xFFFD, out);
  return pos;
}

char SimpleEscape(char letter) {
  switch (letter) {
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
      return letter;
  }
}

}  // namespace

bool Unquote(std::string_view raw, std::string& out) {
  if (raw.size() < 2 || raw.front() != '"' || raw.back() != '"') return false;
  const std::string_view text = raw.substr(1, raw.size() - 2);
  out.clear();
  for (std::size_t pos = 0; pos < text.size();) {
    const std::size_t escape = text.find('\\', pos);
    out.append(text.substr(pos, escape - pos));
    if (escape == std::string_view::npos || escape + 1 == text.size()) break;
    if (text[escape + 1] == 'u') {
      pos = AppendUnicodeEscape(text, escape, out);
    } else {
      out += SimpleEscape(text[escape + 1]);
      pos = escape + 2;
    }
  }
  return true;
}

void AppendQuoted(std::string_view text, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 0xF];
    } else {
      out += c;
    }
  }
  out += '"';
}

}  // namespace k8s::inline v0::runtime::detail
