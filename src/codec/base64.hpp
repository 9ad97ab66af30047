#pragma once

#include <k8s/bytes.hpp>

#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// Reads standard base64 with padding; CR and LF within are skipped, as in Go. Replaces `out`,
/// which has no spare capacity afterwards. Returns false for anything else.
bool DecodeBase64(std::string_view text, Bytes& out);

/// Appends the bytes' base64.
void AppendBase64(const Bytes& bytes, std::string& out);

}  // namespace k8s::inline v0::codec::detail
