#include "rest/transfer.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <utility>

#include "rest/response_error.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

// To resolve the name, connect, and shake hands, by way of a proxy too. Half of what programs allow
// their caches, so that these can say why. client-go: 30 s for the connection, 10 s for TLS.
constexpr long kConnectTimeoutMs = 15'000;
// A peer that is gone is found within 50 s: probes after 30 s of silence, an end when nothing was
// acknowledged for 45 s. The latter also bounds what was sent and not acknowledged.
constexpr long kKeepAliveIdleSeconds = 30;
constexpr long kKeepAliveIntervalSeconds = 5;
constexpr unsigned int kUserTimeoutMs = 45'000;
constexpr long kReceiveBuffer = 256L << 10;
// Slower than what a healthy server takes to begin an answer, and much faster than TCP's own
// limits.
constexpr std::chrono::seconds kSuspiciousSilence{2};

int OnSocket(void* /*unused*/, curl_socket_t socket, curlsocktype /*purpose*/) {
  // A kernel without it only finds the dead peer later.
  (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs, sizeof(kUserTimeoutMs));
  return CURL_SOCKOPT_OK;
}

/// Names the request, and the proxy on its way, in errors.
std::string DescribeWay(const CurlSettings& settings, const HttpRequest& request) {
  std::string what = Describe(request.method, request.target);
  if (!settings.proxy.name.empty()) what += " (proxy " + settings.proxy.name + ")";
  return what;
}

bool HasLineBreak(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

std::string_view Trimmed(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// "HTTP/1.1 200 OK", "HTTP/2 200" -> 200; 0 for any other line.
int ParseStatusLine(std::string_view line) {
  if (!line.starts_with("HTTP/")) return 0;
  const auto space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  int status = 0;
  const auto digits = line.substr(space + 1, 3);
  std::from_chars(digits.data(), digits.data() + digits.size(), status);
  return status;
}

std::string_view ProtocolOf(CURL* easy) {
  long version = 0;
  curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
  return version == CURL_HTTP_VERSION_2_0 ? "HTTP/2" : "HTTP/1.1";
}

/// Requires: the I/O thread.
Timings TimingsOf(CURL* easy) {
  const auto time = [easy](CURLINFO info) {
    curl_off_t us = 0;
    curl_easy_getinfo(easy, info, &us);
    return std::chrono::microseconds(us);
  };
  long connects = 0;
  curl_easy_getinfo(easy, CURLINFO_NUM_CONNECTS, &connects);
  return {.name_lookup = time(CURLINFO_NAMELOOKUP_TIME_T),
          .connect = time(CURLINFO_CONNECT_TIME_T),
          .tls = time(CURLINFO_APPCONNECT_TIME_T),
          .sending = time(CURLINFO_PRETRANSFER_TIME_T),
          .reused = connects == 0,
          .protocol = ProtocolOf(easy)};
}

}  // namespace

Result<std::shared_ptr<Transfer>> Transfer::New(std::shared_ptr<const CurlSettings> settings,
                                                const HttpRequest& request,
                                                std::shared_ptr<Pulse> pool) {
  const std::shared_ptr<Transfer> transfer(
      new Transfer(std::move(settings), request, std::move(pool)));
  if (transfer->easy_ == nullptr) {
    return Error{.kind = ErrorKind::kInternal, .message = "libcurl gave no handle"};
  }
  if (auto configured = transfer->Configure(request); !configured) return configured.error();
  return transfer;
}

Transfer::Transfer(std::shared_ptr<const CurlSettings> settings, const HttpRequest& request,
                   std::shared_ptr<Pulse> pool)
    : settings_(std::move(settings)),
      pool_(std::move(pool)),
      exchange_(DescribeWay(*settings_, request), request.idleTimeout),
      body_(request.body),
      easy_(curl_easy_init()) {}

Result<void> Transfer::Configure(const HttpRequest& request) {
  auto* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_URL, (settings_->base_url + request.target).c_str());
  // Paths are sent as they are: an object may be called "a..b".
  curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, reason_.data());
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  // An abandoned name look-up must not hold up the I/O thread.
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
  SetMethod(request.method);
  SetConnection();
  if (settings_->is_tls) SetTlsOptions(easy, *settings_);
  SetProxyOptions(easy, *settings_);
  SetCallbacks();
  return SetHeaders(request.headers);
}

Result<void> Transfer::SetHeaders(const Headers& headers) {
  // Without these, curl adds its own: a form's content type, and a wait for "100 Continue".
  header_lines_.Append("Expect:");
  header_lines_.Append("Content-Type:");
  if (!settings_->host_header.empty()) header_lines_.Append("Host: " + settings_->host_header);
  for (const auto& [name, value] : headers) {
    if (HasLineBreak(name) || HasLineBreak(value)) {
      return InvalidArgument(exchange_.what() + ": a line break in header " + name);
    }
    // curl sends an empty header only in this form.
    header_lines_.Append(value.empty() ? name + ";" : name + ": " + value);
  }
  curl_easy_setopt(easy_.get(), CURLOPT_HTTPHEADER, header_lines_.get());
  return {};
}

void Transfer::SetMethod(const std::string& method) {
  auto* easy = easy_.get();
  if (method == "HEAD") {
    curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
  } else if (method != "GET" || !body_.empty()) {
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body_.size()));
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
  }
}

void Transfer::SetConnection() {
  auto* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveIdleSeconds);
  curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAliveIntervalSeconds);
  curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, &OnSocket);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, kReceiveBuffer);
  // API servers close connections that were idle for 90 s; a request must not run into that.
  curl_easy_setopt(easy, CURLOPT_MAXAGE_CONN, 80L);
  if (!settings_->connect_to.empty()) {
    connect_to_.Append(settings_->connect_to);
    curl_easy_setopt(easy, CURLOPT_CONNECT_TO, connect_to_.get());
  }
  const bool http2 = settings_->UsesHttp2() && body_.empty();  // See CurlTransport's EngineFor.
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION,
                   static_cast<long>(http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  // Rather wait for a connection that is being made, and share it, than make one more.
  curl_easy_setopt(easy, CURLOPT_PIPEWAIT, http2 ? 1L : 0L);
}

void Transfer::SetCallbacks() {
  auto* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &Transfer::OnHeader);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &Transfer::OnBody);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy, CURLOPT_READFUNCTION, &Transfer::OnUpload);
  curl_easy_setopt(easy, CURLOPT_READDATA, this);
  curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, &Transfer::OnSeek);
  curl_easy_setopt(easy, CURLOPT_SEEKDATA, this);
}

bool Transfer::IsSilent() const {
  return Pulse::Clock::now() - pulse_.Last() >= kSuspiciousSilence;
}

bool Transfer::SeemsDead() const { return !exchange_.HasHead() || pool_->Last() <= pulse_.Last(); }

void Transfer::Heard() {
  pool_->Beat();
  pulse_.Beat();  // Last, so that the pool is not ahead when this one was the last to be heard.
}

void Transfer::Complete(CURLcode code) {
  std::optional<Error> error;
  if (code != CURLE_OK) {
    long os_error = 0;
    curl_easy_getinfo(easy(), CURLINFO_OS_ERRNO, &os_error);
    long proxy_verdict = 0;
    curl_easy_getinfo(easy(), CURLINFO_PROXY_SSL_VERIFYRESULT, &proxy_verdict);
    std::string what = exchange_.what();
    if (code == CURLE_PEER_FAILED_VERIFICATION && proxy_verdict != 0) {
      what += ": the proxy's certificate";
    }
    error = ErrorFromCurl(code, what, reason_.data(), static_cast<int>(os_error));
    error->message += " (" + settings_->server + ")";
    const bool shows_own = error->message.find("the client certificate") != std::string::npos;
    if (code == CURLE_PEER_FAILED_VERIFICATION && proxy_verdict == 0 && !shows_own) {
      error->message += "; trusted: " + settings_->trusted;
    }
  }
  exchange_.Finish(std::move(error));
}

std::size_t Transfer::OnHeader(char* data, std::size_t size, std::size_t count, void* self) {
  std::string_view line(data, size * count);
  while (line.ends_with('\n') || line.ends_with('\r')) line.remove_suffix(1);
  static_cast<Transfer*>(self)->Heard();
  static_cast<Transfer*>(self)->HeaderLine(line);
  return size * count;
}

void Transfer::HeaderLine(std::string_view line) {
  if (const int status = ParseStatusLine(line); status != 0) {
    status_ = status;
    headers_.clear();
  } else if (line.empty()) {
    // 1xx is followed by the real head. Trailers come without a status line: SetHead ignores them.
    if (status_ >= 200) exchange_.SetHead(status_, std::move(headers_), TimingsOf(easy()));
  } else if (const auto colon = line.find(':'); colon != std::string_view::npos) {
    headers_.emplace_back(line.substr(0, colon), Trimmed(line.substr(colon + 1)));
  }
}

std::size_t Transfer::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  const std::string_view bytes(data, size * count);
  static_cast<Transfer*>(self)->Heard();
  return static_cast<Transfer*>(self)->exchange_.Append(bytes) ? bytes.size()
                                                               : CURL_WRITEFUNC_PAUSE;
}

std::size_t Transfer::OnUpload(char* out, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  const auto length = std::min(size * count, transfer.body_.size() - transfer.sent_);
  std::memcpy(out, transfer.body_.data() + transfer.sent_, length);
  transfer.sent_ += length;
  return length;
}

/// curl asks for the start again when a kept connection died under a request. What changes objects
/// must not be sent twice: the server may have carried it out.
int Transfer::OnSeek(void* /*self*/, curl_off_t /*offset*/, int /*origin*/) {
  return CURL_SEEKFUNC_FAIL;
}

}  // namespace k8s::inline v0::rest::detail
