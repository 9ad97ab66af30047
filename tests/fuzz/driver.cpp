// Runs a fuzz target without libFuzzer: over every file of the given folders, and over a fixed
// number of mutations of them. The same files and seed give the same inputs, so a failure can be
// repeated.
//
//   fuzz_<name> [--mutations N] [--seed S] FOLDER|FILE...
//
// A crash leaves the input's description as the last line of standard error.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

// Mutating the large recorded bodies finds nothing that small ones do not.
constexpr std::size_t kLargestMutated = 16 * 1024;

struct Options {
  std::size_t mutations = 20'000;
  std::uint64_t seed = 1;
  std::vector<std::filesystem::path> files;
};

void Run(std::string_view input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void AddFiles(const std::filesystem::path& path, std::vector<std::filesystem::path>& files) {
  if (!std::filesystem::is_directory(path)) {
    files.push_back(path);
    return;
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
}

Options ParseArguments(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--mutations" && i + 1 < argc) {
      options.mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (argument == "--seed" && i + 1 < argc) {
      options.seed = std::strtoull(argv[++i], nullptr, 10);
    } else {
      AddFiles(argument, options.files);
    }
  }
  std::sort(options.files.begin(), options.files.end());
  return options;
}

// One to four edits that break a text where parsers are weak: bytes that mean something, cuts,
// repeats.
std::string Mutate(std::string text, std::mt19937_64& random) {
  constexpr std::string_view kTelling = "{}[]\",:\\\n0-.eE+ntf \x00\xff\xc3\x80";
  const auto below = [&random](std::size_t limit) {
    return random() % std::max<std::size_t>(limit, 1);
  };
  for (std::size_t edits = 1 + below(4); edits > 0; --edits) {
    const std::size_t at = below(text.size());
    const std::size_t length = std::min(below(64), text.size() - at);
    switch (below(5)) {
      case 0:
        text.insert(at, 1, kTelling[below(kTelling.size())]);
        break;
      case 1:
        if (!text.empty()) text[at] = kTelling[below(kTelling.size())];
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = ParseArguments(argc, argv);
  std::vector<std::string> small;
  for (const auto& file : options.files) {
    std::string text = ReadFile(file);
    std::fprintf(stderr, "%s\n", file.c_str());
    Run(text);
    if (text.size() <= kLargestMutated) small.push_back(std::move(text));
  }
  if (small.empty()) {
    std::fprintf(stderr, "no input of at most %zu bytes among %zu files\n", kLargestMutated,
                 options.files.size());
    return 1;
  }
  std::mt19937_64 random(options.seed);
  for (std::size_t i = 0; i < options.mutations; ++i) {
    if (i % 1000 == 0) std::fprintf(stderr, "mutation %zu of seed %lu\n", i, options.seed);
    Run(Mutate(small[i % small.size()], random));
  }
  std::printf("%zu files, %zu mutations\n", options.files.size(), options.mutations);
  return 0;
}
