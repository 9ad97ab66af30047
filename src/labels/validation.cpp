#include <k8s/labels/selector.hpp>

#include <algorithm>
#include <cstddef>

namespace k8s::inline v0::labels {

namespace {

constexpr std::size_t kMaxNameSize = 63;
constexpr std::size_t kMaxPrefixSize = 253;

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) { return IsLower(c) || (c >= 'A' && c <= 'Z') || IsDigit(c); }
bool IsNameCharacter(char c) { return IsAlphanumeric(c) || c == '-' || c == '_' || c == '.'; }

const char* ValidateName(std::string_view name) {
  if (name.size() > kMaxNameSize) return "longer than 63 characters";
  if (!IsAlphanumeric(name.front()) || !IsAlphanumeric(name.back()) ||
      !std::all_of(name.begin(), name.end(), IsNameCharacter)) {
    return "must consist of letters, digits, '-', '_' and '.', and start and end with a letter or "
           "digit";
  }
  return nullptr;
}

bool IsDnsLabel(std::string_view label) {
  return !label.empty() && label.front() != '-' && label.back() != '-' &&
         std::all_of(label.begin(), label.end(),
                     [](char c) { return IsLower(c) || IsDigit(c) || c == '-'; });
}

bool IsDnsSubdomain(std::string_view text) {
  for (;;) {
    const std::size_t dot = text.find('.');
    if (!IsDnsLabel(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace

const char* ValidateKey(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    if (prefix.size() > kMaxPrefixSize || !IsDnsSubdomain(prefix)) {
      return "the part before '/' must be a lower-case DNS name";
    }
    key.remove_prefix(slash + 1);
  }
  return key.empty() ? "the name part is empty" : ValidateName(key);
}

const char* ValidateValue(std::string_view value) {
  return value.empty() ? nullptr : ValidateName(value);
}

}  // namespace k8s::inline v0::labels
