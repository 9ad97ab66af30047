#include "rest/warnings.hpp"

#include <k8s/log.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "codec/text.hpp"
#include "rest/ascii.hpp"
#include "util/one_line.hpp"
#include "util/user_code.hpp"

namespace k8s::inline v0::rest {

namespace {

constexpr int kMiscellaneousPersistent = 299;
constexpr std::size_t kRememberedTexts = 1000;
constexpr std::size_t kShownBytes = 1024;

void SkipSpace(std::string_view& text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
}

/// The text before the next space, which is taken as well; nothing without a space.
std::optional<std::string_view> TakeWord(std::string_view& text) {
  const auto end = text.find(' ');
  if (end == std::string_view::npos) return std::nullopt;
  const auto word = text.substr(0, end);
  text.remove_prefix(end + 1);
  return word;
}

/// A quoted string with backslash escapes; no value when there is none, or it does not end.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  if (!text.starts_with('"')) return std::nullopt;
  std::string out;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      SkipSpace(text);
      return out;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    out += text[i];
  }
  return std::nullopt;
}

bool IsUtf8(std::string_view text) {
  std::string repaired;
  codec::detail::AppendRepaired(text, repaired);
  return repaired == text;
}

bool IsPlain(std::string_view text) { return !detail::HasControl(text) && IsUtf8(text); }

std::optional<int> ParseCode(std::string_view text) {
  int code = 0;
  const auto* end = text.data() + text.size();
  if (text.size() != 3 || text.front() < '0') return std::nullopt;
  if (std::from_chars(text.data(), end, code).ptr != end) return std::nullopt;
  return code;
}

std::optional<Warning> TakeWarning(std::string_view& header) {
  SkipSpace(header);
  const auto code = ParseCode(TakeWord(header).value_or(""));
  const auto agent = TakeWord(header).value_or("");
  auto text = TakeQuoted(header);
  if (!code || agent.empty() || !IsPlain(agent) || !text || !IsPlain(*text)) return std::nullopt;
  if (header.starts_with('"') && !TakeQuoted(header)) return std::nullopt;  // An optional date.
  if (!header.empty() && !header.starts_with(',')) return std::nullopt;
  header.remove_prefix(std::min(header.size(), std::size_t{1}));
  return Warning{.code = *code, .agent = std::string(agent), .text = std::move(*text)};
}

class Logger {
 public:
  explicit Logger(WarningLoggerOptions options) : options_(options) {}

  void operator()(const Warning& warning) const {
    if (warning.code != kMiscellaneousPersistent || warning.text.empty()) return;
    if (options_.deduplicate && !seen_->Add(warning.text)) return;
    log::Write(log::Level::kWarning,
               "the server warns: " + util::detail::OneLine(warning.text, kShownBytes));
  }

 private:
  class Texts {
   public:
    bool Add(const std::string& text) {
      const std::lock_guard lock(mutex_);
      if (texts_.size() >= kRememberedTexts) texts_.clear();
      return texts_.insert(text).second;
    }

   private:
    std::mutex mutex_;
    std::set<std::string> texts_;
  };

  WarningLoggerOptions options_;
  std::shared_ptr<Texts> seen_ = std::make_shared<Texts>();
};

struct Default {
  std::mutex mutex;
  WarningHandler handler = WarningLogger();
};

// Never destroyed: threads may send requests while the program exits.
Default& TheDefault() {
  static Default& value = *new Default;
  return value;
}

WarningHandler DefaultWarningHandler() {
  auto& value = TheDefault();
  const std::lock_guard lock(value.mutex);
  return value.handler;
}

}  // namespace

WarningHandler WarningLogger(WarningLoggerOptions options) { return Logger(options); }

WarningHandler NoWarnings() {
  return [](const Warning&) {};
}

void SetDefaultWarningHandler(WarningHandler handler) {
  if (!handler) handler = WarningLogger();
  auto& value = TheDefault();
  const std::lock_guard lock(value.mutex);
  std::swap(value.handler, handler);
  // The old one, a caller's code, is destroyed after the lock.
}

namespace detail {

std::vector<Warning> ParseWarnings(std::string_view header) {
  std::vector<Warning> warnings;
  while (!header.empty()) {
    auto warning = TakeWarning(header);
    if (!warning) break;
    warnings.push_back(std::move(*warning));
  }
  return warnings;
}

void HandleWarnings(const HttpResponse& response, const WarningHandler& handler) {
  WarningHandler handle = handler;
  for (const auto& [name, value] : response.headers()) {
    if (!EqualsIgnoringCase(name, "Warning")) continue;
    if (!handle) handle = DefaultWarningHandler();
    for (const auto& warning : ParseWarnings(value)) {
      if (const auto thrown = util::detail::Thrown([&] { handle(warning); })) {
        log::Write(log::Level::kError, "a warning handler threw: " + *thrown);
      }
    }
  }
}

}  // namespace detail
}  // namespace k8s::inline v0::rest
