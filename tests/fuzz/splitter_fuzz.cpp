// However a body is cut into chunks, the splitters make the same of it, and never let through what
// nlohmann's parser refuses.

#include <k8s/codec/codec.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/json_reader.hpp"
#include "support/json_oracle.hpp"
#include "support/split.hpp"

namespace {

using nlohmann::json;

void Require(bool condition, const char* what, std::string_view body) {
  if (condition) return;
  std::fprintf(stderr, "%s\nthe body: %.*s\n", what, static_cast<int>(body.size()), body.data());
  std::abort();
}

std::optional<k8s::ErrorKind> KindOf(const std::optional<k8s::Error>& error) {
  return error ? std::optional(error->kind) : std::nullopt;
}

void CheckList(std::string_view body, std::size_t chunk_size) {
  const auto whole = k8s::testing::SplitList(body);
  const auto cut = k8s::testing::SplitList(body, k8s::testing::CutsEvery(chunk_size, body));
  Require(whole.items == cut.items, "other items when cut", body);
  Require(KindOf(whole.error) == KindOf(cut.error), "another end when cut", body);

  bool valid = whole.head.has_value();
  for (const auto& item : whole.items) valid = valid && k8s::codec::Valid(item);
  const auto oracle = k8s::testing::ReadByOracle(body);
  if (!valid || oracle.unknown) return;
  Require(oracle.value.has_value(), "a list that is no JSON", body);
  if (oracle.has_equal_keys) return;
  const json items = oracle.value->value("items", json());
  Require(items.size() == whole.items.size(), "another number of items", body);
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto item = k8s::testing::ReadByOracle(whole.items[i]);
    Require(item.value == items[i], "another item", body);
  }
}

/// Reads JSON values one after another, as long as they are valid.
std::vector<json> ReadStream(std::string_view body) {
  std::istringstream stream(k8s::runtime::detail::ReplaceIllFormed(body));
  std::vector<json> values;
  while (stream >> std::ws, !stream.eof()) {
    try {
      stream >> values.emplace_back();
    } catch (const json::exception&) {
      break;
    }
  }
  return values;
}

void CheckWatch(std::string_view body, std::size_t chunk_size) {
  const auto whole = k8s::testing::SplitWatch(body);
  const auto cut = k8s::testing::SplitWatch(body, k8s::testing::CutsEvery(chunk_size, body));
  Require(whole.frames == cut.frames, "other events when cut", body);
  Require(KindOf(whole.error) == KindOf(cut.error), "another end when cut", body);
  for (std::size_t i = 0; i < whole.frames.size(); ++i) {
    const auto object = k8s::testing::ReadByOracle(whole.frames[i].second);
    Require(k8s::codec::Valid(whole.frames[i].second) == object.value.has_value() || object.unknown,
            "an object of doubtful validity", body);
  }
}

/// Events of a body that is valid throughout are those that nlohmann reads from it.
void CompareWatch(std::string_view body) {
  const auto whole = k8s::testing::SplitWatch(body);
  if (whole.error) return;
  for (const auto& [type, object] : whole.frames) {
    const auto reading = k8s::testing::ReadByOracle(object);
    if (reading.unknown || reading.has_equal_keys || !reading.value) return;
  }
  std::size_t i = 0;
  for (const json& event : ReadStream(body)) {
    Require(i < whole.frames.size(), "an event is missing", body);
    Require(event.value("type", json()) == whole.frames[i].first, "another type", body);
    const auto object = k8s::testing::ReadByOracle(whole.frames[i].second);
    Require(event.value("object", json()) == object.value, "another object", body);
    ++i;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  const std::size_t chunk_size = size == 0 ? 1 : 1 + data[size / 2] % 97;
  CheckList(body, chunk_size);
  CheckWatch(body, chunk_size);
  CompareWatch(body);
  return 0;
}
