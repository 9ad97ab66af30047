#pragma once

#include <k8s/codec/codec.hpp>
#include <k8s/fields.hpp>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the codec should make of a JSON text, worked out from nlohmann's reading of it.
namespace k8s::inline v0::testing {

/// A scalar of its own: any JSON value, kept as text.
struct AnyText {
  std::string text;
  const char* UnmarshalJSON(std::string_view raw) {
    text = raw == "null" ? "" : std::string(raw);
    return nullptr;
  }
  void MarshalJSON(std::string& out) const { out += text.empty() ? "null" : text; }
  [[nodiscard]] bool IsZero() const { return text.empty(); }
  friend bool operator==(const AnyText&, const AnyText&) = default;
};

/// A type with a field of every form.
struct Everything {
  bool flag = false;
  std::int32_t small = 0;
  std::int64_t large = 0;
  double real = 0;
  std::string text;
  Bytes bytes;
  AnyText any;
  std::vector<std::string> texts;
  std::vector<Everything> children;
  RequiredList<std::int64_t> required;
  StringMap<std::string> labels;
  StringMap<Everything> named;
  StringMap<std::vector<double>> reals;
  std::optional<bool> maybeFlag;
  std::optional<std::int64_t> maybeLarge;
  std::optional<std::string> maybeText;
  Box<Everything> boxed;
  ObjectRef metadata;
};

/// nlohmann's reading of a text, ill-formed UTF-8 and lone surrogates replaced beforehand.
struct OracleReading {
  std::optional<nlohmann::json> value;  ///< Unset: no JSON.
  bool has_equal_keys = false;          ///< Which nlohmann drops and the codec merges.
  /// nlohmann cannot judge it: a number above the largest double, a byte order mark, a NUL, which
  /// it takes for the end.
  bool unknown = false;
};
[[nodiscard]] OracleReading ReadByOracle(std::string_view text);

/// The JSON that the codec writes for an object of `type` read from `json`; unset if it should
/// refuse to read it.
[[nodiscard]] std::optional<nlohmann::json> Expected(const codec::TypeInfo& type,
                                                     const nlohmann::json& json);

/// Compares what the codec makes of a text with the oracle. Returns what differs, or "".
[[nodiscard]] std::string CompareWithOracle(std::string_view text);

}  // namespace k8s::inline v0::testing

CLIENT_CPP_FIELDS(k8s::testing::Everything, flag, small, large, real, text, bytes, any, texts,
                  children, required, labels, named, reals, maybeFlag, maybeLarge, maybeText, boxed,
                  metadata);
