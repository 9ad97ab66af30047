#include "query.hpp"

#include <algorithm>
#include <charconv>

namespace k8s::inline v0::testing {

std::string PercentDecode(std::string_view text, bool plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr ==
            text.data() + i + 3) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(plus && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return out;
}

std::optional<std::string> QueryParam(std::string_view query, std::string_view key) {
  while (!query.empty()) {
    const auto end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    const auto equals = std::min(pair.find('='), pair.size());
    if (PercentDecode(pair.substr(0, equals), true) == key) {
      return PercentDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    }
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return std::nullopt;
}

}  // namespace k8s::inline v0::testing
