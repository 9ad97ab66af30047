#include "codec/base64.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace k8s::inline v0::codec::detail {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t kNoDigit = 0xFF;

constexpr std::array<std::uint8_t, 256> MakeDigits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(kNoDigit);
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    digits[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}

constexpr std::array<std::uint8_t, 256> kDigits = MakeDigits();

std::uint32_t Digit(char c) { return kDigits[static_cast<unsigned char>(c)]; }

/// The text without line breaks: itself, or what `storage` then holds.
std::string_view WithoutLineBreaks(std::string_view text, std::string& storage) {
  if (text.find_first_of("\r\n") == std::string_view::npos) return text;
  std::copy_if(text.begin(), text.end(), std::back_inserter(storage),
               [](char c) { return c != '\r' && c != '\n'; });
  return storage;
}

/// Writes the `bytes` (1 to 3) bytes that four characters stand for; false for a bad character.
bool DecodeGroup(const char* text, std::size_t bytes, std::uint8_t* out) {
  std::uint32_t group = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint32_t digit = i <= bytes ? Digit(text[i]) : 0;
    if (digit == kNoDigit) return false;
    group = group << 6 | digit;
  }
  for (std::size_t i = 0; i < bytes; ++i) {
    out[i] = static_cast<std::uint8_t>(group >> (16 - 8 * i));
  }
  return true;
}

}  // namespace

bool DecodeBase64(std::string_view text, Bytes& out) {
  std::string storage;
  text = WithoutLineBreaks(text, storage);
  if (text.size() % 4 != 0) return false;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  Bytes bytes(text.size() / 4 * 3 - padding);
  std::size_t written = 0;
  for (std::size_t i = 0; i < text.size(); i += 4) {
    const std::size_t size = std::min<std::size_t>(3, bytes.size() - written);
    if (!DecodeGroup(text.data() + i, size, bytes.data() + written)) return false;
    written += size;
  }
  out = std::move(bytes);
  return true;
}

void AppendBase64(const Bytes& bytes, std::string& out) {
  out.reserve(out.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t size = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < size ? bytes[i + j] : 0u);
    for (std::size_t j = 0; j < 4; ++j) {
      out.push_back(j <= size ? kAlphabet[group >> (18 - 6 * j) & 63] : '=');
    }
  }
}

}  // namespace k8s::inline v0::codec::detail
