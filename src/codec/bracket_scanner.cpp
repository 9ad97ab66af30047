#include "codec/bracket_scanner.hpp"

#include "codec/scan.hpp"

#include <bit>
#include <cstring>

namespace k8s::inline v0::codec::detail {
namespace {

constexpr std::size_t kBlock = 64;

/// Bit i of the result is the parity of the bits 0 to i.
std::uint64_t PrefixXor(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

/// std::popcount is a call where the processor need not have an instruction for it, as x86-64.
std::int64_t Count(std::uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return static_cast<std::int64_t>(bits * 0x0101010101010101 >> 56);
}

}  // namespace

/// Which of the `size` bytes follow a backslash that is not escaped itself.
std::uint64_t BracketScanner::Escaped(std::uint64_t backslashes, std::size_t size) {
  std::uint64_t escaped = escaped_ ? 1 : 0;
  escaped_ = false;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const auto at = static_cast<std::size_t>(std::countr_zero(backslashes));
    if (at + 1 == size) {
      escaped_ = true;
      break;
    }
    const std::uint64_t next = std::uint64_t{2} << at;
    escaped |= next;
    backslashes &= ~(next | next >> 1);
  }
  return escaped;
}

const char* BracketScanner::ScanBlock(const char* block, std::size_t size) {
  const BlockMasks masks = ClassifyBlock(block);
  const std::uint64_t quotes = masks.quotes & ~Escaped(masks.backslashes, size);
  const std::uint64_t strings = PrefixXor(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
  in_string_ = strings >> 63 != 0;
  std::uint64_t opening = masks.opening & ~strings;
  std::uint64_t closing = masks.closing & ~strings;
  // What is empty within the value does not count; managed fields are full of it.
  const std::uint64_t first = depth_ == 0 ? 1 : 0;
  const std::uint64_t empty = opening & closing >> 1 & ~first;
  opening ^= empty;
  closing ^= empty << 1;
  const std::int64_t closed = Count(closing);
  if (closed < depth_) {
    depth_ += Count(opening) - closed;
    return nullptr;
  }
  for (std::int64_t depth = depth_; closing != 0; closing &= closing - 1) {
    const std::uint64_t before = (closing & -closing) - 1;
    --depth;
    if (depth + Count(opening & before) == 0) return block + std::countr_zero(closing) + 1;
  }
  depth_ += Count(opening) - closed;
  return nullptr;
}

const char* BracketScanner::Scan(const char* p, const char* end) {
  const char* found = nullptr;
  for (; !found && end - p >= static_cast<std::ptrdiff_t>(kBlock); p += kBlock) {
    found = ScanBlock(p, kBlock);
  }
  if (!found && p != end) {
    char block[kBlock];
    const auto size = static_cast<std::size_t>(end - p);
    std::memset(block, ' ', sizeof block);
    std::memcpy(block, p, size);
    if (const char* at = ScanBlock(block, size)) found = p + (at - block);
  }
  if (found) *this = BracketScanner();
  return found;
}

}  // namespace k8s::inline v0::codec::detail
