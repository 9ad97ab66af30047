#include <k8s/runtime/raw_json.hpp>

#include <cstddef>

namespace k8s::inline v0::runtime {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The end of the JSON string that starts at `pos`.
std::size_t SkipString(std::string_view raw, std::size_t pos) {
  for (++pos; pos < raw.size() && raw[pos] != '"'; ++pos) {
    if (raw[pos] == '\\') ++pos;
  }
  return pos < raw.size() ? pos + 1 : raw.size();
}

}  // namespace

const char* RawJson::UnmarshalJSON(std::string_view raw) {
  text_.clear();
  if (raw == "null") return nullptr;
  text_.reserve(raw.size());
  for (std::size_t pos = 0; pos < raw.size();) {
    const std::size_t end = raw[pos] == '"' ? SkipString(raw, pos) : pos + 1;
    if (!IsSpace(raw[pos])) text_.append(raw.substr(pos, end - pos));
    pos = end;
  }
  return nullptr;
}

}  // namespace k8s::inline v0::runtime
