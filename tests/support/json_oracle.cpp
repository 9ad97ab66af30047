#include "support/json_oracle.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "runtime/json_reader.hpp"

namespace k8s::inline v0::testing {
namespace {

using Json = nlohmann::json;
using codec::Form;
using codec::TypeInfo;

/// Looks for equal keys, and for the numbers that nlohmann refuses.
class Inspector final : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return true;
  }
  bool key(string_t& name) override {
    has_equal_keys |= !keys_.back().insert(name).second;
    return true;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    number_too_large = error.id == 406;
    return false;
  }

  bool has_equal_keys = false;
  bool number_too_large = false;

 private:
  std::vector<std::set<std::string>> keys_;
};

int Base64Digit(char c) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

/// The text with unused bits set to 0 and without line breaks, or nothing if it is no base64.
std::optional<std::string> CanonicalBase64(std::string text) {
  std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t size = text.size();
  while (size > 0 && text.size() - size < 2 && text[size - 1] == '=') --size;
  for (std::size_t i = 0; i < size; ++i) {
    if (Base64Digit(text[i]) < 0) return std::nullopt;
  }
  if (size < text.size()) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const int unused = text.size() - size == 1 ? 3 : 15;
    text[size - 1] = kDigits[static_cast<std::size_t>(Base64Digit(text[size - 1]) & ~unused)];
  }
  return text;
}

template <class Int>
std::optional<Json> Integer(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<Int>::max())) {
    return std::nullopt;
  }
  const auto value = json.get<std::int64_t>();
  if (!std::in_range<Int>(value)) return std::nullopt;
  return Json(value);
}

std::optional<Json> Elements(const TypeInfo& type, const Json& json) {
  if (!json.is_array()) return std::nullopt;
  Json list = Json::array();
  for (const auto& element : json) {
    auto expected = Expected(*type.element, element);
    if (!expected) return std::nullopt;
    list.push_back(std::move(*expected));
  }
  return list;
}

std::optional<Json> Pairs(const TypeInfo& type, const Json& json) {
  if (!json.is_object()) return std::nullopt;
  Json map = Json::object();
  for (const auto& [key, value] : json.items()) {
    auto expected = Expected(*type.element, value);
    if (!expected) return std::nullopt;
    map[key] = std::move(*expected);
  }
  return map;
}

/// Whether a field of CLIENT_CPP_FIELDS with this value is left out.
bool IsLeftOut(const TypeInfo& type, const Json& value) {
  switch (type.form) {
    case Form::kRequiredList:
      return false;
    case Form::kOptional:
    case Form::kBox:
    case Form::kScalar:
      return value.is_null();
    case Form::kBool:
      return value == false;
    case Form::kInt32:
    case Form::kInt64:
    case Form::kFloat64:
      return value == 0;
    case Form::kString:
    case Form::kBytes:
      return value == "";
    case Form::kList:
    case Form::kMap:
    case Form::kStruct:
      return value.empty();
  }
  return false;
}

Json Absent(const TypeInfo& type);

std::optional<Json> Members(const TypeInfo& type, const Json& json) {
  if (!json.is_object()) return std::nullopt;
  Json object = Json::object();
  for (std::size_t i = 0; i < type.field_count; ++i) {
    const auto& field = type.fields[i];
    const auto found = json.find(std::string(field.name));
    auto value = found == json.end() ? Absent(*field.type) : Expected(*field.type, *found);
    if (!value) return std::nullopt;
    if (!IsLeftOut(*field.type, *value)) object[std::string(field.name)] = std::move(*value);
  }
  return object;
}

/// The value of an object nobody has touched.
Json Absent(const TypeInfo& type) {
  switch (type.form) {
    case Form::kBool:
      return false;
    case Form::kInt32:
    case Form::kInt64:
      return 0;
    case Form::kFloat64:
      return 0.0;
    case Form::kString:
    case Form::kBytes:
      return "";
    case Form::kList:
      return Json::array();
    case Form::kMap:
      return Json::object();
    case Form::kStruct:
      return *Members(type, Json::object());
    case Form::kRequiredList:
    case Form::kOptional:
    case Form::kBox:
    case Form::kScalar:
      return nullptr;
  }
  return nullptr;
}

/// Copies a JSON text, or what should be one, with null in place of the objects and lists of fields
/// that the type does not name: what the codec does not look into. Where the text cannot be
/// followed, the rest of it is copied.
class Hollower {
 public:
  explicit Hollower(std::string_view text) : rest_(text) {}

  std::string Run(const TypeInfo& type) {
    Value(type);
    return std::move(out_).append(rest_);
  }

 private:
  bool At(std::string_view any) { return !rest_.empty() && any.find(rest_[0]) != any.npos; }

  void Copy(std::size_t size) {
    out_ += rest_.substr(0, size);
    rest_.remove_prefix(std::min(size, rest_.size()));
  }
  void Space() { Copy(std::min(rest_.find_first_not_of(" \n\r\t"), rest_.size())); }

  /// The size of the string that the text begins with, or of all text if it has no end.
  static std::size_t StringSize(std::string_view text) {
    std::size_t i = 1;
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    return std::min(i + 1, text.size());
  }
  void Scalar() {
    Copy(At("\"") ? StringSize(rest_) : std::min(rest_.find_first_of(",]} \n\r\t"), rest_.size()));
  }

  /// The size of the object or list that the text begins with, told from its quotes and brackets
  /// alone; 0 if it has no end.
  [[nodiscard]] std::size_t ContainerSize() const {
    int depth = 0;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      const char c = rest_[i];
      if (c == '"') {
        i += StringSize(rest_.substr(i)) - 1;
      } else if (c == '\\' && rest_.substr(i + 1).find_first_of("\\\"") == 0) {
        ++i;  // Backslashes have no place here, but the quote behind one begins no string.
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if ((c == ']' || c == '}') && --depth == 0) {
        return i + 1;
      }
    }
    return 0;
  }

  /// Keeps a value of which the codec looks at all.
  void Whole() {
    if (!At("{[")) return Scalar();
    const std::size_t size = ContainerSize();
    Copy(size > 0 ? size : rest_.size());
  }

  void DropContainer() {
    const std::size_t size = ContainerSize();
    if (size == 0 || rest_[size - 1] != (At("{") ? '}' : ']')) return;
    out_ += "null";
    rest_.remove_prefix(size);
  }

  void Value(const TypeInfo& type) {
    switch (type.form) {
      case Form::kOptional:
      case Form::kBox:
        return Value(*type.element);
      case Form::kStruct:
        return Sequence([&] { Member(type); });
      case Form::kMap:
        return Sequence([&] {
          Name();
          Value(*type.element);
        });
      case Form::kList:
      case Form::kRequiredList:
        return Sequence([&] { Value(*type.element); });
      default:
        return Whole();
    }
  }

  template <class Part>
  void Sequence(Part part) {
    if (!At("{[")) return Scalar();
    do {
      Copy(1);
      Space();
      if (!At("}]")) part();
      Space();
    } while (At(","));
    if (At("}]")) Copy(1);
  }

  std::string Name() {
    const std::size_t at = out_.size();
    Scalar();
    const auto name = Json::parse(out_.substr(at), nullptr, false);
    Space();
    if (At(":")) Copy(1);
    Space();
    return name.is_string() ? name.get<std::string>() : "";
  }

  void Member(const TypeInfo& type) {
    const std::string name = Name();
    for (std::size_t i = 0; i < type.field_count; ++i) {
      if (type.fields[i].name == name) return Value(*type.fields[i].type);
    }
    At("[{") ? DropContainer() : Scalar();
  }

  std::string_view rest_;
  std::string out_;
};

}  // namespace

OracleReading ReadByOracle(std::string_view text) {
  OracleReading reading;
  reading.unknown = text.starts_with("\xEF\xBB\xBF") || text.find('\0') != std::string_view::npos;
  const std::string repaired = runtime::detail::ReplaceIllFormed(text);
  Inspector inspector;
  if (Json::sax_parse(repaired, &inspector)) reading.value = Json::parse(repaired);
  reading.has_equal_keys = inspector.has_equal_keys;
  reading.unknown |= inspector.number_too_large;
  return reading;
}

std::optional<Json> Expected(const TypeInfo& type, const Json& json) {
  if (json.is_null()) return Absent(type);
  switch (type.form) {
    case Form::kBool:
      return json.is_boolean() ? std::optional(json) : std::nullopt;
    case Form::kInt32:
      return Integer<std::int32_t>(json);
    case Form::kInt64:
      return Integer<std::int64_t>(json);
    case Form::kFloat64:
      return json.is_number() ? std::optional<Json>(json.get<double>()) : std::nullopt;
    case Form::kString:
      return json.is_string() ? std::optional(json) : std::nullopt;
    case Form::kBytes:
      if (!json.is_string()) return std::nullopt;
      return CanonicalBase64(json.get<std::string>());
    case Form::kScalar:
      return json;
    case Form::kStruct:
      return Members(type, json);
    case Form::kList:
    case Form::kRequiredList:
      return Elements(type, json);
    case Form::kMap:
      return Pairs(type, json);
    case Form::kOptional:
    case Form::kBox:
      return Expected(*type.element, json);
  }
  return std::nullopt;
}

std::string CompareWithOracle(std::string_view text) {
  OracleReading oracle = ReadByOracle(text);
  if (oracle.unknown) return "";
  if (codec::Valid(text) != oracle.value.has_value()) {
    return oracle.value ? "refused as invalid" : "accepted as valid";
  }
  if (!oracle.value) oracle = ReadByOracle(Hollower(text).Run(codec::TypeOf<Everything>()));
  if (oracle.unknown) return "";
  auto read = codec::Decode<Everything>(text);
  if (oracle.has_equal_keys) return "";
  const auto expected =
      oracle.value ? Expected(codec::TypeOf<Everything>(), *oracle.value) : std::nullopt;
  if (read.has_value() != expected.has_value()) {
    return read ? "read what should be refused" : "refused: " + read.error().message;
  }
  if (!read) return "";
  const std::string written = codec::Encode(*read);
  const auto written_value = ReadByOracle(written).value;
  if (written_value != *expected) {
    return "read as " + written + " where this belongs: " + expected->dump();
  }
  auto again = codec::Decode<Everything>(written);
  const TypeInfo& type = codec::TypeOf<Everything>();
  if (!again) return "refused what it wrote: " + again.error().message;
  return codec::Equal(type, &*read, &*again) ? "" : "unequal after being written and read";
}

}  // namespace k8s::inline v0::testing
