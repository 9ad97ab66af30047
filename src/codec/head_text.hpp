#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// The members of an object that are kept aside, as one JSON text.
class HeadText {
 public:
  /// Returns false, and keeps nothing, when that would be more than `max_bytes`.
  bool Add(std::string_view name, std::string_view value, std::size_t max_bytes) {
    if (text_.size() + name.size() + value.size() + 2 > max_bytes) return false;
    text_ += text_.empty() ? '{' : ',';
    text_.append(name).append(":").append(value);
    return true;
  }
  void Clear() { text_.clear(); }
  [[nodiscard]] std::string Text() const { return text_.empty() ? "{}" : text_ + "}"; }

 private:
  std::string text_;
};

}  // namespace k8s::inline v0::codec::detail
