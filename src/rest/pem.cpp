#include "rest/pem.hpp"

#include <k8s/bytes.hpp>

#include <cstddef>

#include "codec/base64.hpp"

namespace k8s::inline v0::rest::detail {

bool HasPemBlock(std::string_view text, std::string_view label) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kDashes = "-----";
  for (std::size_t begin = text.find(kBegin); begin != std::string_view::npos;
       begin = text.find(kBegin, begin + 1)) {
    const std::size_t name = begin + kBegin.size();
    const std::size_t name_end = text.find(kDashes, name);
    if (name_end == std::string_view::npos) return false;
    if (!text.substr(name, name_end - name).ends_with(label)) continue;
    const std::size_t body = name_end + kDashes.size();
    const std::size_t end = text.find("-----END ", body);
    if (end == std::string_view::npos) return false;
    // Encrypted keys of the old form have header lines, which are left to the TLS library.
    const std::string_view content = text.substr(body, end - body);
    Bytes bytes;
    if (content.find(':') != std::string_view::npos ||
        codec::detail::DecodeBase64(content, bytes)) {
      return true;
    }
  }
  return false;
}

}  // namespace k8s::inline v0::rest::detail
