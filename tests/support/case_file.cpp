#include "support/case_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

namespace k8s::inline v0::testing {

namespace {

std::vector<std::string> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

}  // namespace

std::string ReadTestData(std::string_view path) {
  const std::string full = std::string(CLIENT_CPP_TEST_DATA "/").append(path);
  std::ifstream file(full, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << full;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<CaseLine> ReadCases(std::string_view path, std::string_view section_mark) {
  std::vector<CaseLine> cases;
  std::string section;
  int number = 0;
  for (const std::string& line : Split(ReadTestData(path), "\n")) {
    ++number;
    if (line.empty()) continue;
    if (line[0] != '#') {
      cases.push_back({number, Split(line, "\t"), section});
    } else if (line.find(section_mark) != std::string::npos) {
      section = line;
    }
  }
  return cases;
}

std::vector<CaseLine> ReadMarkdownTables(std::string_view path) {
  std::vector<CaseLine> rows;
  std::string section;
  int number = 0;
  bool in_body = false;
  for (const std::string& line : Split(ReadTestData(path), "\n")) {
    ++number;
    if (line.starts_with("## ")) section = line.substr(3);
    if (line.starts_with("| ---")) {
      in_body = true;
    } else if (!line.starts_with("| ")) {
      in_body = false;
    } else if (in_body) {
      rows.push_back(
          {number, Split(std::string_view(line).substr(2, line.size() - 4), " | "), section});
    }
  }
  return rows;
}

std::string ParseQuoted(std::string_view quoted) {
  return nlohmann::json::parse(quoted).get<std::string>();
}

}  // namespace k8s::inline v0::testing
