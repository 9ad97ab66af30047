#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/// Searches that decide the codec's speed: 32 or 64 bytes at a time where the processor has SSE2,
/// which every x86-64 has, else one.
namespace k8s::inline v0::codec::detail {

[[nodiscard]] constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Ends a run of plain text within a JSON string: a quote, a backslash or a control character.
[[nodiscard]] constexpr bool EndsPlainText(char c) {
  return c == '"' || c == '\\' || static_cast<unsigned char>(c) < 0x20;
}

[[nodiscard]] inline const char* SkipSpace(const char* p, const char* end) {
  while (p != end && IsSpace(*p)) ++p;
  return p;
}

/// A run of text within a JSON string.
struct PlainText {
  const char* end;  ///< The first byte for which EndsPlainText, or the end of the input.
  bool ascii;       ///< Whether all bytes before are ASCII.
};

[[nodiscard]] inline PlainText ScanPlainTextBytewise(const char* p, const char* end, bool ascii) {
  for (; p != end && !EndsPlainText(*p); ++p) ascii &= static_cast<signed char>(*p) >= 0;
  return {p, ascii};
}

#if defined(__SSE2__)

/// The bytes for which EndsPlainText, as 0xFF.
[[nodiscard]] inline __m128i PlainTextEnds(__m128i bytes) {
  const __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
  const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
  const __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
  return _mm_or_si128(_mm_or_si128(quotes, backslashes), controls);
}

[[nodiscard]] inline PlainText ScanPlainText(const char* p, const char* end) {
  unsigned high = 0;
  for (; end - p >= 16; p += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    const auto found = static_cast<unsigned>(_mm_movemask_epi8(PlainTextEnds(bytes)));
    const auto high_here = static_cast<unsigned>(_mm_movemask_epi8(bytes));
    if (found != 0) {
      high |= high_here & ((found & -found) - 1);
      return {p + std::countr_zero(found), high == 0};
    }
    high |= high_here;
  }
  return ScanPlainTextBytewise(p, end, high == 0);
}

/// Bit i of the result tells of byte i of 64: `mask` gives the bits of 16 bytes. Written out, as
/// compilers do not unroll such a loop at -O2.
template <class Mask>
[[nodiscard]] inline std::uint64_t MaskOf64(const char* p, Mask mask) {
  const auto bits = [&](int i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + 16 * i));
    return static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(mask(bytes))));
  };
  return bits(0) | bits(1) << 16 | bits(2) << 32 | bits(3) << 48;
}

/// Finds the ends of many texts in turn. A search by ScanPlainText can only begin when the one
/// before has ended; this one has looked 64 bytes ahead by then, which is much faster for short
/// texts.
class TextEnds {
 public:
  TextEnds(const char* begin, const char* end) : block_end_(begin), end_(end) {}

  /// The first byte at or after p for which EndsPlainText, or the end. Requires: p never goes back.
  [[nodiscard]] const char* After(const char* p) {
    while (true) {
      if (p < block_end_) {
        const std::uint64_t found = ends_ >> (64 - (block_end_ - p));
        if (found != 0) return p + std::countr_zero(found);
        p = block_end_;
      }
      if (end_ - p < 64) return ScanPlainText(p, end_).end;
      ends_ = MaskOf64(p, PlainTextEnds);
      block_end_ = p + 64;
    }
  }

 private:
  const char* block_end_;
  const char* end_;
  std::uint64_t ends_ = 0;  // Of the 64 bytes before block_end_.
};

#else

[[nodiscard]] inline PlainText ScanPlainText(const char* p, const char* end) {
  return ScanPlainTextBytewise(p, end, true);
}

class TextEnds {
 public:
  TextEnds(const char* /*begin*/, const char* end) : end_(end) {}
  [[nodiscard]] const char* After(const char* p) { return ScanPlainText(p, end_).end; }

 private:
  const char* end_;
};

#endif

/// Whether all bytes are ASCII without white space and control characters.
[[nodiscard]] inline bool IsGraphic(std::string_view text) {
  const char* p = text.data();
  const char* const end = p + text.size();
#if defined(__SSE2__)
  for (; end - p >= 16; p += 16) {
    // Bytes that are not ASCII are negative.
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    if (_mm_movemask_epi8(_mm_cmplt_epi8(bytes, _mm_set1_epi8('!'))) != 0) return false;
  }
#endif
  while (p != end && static_cast<signed char>(*p) >= '!') ++p;
  return p == end;
}

/// Bit i tells of byte i of 64.
struct BlockMasks {
  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t opening = 0;  ///< { and [
  std::uint64_t closing = 0;  ///< } and ]
};

#if defined(__SSE2__)

[[nodiscard]] inline BlockMasks ClassifyBlock(const char* p) {
  const auto equal = [](char c) {
    return [c](__m128i bytes) { return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c)); };
  };
  // Setting the bit 0x20 makes one of [ and {, and one of ] and }, and of nothing else.
  const auto equal_folded = [](char c) {
    return [c](__m128i bytes) {
      return _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(0x20)), _mm_set1_epi8(c));
    };
  };
  return {.quotes = MaskOf64(p, equal('"')),
          .backslashes = MaskOf64(p, equal('\\')),
          .opening = MaskOf64(p, equal_folded('{')),
          .closing = MaskOf64(p, equal_folded('}'))};
}

#else

[[nodiscard]] inline BlockMasks ClassifyBlock(const char* p) {
  BlockMasks masks;
  for (int i = 0; i < 64; ++i) {
    const std::uint64_t bit = std::uint64_t{1} << i;
    if (p[i] == '"') masks.quotes |= bit;
    if (p[i] == '\\') masks.backslashes |= bit;
    if ((p[i] | 0x20) == '{') masks.opening |= bit;
    if ((p[i] | 0x20) == '}') masks.closing |= bit;
  }
  return masks;
}

#endif

template <class Word>
[[nodiscard]] inline bool EqualEnds(const char* left, const char* right, std::size_t size) {
  const auto load = [](const char* p) {
    Word word;
    std::memcpy(&word, p, sizeof word);
    return word;
  };
  const std::size_t last = size - sizeof(Word);
  return ((load(left) ^ load(right)) | (load(left + last) ^ load(right + last))) == 0;
}

/// left == right, faster than a call of memcmp for texts as short as field names.
[[nodiscard]] inline bool EqualShort(std::string_view left, std::string_view right) {
  const std::size_t size = left.size();
  if (size != right.size()) return false;
  if (size > 16) return std::memcmp(left.data(), right.data(), size) == 0;
  if (size >= 8) return EqualEnds<std::uint64_t>(left.data(), right.data(), size);
  if (size >= 4) return EqualEnds<std::uint32_t>(left.data(), right.data(), size);
  for (std::size_t i = 0; i < size; ++i) {
    if (left[i] != right[i]) return false;
  }
  return true;
}

}  // namespace k8s::inline v0::codec::detail
