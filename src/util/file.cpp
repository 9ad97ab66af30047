#include "util/file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

namespace k8s::inline v0::util::detail {

namespace {

/// More than any file of a configuration has; devices never end.
constexpr std::size_t kLargest = std::size_t{64} << 20;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Error CannotRead(const std::string& path, int code) {
  return {.kind = ErrorKind::kConfig,
          .message = "cannot read " + path + ": " + std::generic_category().message(code)};
}

}  // namespace

// Not by std::ifstream, which throws when it reads from a directory.
Result<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rbe"));
  if (!file) return CannotRead(path, errno);
  std::string text;
  std::array<char, 4096> block;
  for (;;) {
    const std::size_t size = std::fread(block.data(), 1, block.size(), file.get());
    if (size == 0 && std::ferror(file.get()) != 0) return CannotRead(path, errno);
    if (size == 0) return text;
    if (text.size() > kLargest) {
      return Error{.kind = ErrorKind::kConfig, .message = path + " is larger than 64 MiB"};
    }
    text.append(block.data(), size);
  }
}

std::string Trim(std::string text) {
  constexpr const char* kSpaces = " \t\r\n";
  text.erase(text.find_last_not_of(kSpaces) + 1);
  text.erase(0, text.find_first_not_of(kSpaces));
  return text;
}

}  // namespace k8s::inline v0::util::detail
