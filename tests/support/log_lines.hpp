#pragma once

#include <k8s/log.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::test {

/// Collects what the library logs while it lives. One at a time.
class LogLines {
 public:
  LogLines() {
    log::SetSink([this](log::Level, std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    });
  }
  LogLines(const LogLines&) = delete;
  LogLines& operator=(const LogLines&) = delete;
  ~LogLines() { log::SetSink({}); }

  [[nodiscard]] std::vector<std::string> Get() const {
    const std::lock_guard lock(mutex_);
    return lines_;
  }
  /// All of them, with line ends.
  [[nodiscard]] std::string Text() const {
    std::string text;
    for (const auto& line : Get()) text += line + "\n";
    return text;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace k8s::test
