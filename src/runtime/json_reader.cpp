#include "runtime/json_reader.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "codec/text.hpp"

namespace k8s::inline v0::runtime::detail {

namespace {

using nlohmann::json;

/// Builds a value from nlohmann's parser events; its own builder knows neither the numbers' rule
/// nor a limit of depth, and its messages quote the text, which may be a secret.
class Builder final : public json::json_sax_t {
 public:
  bool null() override { return Put(nullptr); }
  bool boolean(bool value) override { return Put(value); }
  bool number_integer(std::int64_t value) override { return Put(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Put(static_cast<double>(value));
    }
    return Put(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& /*text*/) override { return Put(value); }
  bool string(std::string& value) override { return Put(std::move(value)); }
  bool binary(json::binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override { return Open(json::object()); }
  bool key(std::string& name) override {
    member_ = &(*open_.back())[std::move(name)];
    return true;
  }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t /*size*/) override { return Open(json::array()); }
  bool end_array() override { return Close(); }

  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const json::exception& /*fault*/) override {
    fault_ = "not valid JSON at byte " + std::to_string(position);
    return false;
  }

  [[nodiscard]] const std::string& fault() const { return fault_; }
  [[nodiscard]] json TakeRoot() { return std::move(root_); }

 private:
  json* Place(json value) {
    if (open_.empty()) return &(root_ = std::move(value));
    auto& parent = *open_.back();
    if (parent.is_object()) return &(*member_ = std::move(value));
    parent.push_back(std::move(value));
    return &parent.back();
  }
  bool Put(json value) {
    Place(std::move(value));
    return true;
  }
  bool Open(json value) {
    if (open_.size() == kMaxJsonDepth) {
      fault_ = "JSON nested deeper than " + std::to_string(kMaxJsonDepth);
      return false;
    }
    open_.push_back(Place(std::move(value)));
    return true;
  }
  bool Close() {
    open_.pop_back();
    return true;
  }

  json root_;
  /// The containers around the next value. A container that is open is the last of its parent, so
  /// that the parent does not move it.
  std::vector<json*> open_;
  json* member_ = nullptr;
  std::string fault_;
};

/// The value of the four digits of a \u escape at `at`, or none.
std::optional<unsigned int> EscapedUnit(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) != "\\u" || text.size() < at + 6) return std::nullopt;
  unsigned int unit = 0;
  const char* first = text.data() + at + 2;
  const auto [end, fault] = std::from_chars(first, first + 4, unit, 16);
  if (fault != std::errc() || end != first + 4) return std::nullopt;
  return unit;
}

bool IsHigh(unsigned int unit) { return unit >= 0xd800 && unit < 0xdc00; }
bool IsLow(unsigned int unit) { return unit >= 0xdc00 && unit < 0xe000; }

/// How many characters of `text` at a backslash belong together.
std::size_t EscapeLength(std::string_view text, std::size_t at, bool& lone) {
  const auto unit = EscapedUnit(text, at);
  lone = false;
  if (!unit) return 2;
  if (IsHigh(*unit)) {
    const auto next = EscapedUnit(text, at + 6);
    if (next && IsLow(*next)) return 12;
  }
  lone = IsHigh(*unit) || IsLow(*unit);
  return 6;
}

void WriteDouble(double value, std::string& out) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  // Go's rule: an exponent only for very small and very large numbers.
  const double size = std::fabs(value);
  const bool plain = size == 0 || (size >= 1e-6 && size < 1e21);
  std::array<char, 64> text{};
  const auto format = plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format).ptr;
  out.append(text.data(), end);
}

template <class Container, class Each>
void WriteSequence(const Container& values, Each each, std::string& out) {
  bool first = true;
  for (auto it = values.begin(); it != values.end(); ++it) {
    if (!std::exchange(first, false)) out += ',';
    each(it);
  }
}

}  // namespace

std::string ReplaceIllFormed(std::string_view text) {
  std::string repaired;
  codec::detail::AppendRepaired(text, repaired);
  std::size_t backslash = repaired.find('\\');
  while (backslash != std::string::npos) {
    bool lone = false;
    const auto length = EscapeLength(repaired, backslash, lone);
    if (lone) repaired.replace(backslash + 2, 4, "fffd");
    backslash = repaired.find('\\', backslash + length);
  }
  return repaired;
}

Result<json> ReadJson(std::string_view text) {
  Builder builder;
  if (json::sax_parse(ReplaceIllFormed(text), &builder)) return builder.TakeRoot();
  return DecodeError(builder.fault());
}

void WriteJson(const json& value, std::string& out) {
  if (value.is_object()) {
    out += '{';
    WriteSequence(
        value,
        [&out](json::const_iterator it) {
          codec::detail::AppendQuoted(it.key(), out);
          out += ':';
          WriteJson(*it, out);
        },
        out);
    out += '}';
  } else if (value.is_array()) {
    out += '[';
    WriteSequence(
        value, [&out](json::const_iterator it) { WriteJson(*it, out); }, out);
    out += ']';
  } else if (value.is_string()) {
    codec::detail::AppendQuoted(value.get_ref<const std::string&>(), out);
  } else if (value.is_number_float()) {
    WriteDouble(value.get<double>(), out);
  } else {
    out += value.dump();
  }
}

}  // namespace k8s::inline v0::runtime::detail
