// Whatever the bytes are, the decoder makes of them what nlohmann's parser makes of them, or an
// error.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/json_oracle.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string difference = k8s::testing::CompareWithOracle(text);
  if (difference.empty()) return 0;
  std::fprintf(stderr, "%s\nthe text: %.*s\n", difference.c_str(), static_cast<int>(size),
               text.data());
  std::abort();
}
