#pragma once

#include <k8s/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// Where a paged list goes on: the state it shows and the first key of the next page. As a real
/// server's token, base64url of a small JSON object.
struct ContinueToken {
  std::int64_t version = 0;  ///< -1: whatever is there now.
  std::string start;

  [[nodiscard]] std::string Encode() const;
  /// Errors: 400.
  [[nodiscard]] static Result<ContinueToken> Decode(std::string_view text);
};

}  // namespace k8s::inline v0::testing
