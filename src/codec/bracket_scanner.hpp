#pragma once

#include <cstddef>
#include <cstdint>

namespace k8s::inline v0::codec::detail {

/// Finds where a JSON object or array ends that arrives in pieces, by its brackets and quotes
/// alone: whether they match, and all else, is for a decoder to check.
class BracketScanner {
 public:
  /// Looks at the next piece; the first one begins with the opening bracket. Returns the place
  /// behind the bracket that closes it, or null when that is in a later piece. After the end it is
  /// as new.
  const char* Scan(const char* p, const char* end);

 private:
  const char* ScanBlock(const char* block, std::size_t size);
  std::uint64_t Escaped(std::uint64_t backslashes, std::size_t size);

  std::int64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;  // The first byte of the next piece follows a backslash.
};

}  // namespace k8s::inline v0::codec::detail
