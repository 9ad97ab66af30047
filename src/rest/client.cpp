#include <k8s/log.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "rest/ascii.hpp"
#include "rest/response_error.hpp"
#include "rest/token_bucket.hpp"
#include "rest/warnings.hpp"

namespace k8s::inline v0::rest {

namespace {

using std::chrono::seconds;

constexpr int kMaxRetries = 10;
constexpr seconds kMaxRetryAfter{60};
constexpr seconds kReconnectDelay{1};
constexpr std::size_t kMaxBody = std::size_t{256} << 20;

bool Succeeded(const Request& request, int status) {
  return request.watch ? status == 200 : status >= 200 && status <= 206;
}

void LogWarnings(const HttpResponse& response) {
  for (const auto& [name, value] : response.headers()) {
    if (!detail::EqualsIgnoringCase(name, "Warning")) continue;
    for (const auto& text : detail::ParseWarnings(value)) {
      log::Write(log::Level::kWarning, "the server warns: " + detail::OneLine(text, 1024));
    }
  }
}

/// A failed try, and after how long another one makes sense, if any.
struct Failure {
  Error error;
  std::optional<seconds> retry_in;
};

Failure FromResponse(const Request& request, HttpResponse& response, const std::stop_token& stop) {
  const int status = response.status();
  auto error = detail::ErrorFromResponse(request, response, stop);
  std::optional<seconds> retry_in;
  if (status == 429 || status >= 500) retry_in = detail::RetryAfter(response);
  if (retry_in) retry_in = std::min(*retry_in, kMaxRetryAfter);
  return {std::move(error), retry_in};
}

Failure FromTransport(const Request& request, Error error) {
  std::optional<seconds> retry_in;
  if (error.kind == ErrorKind::kConnectionLost && request.method == "GET") {
    retry_in = kReconnectDelay;
  }
  return {std::move(error), retry_in};
}

/// A retry may end with another error than the first: both are of use.
Error WithEarlier(Error error, const std::optional<Error>& earlier) {
  if (earlier && earlier->message != error.message) {
    error.message += " (an earlier try: " + earlier->message + ")";
  }
  return error;
}

}  // namespace

struct Client::Shared {
  Shared(const Config& config, std::shared_ptr<Transport> transport_in,
         std::shared_ptr<Clock> clock_in)
      : transport(std::move(transport_in)),
        clock(std::move(clock_in)),
        limiter(config.qps, config.burst, clock),
        user_agent(config.userAgent.empty() ? DefaultUserAgent() : config.userAgent),
        timeout(config.timeout) {}

  [[nodiscard]] HttpRequest ToHttp(const Request& request) const;
  tl::expected<std::unique_ptr<HttpResponse>, Failure> Try(const Request& request,
                                                           const HttpRequest& http,
                                                           const std::stop_token& stop) const;
  Result<std::unique_ptr<HttpResponse>> Stream(const Request& request,
                                               const std::stop_token& stop) const;

  const std::shared_ptr<Transport> transport;
  const std::shared_ptr<Clock> clock;
  mutable detail::TokenBucket limiter;
  const std::string user_agent;
  const std::chrono::milliseconds timeout;
};

HttpRequest Client::Shared::ToHttp(const Request& request) const {
  const auto bound = request.timeout.count() > 0 ? request.timeout : timeout;
  auto query = request.query;
  // The server ends its work on the request as well.
  if (timeout.count() > 0) query.emplace_back("timeout", std::to_string(timeout.count()) + "ms");
  HttpRequest http{.method = request.method,
                   .target = request.path,
                   .headers = {{"Accept", request.accept}, {"User-Agent", user_agent}},
                   .body = request.body,
                   .timeout = bound,
                   .idleTimeout = request.idleTimeout};
  if (!query.empty()) http.target += "?" + EncodeQuery(query);
  if (!request.contentType.empty()) {
    http.headers.emplace_back("Content-Type", request.contentType);
  }
  return http;
}

tl::expected<std::unique_ptr<HttpResponse>, Failure> Client::Shared::Try(
    const Request& request, const HttpRequest& http, const std::stop_token& stop) const {
  auto response = transport->RoundTrip(http, stop);
  if (!response) return tl::unexpected(FromTransport(request, std::move(response).error()));
  LogWarnings(**response);
  if (Succeeded(request, (*response)->status())) return std::move(*response);
  return tl::unexpected(FromResponse(request, **response, stop));
}

Result<std::unique_ptr<HttpResponse>> Client::Shared::Stream(const Request& request,
                                                             const std::stop_token& stop) const {
  const auto http = ToHttp(request);
  std::optional<Error> earlier;
  for (int tries = 0;; ++tries) {
    const bool free_of_charge = request.watch && tries == 0;
    if (!free_of_charge && !limiter.Wait(stop)) return Cancelled(detail::Describe(request));
    auto answer = Try(request, http, stop);
    if (answer) return std::move(*answer);
    auto& failure = answer.error();
    if (!failure.retry_in || tries == kMaxRetries) return WithEarlier(failure.error, earlier);
    earlier = std::move(failure.error);
    if (!clock->SleepFor(*failure.retry_in, stop)) return Cancelled(detail::Describe(request));
  }
}

Result<Client> Client::New(const Config& config) {
  auto transport = CurlTransport::New(config);
  if (!transport) return std::move(transport).error();
  return New(config, std::move(*transport));
}

Client Client::New(const Config& config, std::shared_ptr<Transport> transport,
                   std::shared_ptr<Clock> clock) {
  return Client(std::make_shared<const Shared>(config, std::move(transport), std::move(clock)));
}

Result<Response> Client::Do(const Request& request, std::stop_token stop) const {
  auto stream = shared_->Stream(request, stop);
  if (!stream) return std::move(stream).error();
  Response response{.status = (*stream)->status(),
                    .contentType = std::string((*stream)->header("Content-Type")),
                    .body = {}};
  std::string chunk;
  while (true) {
    auto more = (*stream)->Read(chunk, stop);
    if (!more) return std::move(more).error();
    if (!*more) return response;
    response.body += chunk;
    if (response.body.size() > kMaxBody) {
      return Error{.kind = ErrorKind::kProtocol,
                   .message = detail::Describe(request) + ": the answer is above 256 MiB"};
    }
  }
}

Result<std::unique_ptr<HttpResponse>> Client::Stream(const Request& request,
                                                     std::stop_token stop) const {
  return shared_->Stream(request, stop);
}

}  // namespace k8s::inline v0::rest
