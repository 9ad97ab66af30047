#include "clientcmd/yaml_reader.hpp"

#include <k8s/bytes.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <system_error>

#include "codec/base64.hpp"

namespace k8s::inline v0::clientcmd::detail {

namespace {

enum class Kind { kNull, kBool, kNumber, kString };

// Mappings that merge themselves would never end.
constexpr int kMaxMerges = 16;

constexpr std::array<std::string_view, 11> kTrue = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                                    "True", "TRUE", "on",  "On",  "ON"};
constexpr std::array<std::string_view, 11> kFalse = {"n",     "N",     "no",  "No",  "NO", "false",
                                                     "False", "FALSE", "off", "Off", "OFF"};
constexpr std::array<std::string_view, 5> kNull = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 12> kSpecialNumbers = {".nan",  ".NaN",  ".NAN",  ".inf",
                                                              ".Inf",  ".INF",  "+.inf", "+.Inf",
                                                              "+.INF", "-.inf", "-.Inf", "-.INF"};

template <class Words>
bool IsOneOf(const Words& words, std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool ConsistsOf(std::string_view text, std::string_view characters) {
  return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}

std::size_t CountDigits(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

// [0-9]*(\.[0-9]*)?([eE][-+]?[0-9]+)? with a digit before the exponent.
bool IsDecimal(std::string_view text) {
  std::size_t digits = CountDigits(text);
  text.remove_prefix(digits);
  if (text.starts_with('.')) {
    const std::size_t fraction = CountDigits(text.substr(1));
    digits += fraction;
    text.remove_prefix(1 + fraction);
  }
  if (digits == 0 || text.empty()) return digits > 0;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return ConsistsOf(text, "0123456789");
}

// As YAML 1.1 has it, less the sexagesimal forms.
bool IsNumber(std::string text) {
  if (IsOneOf(kSpecialNumbers, text)) return true;
  std::erase(text, '_');
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  const std::string_view prefix = rest.substr(0, 2);
  if (prefix == "0x" || prefix == "0X") {
    return ConsistsOf(rest.substr(2), "0123456789abcdefABCDEF");
  }
  if (prefix == "0o" || prefix == "0O") return ConsistsOf(rest.substr(2), "01234567");
  if (prefix == "0b" || prefix == "0B") return ConsistsOf(rest.substr(2), "01");
  return IsDecimal(rest);
}

Kind Classify(const YAML::Node& node) {
  const std::string& tag = node.Tag();
  if (tag == "!" || tag == "tag:yaml.org,2002:str") return Kind::kString;  // in quotes
  const std::string& text = node.Scalar();
  if (IsOneOf(kNull, text)) return Kind::kNull;
  if (IsOneOf(kTrue, text) || IsOneOf(kFalse, text)) return Kind::kBool;
  return IsNumber(text) ? Kind::kNumber : Kind::kString;
}

// Node's own operator[] finds the first of repeated keys and does not know merge keys.
std::optional<YAML::Node> Find(const YAML::Node& map, const std::string& key, int merges) {
  std::optional<YAML::Node> found;
  for (const auto& entry : map) {
    if (entry.first.IsScalar() && entry.first.Scalar() == key) found.emplace(entry.second);
  }
  if (found || merges == 0) return found;
  for (const auto& entry : map) {
    if (!entry.first.IsScalar() || entry.first.Scalar() != "<<") continue;
    if (entry.second.IsMap()) return Find(entry.second, key, merges - 1);
    for (const auto& source : entry.second) {
      if (source.IsMap()) found = Find(source, key, merges - 1);
      if (found) return found;
    }
  }
  return found;
}

// A document may refer to its parts many times over, even to the whole from within.
constexpr int kMaxJsonDepth = 64;
constexpr int kMaxJsonNodes = 100'000;

// Makes JSON of YAML.
class JsonMaker {
 public:
  explicit JsonMaker(const YamlReader& reader) : reader_(reader) {}

  nlohmann::json Make(const YAML::Node& node, int depth = 0) {
    if (depth > kMaxJsonDepth || ++nodes_ > kMaxJsonNodes)
      reader_.Fail("too large or nested too deep");
    if (node.IsScalar()) return Scalar(node);
    nlohmann::json out;
    if (node.IsSequence()) {
      out = nlohmann::json::array();
      for (const auto& item : node) out.push_back(Make(item, depth + 1));
    } else if (node.IsMap()) {
      out = nlohmann::json::object();
      for (const auto& entry : node) {
        if (!entry.first.IsScalar()) reader_.Fail("a key that is no text");
        if (entry.first.Scalar() != "<<") out[entry.first.Scalar()] = Make(entry.second, depth + 1);
      }
      for (const auto& entry : node) {
        if (entry.first.Scalar() == "<<") Merge(Make(entry.second, depth + 1), out);
      }
    }
    return out;
  }

 private:
  static void Merge(const nlohmann::json& source, nlohmann::json& into) {
    if (source.is_object()) into.insert(source.begin(), source.end());  // Keeps what is there.
    if (!source.is_array()) return;
    for (const auto& item : source) Merge(item, into);
  }

  nlohmann::json Scalar(const YAML::Node& node) {
    switch (Classify(node)) {
      case Kind::kNull:
        return nullptr;
      case Kind::kBool:
        return IsOneOf(kTrue, node.Scalar());
      case Kind::kNumber:
        return Number(node.Scalar());
      case Kind::kString:
        break;
    }
    return node.Scalar();
  }

  nlohmann::json Number(std::string text) {
    std::erase(text, '_');
    if (text.starts_with('+')) text.erase(0, 1);
    const bool negative = text.starts_with('-');
    std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
    int base = 10;
    if (digits.size() > 1 && digits[0] == '0') {
      const char mark = static_cast<char>(std::tolower(static_cast<unsigned char>(digits[1])));
      if (mark == 'x') base = 16;
      if (mark == 'b') base = 2;
      if (mark == 'o' || std::isdigit(static_cast<unsigned char>(mark)) != 0) base = 8;
      if (std::isalpha(static_cast<unsigned char>(mark)) != 0 && base != 10)
        digits.remove_prefix(2);
    }
    std::int64_t value = 0;
    const char* const end = digits.data() + digits.size();
    if (const auto read = std::from_chars(digits.data(), end, value, base);
        read.ec == std::errc() && read.ptr == end) {
      return negative ? -value : value;
    }
    double real = 0;
    const char* const text_end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), text_end, real);
    if (read.ec != std::errc() || read.ptr != text_end || !std::isfinite(real)) {
      reader_.Fail("a number that JSON does not have");
    }
    return real;
  }

  const YamlReader& reader_;
  int nodes_ = 0;
};

}  // namespace

YamlReader::YamlReader(YAML::Node node, std::string path)
    : node_(std::move(node)), path_(std::move(path)) {}

YamlReader YamlReader::Get(const std::string& key) const {
  const std::string path = path_.empty() ? key : path_ + "." + key;
  if (IsNull()) return {YAML::Node(), path};
  if (!node_.IsMap()) Fail("not a mapping");
  return {Find(node_, key, kMaxMerges).value_or(YAML::Node()), path};
}

bool YamlReader::IsNull() const {
  return !node_.IsDefined() || node_.IsNull() ||
         (node_.IsScalar() && Classify(node_) == Kind::kNull);
}

std::string YamlReader::String() const {
  if (IsNull()) return {};
  if (!node_.IsScalar()) Fail("not a text");
  if (Classify(node_) != Kind::kString) Fail("a number or bool where text belongs; quote it");
  return node_.Scalar();
}

YamlReader YamlReader::Called(const std::string& name) const {
  return {node_, path_ + " (\"" + name + "\")"};
}

bool YamlReader::Bool() const {
  if (IsNull()) return false;
  if (!node_.IsScalar() || Classify(node_) != Kind::kBool) Fail("not true or false");
  return IsOneOf(kTrue, node_.Scalar());
}

std::string YamlReader::Bytes() const {
  k8s::Bytes bytes;
  const std::string text = String();
  if (text.starts_with("-----BEGIN")) Fail("PEM as it is, where base64 of it belongs");
  if (!codec::detail::DecodeBase64(text, bytes)) Fail("not base64");
  return {bytes.begin(), bytes.end()};
}

std::string YamlReader::Json() const {
  return JsonMaker(*this).Make(node_).dump(-1, ' ', false,
                                           nlohmann::json::error_handler_t::replace);
}

std::vector<std::string> YamlReader::Strings() const {
  std::vector<std::string> out;
  for (const YamlReader& item : List()) out.push_back(item.String());
  return out;
}

std::vector<YamlReader> YamlReader::List() const {
  std::vector<YamlReader> out;
  if (IsNull()) return out;
  if (!node_.IsSequence()) Fail("not a list");
  for (const auto& item : node_) {
    out.emplace_back(item, path_ + "[" + std::to_string(out.size()) + "]");
  }
  return out;
}

std::vector<std::pair<std::string, YamlReader>> YamlReader::Members() const {
  std::vector<std::pair<std::string, YamlReader>> out;
  if (IsNull()) return out;
  if (!node_.IsMap()) Fail("not a mapping");
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) Fail("a key that is no text");
    out.emplace_back(entry.first.Scalar(),
                     YamlReader(entry.second, path_ + "." + entry.first.Scalar()));
  }
  return out;
}

void YamlReader::Fail(const std::string& problem) const {
  throw YamlError((path_.empty() ? "the document" : path_) + ": " + problem);
}

}  // namespace k8s::inline v0::clientcmd::detail
