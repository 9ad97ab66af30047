#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0 {

/// Binary data: base64 text in JSON. Mirrors []byte.
using Bytes = std::vector<std::uint8_t>;

/// The bytes as text, for data that is known to be text (most of a Secret's).
[[nodiscard]] inline std::string ToString(const Bytes& bytes) {
  return std::string(bytes.begin(), bytes.end());
}

[[nodiscard]] inline Bytes ToBytes(std::string_view text) {
  return Bytes(text.begin(), text.end());
}

}  // namespace k8s::inline v0
