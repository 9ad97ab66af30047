#include "rest/credentials.hpp"

#include <k8s/log.hpp>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <string_view>
#include <utility>

#include "codec/base64.hpp"
#include "rest/ascii.hpp"
#include "util/file.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

// Tokens bound to a pod are renewed well before they end; client-go takes one minute less ten
// seconds.
constexpr std::chrono::seconds kTokenAge{50};

Result<std::string> ReadToken(const std::string& path) {
  auto text = util::detail::ReadFile(path);
  if (!text) {
    return Error{.kind = ErrorKind::kConfig, .message = "token file: " + text.error().message};
  }
  auto token = util::detail::Trim(*std::move(text));
  if (!token.empty() && !HasControl(token)) return token;
  return Error{.kind = ErrorKind::kConfig,
               .message = "token file: " + path +
                          (token.empty() ? " is empty" : " has a line break or the like inside")};
}

void WarnThatItStays(const Error& problem) {
  log::Write(log::Level::kWarning, problem.message + "; the last token stays in use");
}

/// Escapes what may not stand in a header's name, and "%", as client-go does.
std::string EscapeHeaderKey(std::string_view key) {
  constexpr std::string_view kAllowed = "!#$&'*+-.^_`|~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : key) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kAllowed.find(c) != std::string_view::npos) {
      out += ToLower(c);
    } else {
      out += '%';
      out += kDigits[byte >> 4U];
      out += kDigits[byte & 15U];
    }
  }
  return out;
}

}  // namespace

TokenSource::TokenSource(std::string token, std::string file, std::shared_ptr<Clock> clock)
    : file_(std::move(file)), clock_(std::move(clock)), token_(std::move(token)) {}

Result<std::string> TokenSource::Token() {
  std::unique_lock lock(mutex_);
  if (file_.empty()) return token_;
  std::optional<Error> problem;
  if (!read_ || clock_->Now() - read_at_ >= kTokenAge) problem = ReadLocked();
  auto token = token_;
  lock.unlock();
  if (!problem) return token;
  if (token.empty()) return *std::move(problem);
  WarnThatItStays(*problem);
  return token;
}

bool TokenSource::Refused(const std::string& token) {
  std::unique_lock lock(mutex_);
  if (file_.empty()) return false;
  std::optional<Error> problem;
  if (token_ == token) problem = ReadLocked();
  const bool renewed = token_ != token;
  lock.unlock();
  if (problem) WarnThatItStays(*problem);
  return renewed;
}

std::optional<Error> TokenSource::ReadLocked() {
  auto token = ReadToken(file_);
  if (!token && token_.empty()) return std::move(token).error();
  read_ = true;
  read_at_ = clock_->Now();
  if (!token) return std::move(token).error();
  token_ = *std::move(token);
  return std::nullopt;
}

std::string BasicAuthorization(const std::string& user, const std::string& password) {
  const std::string text = user + ":" + password;
  std::string out = "Basic ";
  codec::detail::AppendBase64(Bytes(text.begin(), text.end()), out);
  return out;
}

Headers ImpersonationHeaders(const ImpersonationConfig& impersonate) {
  Headers headers;
  if (impersonate.userName.empty()) return headers;
  headers.emplace_back("Impersonate-User", impersonate.userName);
  if (!impersonate.uid.empty()) headers.emplace_back("Impersonate-Uid", impersonate.uid);
  for (const auto& group : impersonate.groups) headers.emplace_back("Impersonate-Group", group);
  for (const auto& [key, values] : impersonate.extra) {
    for (const auto& value : values) {
      headers.emplace_back("Impersonate-Extra-" + EscapeHeaderKey(key), value);
    }
  }
  return headers;
}

bool HasHeader(const Headers& headers, std::string_view name) {
  return std::any_of(headers.begin(), headers.end(),
                     [name](const auto& header) { return EqualsIgnoringCase(header.first, name); });
}

}  // namespace k8s::inline v0::rest::detail
