#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// The bytes of a file under tests/data. A missing file fails the test and reads as empty.
std::string ReadTestData(std::string_view path);

/// One line of a file of cases.
struct CaseLine {
  int number = 0;                    ///< For messages, from 1.
  std::vector<std::string> columns;  ///< Separated by one TAB; missing ones read as "".
  std::string section;               ///< The last comment line before it that starts a section.

  [[nodiscard]] std::string column(std::size_t i) const {
    return i < columns.size() ? columns[i] : std::string();
  }
};

/// The lines of a file of cases under tests/data, without comments. A section starts at a comment
/// line with `section_mark`.
std::vector<CaseLine> ReadCases(std::string_view path, std::string_view section_mark);

/// The rows of the tables of a Markdown file under tests/data, without heads and rules. The number
/// of cells is the first row's; code marks stay.
std::vector<CaseLine> ReadMarkdownTables(std::string_view path);

/// The text of a JSON string in quotes.
std::string ParseQuoted(std::string_view quoted);

}  // namespace k8s::inline v0::testing
