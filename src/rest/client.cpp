#include <k8s/rest/client.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "rest/meter.hpp"
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

/// Rounded up: 0 would mean no bound.
std::chrono::milliseconds Remaining(std::chrono::milliseconds bound, Clock::Duration passed) {
  return std::chrono::ceil<std::chrono::milliseconds>(bound - passed);
}

}  // namespace

struct Client::Shared {
  Shared(const Config& config, std::shared_ptr<Transport> transport_in,
         std::shared_ptr<Clock> clock_in)
      : transport(std::move(transport_in)),
        clock(std::move(clock_in)),
        limiter(config.qps, config.burst, clock),
        meter(config, clock),
        user_agent(config.userAgent.empty() ? DefaultUserAgent() : config.userAgent),
        timeout(config.timeout),
        warning_handler(config.warningHandler) {}

  [[nodiscard]] HttpRequest ToHttp(const Request& request) const;
  /// Waits for the limiter. Returns false when `stop` is triggered first.
  bool WaitForTurn(const Request& request, const std::stop_token& stop) const;
  tl::expected<std::unique_ptr<HttpResponse>, Failure> Try(const Request& request,
                                                           const HttpRequest& http,
                                                           const std::stop_token& stop) const;
  Result<std::unique_ptr<HttpResponse>> Stream(const Request& request,
                                               const std::stop_token& stop) const;
  /// Repeats what makes sense to repeat. `earlier`: the failure before the last one, for the error.
  Result<std::unique_ptr<HttpResponse>> Send(const Request& request, const std::stop_token& stop,
                                             std::optional<Error>& earlier) const;

  const std::shared_ptr<Transport> transport;
  const std::shared_ptr<Clock> clock;
  mutable detail::TokenBucket limiter;
  const detail::Meter meter;
  const std::string user_agent;
  const std::chrono::milliseconds timeout;
  const WarningHandler warning_handler;
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
                   .idleTimeout = request.idleTimeout,
                   .watch = request.watch};
  if (!query.empty()) http.target += "?" + EncodeQuery(query);
  if (!request.contentType.empty()) {
    http.headers.emplace_back("Content-Type", request.contentType);
  }
  return http;
}

bool Client::Shared::WaitForTurn(const Request& request, const std::stop_token& stop) const {
  const auto begun = meter.Now();
  if (!limiter.Wait(stop)) return false;
  meter.WaitedForLimiter(request.method, begun);
  return true;
}

tl::expected<std::unique_ptr<HttpResponse>, Failure> Client::Shared::Try(
    const Request& request, const HttpRequest& http, const std::stop_token& stop) const {
  const auto begun = meter.Now();
  auto response = transport->RoundTrip(http, stop);
  meter.Tried(http, begun, response ? (*response)->status() : 0);
  if (!response) return tl::unexpected(FromTransport(request, std::move(response).error()));
  if (Succeeded(request, (*response)->status())) {
    detail::HandleWarnings(**response, warning_handler);
    return std::move(*response);
  }
  auto failure = FromResponse(request, **response, stop);
  failure.error.message += transport->Explain(failure.error);
  if (!failure.retry_in) detail::HandleWarnings(**response, warning_handler);
  return tl::unexpected(std::move(failure));
}

Result<std::unique_ptr<HttpResponse>> Client::Shared::Send(const Request& request,
                                                           const std::stop_token& stop,
                                                           std::optional<Error>& earlier) const {
  auto http = ToHttp(request);
  // A queue of this client's own making is no reason to give up before anything was sent.
  const bool free_of_charge = request.watch;
  if (!free_of_charge && !WaitForTurn(request, stop)) return Cancelled(detail::Describe(request));
  const auto bound = http.timeout;
  const auto start = clock->Now();
  for (int tries = 0;; ++tries) {
    auto answer = Try(request, http, stop);
    if (answer) return std::move(*answer);
    auto& failure = answer.error();
    if (!failure.retry_in || tries == kMaxRetries) return std::move(failure.error);
    const auto in_time = [&](Clock::Duration wait) {
      return bound.count() == 0 || clock->Now() - start + wait < bound;
    };
    if (!in_time(*failure.retry_in)) return std::move(failure.error);
    earlier = failure.error;
    if (request.onRetry) request.onRetry(failure.error, *failure.retry_in);
    if (!clock->SleepFor(*failure.retry_in, stop) || !WaitForTurn(request, stop)) {
      return Cancelled(detail::Describe(request));
    }
    if (!in_time({})) return std::move(failure.error);
    meter.Retries(request.method, failure.error.code);
    if (bound.count() > 0) http.timeout = Remaining(bound, clock->Now() - start);
  }
}

Result<std::unique_ptr<HttpResponse>> Client::Shared::Stream(const Request& request,
                                                             const std::stop_token& stop) const {
  std::optional<Error> earlier;
  auto answer = Send(request, stop, earlier);
  if (!answer) return WithEarlier(std::move(answer).error(), earlier);
  return answer;
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
    if (!*more) {
      shared_->meter.Read(request.method, response.body.size());
      return response;
    }
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

std::string Client::WaitsFor() const { return shared_->transport->WaitsFor(); }

}  // namespace k8s::inline v0::rest
