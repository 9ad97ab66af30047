#include "rest/request_log.hpp"

#include <k8s/log.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <stop_token>
#include <utility>

#include "rest/ascii.hpp"
#include "util/one_line.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

constexpr int kExchanges = 6;
constexpr int kRequestHeaders = 7;
constexpr int kBodies = 8;
constexpr int kCurlAndTimings = 9;
constexpr int kWholeBodies = 10;

constexpr std::string_view kMasked = "<masked>";

std::size_t ShownBytes(int verbosity) {
  if (verbosity < kBodies) return 0;
  if (verbosity >= kWholeBodies) return std::string_view::npos;
  return verbosity == kBodies ? 1024 : 10240;
}

/// The first bytes, without the half of a character at their end.
std::string_view FirstBytes(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0U) == 0x80U) --limit;
  return text.substr(0, limit);
}

bool IsBinary(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 0x20 && c != '\t' && c != '\n' && c != '\r';
  });
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(), ToLower);
  return lower;
}

std::string Ms(std::chrono::microseconds time) {
  return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) +
         " ms";
}

std::string Describe(const Timings& timings, std::chrono::microseconds total) {
  std::string text = " over " + std::string(timings.protocol) + "; ";
  if (timings.reused) {
    text += "connection " + Ms(timings.sending) + ", reused";
  } else {
    // One after the other: each counts from the end of the one before.
    text += "name look-up " + Ms(timings.name_lookup);
    text += ", dial " + Ms(timings.connect - timings.name_lookup);
    if (timings.tls.count() > 0) text += ", TLS handshake " + Ms(timings.tls - timings.connect);
  }
  return text + ", server " + Ms(std::max(total - timings.sending, std::chrono::microseconds(0)));
}

/// 'text' for a shell.
std::string Quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

/// Tells the log what its reader reads.
class LoggedResponse final : public HttpResponse {
 public:
  LoggedResponse(std::unique_ptr<RequestLog> log, std::unique_ptr<HttpResponse> response)
      : log_(std::move(log)), response_(std::move(response)) {}
  ~LoggedResponse() override {
    if (!ended_) log_->Dropped();
  }

  [[nodiscard]] int status() const override { return response_->status(); }
  [[nodiscard]] std::string_view header(std::string_view name) const override {
    return response_->header(name);
  }
  [[nodiscard]] const Headers& headers() const override { return response_->headers(); }
  void SetIdleTimeout(std::chrono::milliseconds timeout) override {
    response_->SetIdleTimeout(timeout);
  }

  Result<bool> Read(std::string& chunk, std::stop_token stop) override {
    auto more = response_->Read(chunk, std::move(stop));
    if (more && *more) {
      log_->Read(chunk);
    } else if (!ended_ && (more || more.error().reason != kReasonSilence)) {
      ended_ = true;
      log_->Ended(more ? nullptr : &more.error());
    }
    return more;
  }

 private:
  std::unique_ptr<RequestLog> log_;
  std::unique_ptr<HttpResponse> response_;
  bool ended_ = false;
};

}  // namespace

std::string MaskedHeader(std::string_view name, std::string_view value) {
  const std::string lower = Lower(name);
  if (lower == "authorization" || lower == "proxy-authorization") {
    const auto scheme = value.substr(0, value.find(' '));
    const std::string known = Lower(scheme);
    const bool is_known = known == "bearer" || known == "basic" || known == "negotiate";
    if (!is_known) return std::string(value.empty() ? value : kMasked);
    return std::string(scheme).append(scheme.size() == value.size() ? "" : " <masked>");
  }
  static constexpr std::array<std::string_view, 6> kSecretNames = {"cookie", "token",  "secret",
                                                                   "passw",  "apikey", "api-key"};
  const bool secret = std::any_of(kSecretNames.begin(), kSecretNames.end(),
                                  [&](auto part) { return lower.find(part) != std::string::npos; });
  return std::string(secret && !value.empty() ? kMasked : value);
}

bool MayHoldSecrets(std::string_view target) {
  auto path = target.substr(0, target.find('?'));
  while (!path.empty()) {
    path.remove_prefix(1);
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    if (segment == "secrets" || segment == "tokenreviews") return true;
    if (segment == "token" && path.empty()) return true;
  }
  return false;
}

std::string CurlCommand(std::string_view method, std::string_view url, const Headers& headers) {
  std::string command = "curl -v -X" + std::string(method);
  for (const auto& [name, value] : headers) {
    command += " -H " + Quoted(name + ": " + MaskedHeader(name, value));
  }
  return command + " " + Quoted(url);
}

std::unique_ptr<RequestLog> RequestLog::Begin(int verbosity, std::string_view server,
                                              const HttpRequest& request) {
  verbosity = std::max(verbosity, log::Verbosity());
  if (verbosity < kExchanges || !log::Enabled(log::Level::kInfo)) return nullptr;
  std::unique_ptr<RequestLog> log(new RequestLog(verbosity, server, request));
  log->LogRequest(request);
  return log;
}

RequestLog::RequestLog(int verbosity, std::string_view server, const HttpRequest& request)
    : verbosity_(verbosity),
      prefix_([] {
        static std::atomic<std::uint64_t> count{0};
        return "#" + std::to_string(++count) + " ";
      }()),
      what_(std::string(request.method).append(" ").append(server).append(request.target)),
      piecewise_(request.watch || verbosity >= kWholeBodies),
      secret_(MayHoldSecrets(request.target)),
      watch_(request.watch) {}

void RequestLog::LogRequest(const HttpRequest& request) const {
  if (verbosity_ >= kCurlAndTimings) {
    const auto url = std::string_view(what_).substr(request.method.size() + 1);
    Line(CurlCommand(request.method, url, request.headers));
  } else if (verbosity_ >= kRequestHeaders) {
    Line(what_);
    for (const auto& [name, value] : request.headers) {
      Line("> " + name + ": " + MaskedHeader(name, value));
    }
  }
  if (!request.body.empty()) LogBody("> ", request.body, request.body.size());
}

void RequestLog::Failed(const Error& error) const {
  Line(what_ + " failed after " + Elapsed() + ": " + error.ToString());
}

std::unique_ptr<HttpResponse> RequestLog::Answered(std::unique_ptr<RequestLog> log,
                                                   std::unique_ptr<HttpResponse> response,
                                                   const Timings& timings) {
  log->LogHead(*response, timings);
  return std::make_unique<LoggedResponse>(std::move(log), std::move(response));
}

void RequestLog::LogHead(const HttpResponse& response, const Timings& timings) const {
  std::string line = what_ + " " + std::to_string(response.status()) + " in " + Elapsed();
  if (verbosity_ >= kCurlAndTimings) {
    line += Describe(timings, std::chrono::duration_cast<std::chrono::microseconds>(
                                  std::chrono::steady_clock::now() - start_));
  }
  Line(line);
  if (verbosity_ < kBodies) return;
  for (const auto& [name, value] : response.headers()) {
    Line("< " + name + ": " + MaskedHeader(name, value));
  }
}

void RequestLog::Read(std::string_view chunk) {
  size_ += chunk.size();
  const auto limit = ShownBytes(verbosity_);
  if (piecewise_) return LogBody("< ", chunk, chunk.size());
  if (collected_.size() <= limit) collected_ += chunk.substr(0, limit + 1 - collected_.size());
}

void RequestLog::Ended(const Error* error) {
  LogCollected();
  if (error == nullptr && !watch_) return;
  std::string line = what_ + (error == nullptr ? " ended after " : " failed after ") + Elapsed() +
                     ", " + std::to_string(size_) + " bytes";
  if (error != nullptr) line += ": " + error->ToString();
  Line(line);
}

void RequestLog::Dropped() {
  LogCollected();
  Line(what_ + " closed after " + Elapsed() + ", " + std::to_string(size_) + " bytes");
}

void RequestLog::LogCollected() {
  if (!piecewise_ && size_ > 0) LogBody("< ", collected_, size_);
}

void RequestLog::LogBody(std::string_view mark, std::string_view shown, std::size_t size) const {
  if (verbosity_ < kBodies) return;
  std::string line = std::string(mark) + "body: ";
  if (secret_ || IsBinary(shown)) {
    line += (secret_ ? "<masked, " : "<binary, ") + std::to_string(size) + " bytes>";
    return Line(line);
  }
  shown = FirstBytes(shown, ShownBytes(verbosity_));
  line += shown;
  if (shown.size() < size) line += " [truncated " + std::to_string(size - shown.size()) + " bytes]";
  Line(line);
}

void RequestLog::Line(std::string_view text) const {
  log::Write(log::Level::kInfo, prefix_ + util::detail::OneLine(text));
}

std::string RequestLog::Elapsed() const {
  return Ms(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() -
                                                                  start_));
}

}  // namespace k8s::inline v0::rest::detail
