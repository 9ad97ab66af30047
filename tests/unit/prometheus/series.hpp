#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace k8s::test {

/// The series of `text` whose lines begin with `prefix`, without comments, sorted.
inline std::vector<std::string> Series(const std::string& text, const std::string& prefix) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with(prefix)) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace k8s::test
