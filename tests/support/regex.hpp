#pragma once

#include <regex.h>

#include <stdexcept>
#include <string>

namespace k8s::test {

/// The text with `replacement` in place of all that matches a POSIX extended pattern. <regex> is no
/// choice: g++ 12 warns of its own code under AddressSanitizer.
inline std::string RegexReplaced(const std::string& text, const std::string& pattern,
                                 const std::string& replacement) {
  regex_t compiled;
  if (regcomp(&compiled, pattern.c_str(), REG_EXTENDED) != 0) {
    throw std::invalid_argument("not a pattern: " + pattern);
  }
  std::string replaced;
  const char* rest = text.c_str();
  regmatch_t match;
  while (regexec(&compiled, rest, 1, &match, 0) == 0 && match.rm_eo > 0) {
    replaced.append(rest, static_cast<std::size_t>(match.rm_so)).append(replacement);
    rest += match.rm_eo;
  }
  regfree(&compiled);
  return replaced + rest;
}

}  // namespace k8s::test
