#pragma once

#include <k8s/result.hpp>

#include <string>
#include <utility>

namespace k8s::inline v0::util::detail {

/// Collects what is wrong with a configuration, so that all of it is told at once.
class Problems {
 public:
  void Add(const std::string& problem) {
    if (!text_.empty()) text_ += "; ";
    text_ += problem;
  }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] Error ToError() const {
    return {.kind = ErrorKind::kConfig, .message = "invalid configuration: " + text_};
  }
  [[nodiscard]] Result<void> ToResult() const {
    if (empty()) return {};
    return ToError();
  }

 private:
  std::string text_;
};

}  // namespace k8s::inline v0::util::detail
