#include "rest/warnings.hpp"

#include <optional>
#include <utility>

namespace k8s::inline v0::rest::detail {

namespace {

void SkipSpace(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

std::string_view TakeWord(std::string_view& text) {
  SkipSpace(text);
  const auto end = text.find(' ');
  const auto word = text.substr(0, end);
  text.remove_prefix(word.size());
  SkipSpace(text);
  return word;
}

/// A quoted string with backslash escapes; no value when there is none, or it does not end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return out;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> ParseWarnings(std::string_view header) {
  std::vector<std::string> texts;
  while (!header.empty()) {
    const auto code = TakeWord(header);
    TakeWord(header);  // The agent.
    auto text = TakeQuoted(header);
    if (!text) break;
    if (code == "299") texts.push_back(std::move(*text));
    SkipSpace(header);
    if (header.starts_with('"') && !TakeQuoted(header)) break;  // An optional date.
    const auto comma = header.find(',');
    header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
  }
  return texts;
}

}  // namespace k8s::inline v0::rest::detail
