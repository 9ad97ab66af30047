#include <k8s/clock.hpp>
#include <k8s/log.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "rest/ascii.hpp"
#include "rest/credentials.hpp"
#include "rest/curl_engine.hpp"
#include "rest/curl_response.hpp"
#include "rest/curl_settings.hpp"
#include "rest/exec_plugin.hpp"
#include "rest/origin.hpp"
#include "rest/pem.hpp"
#include "rest/proxy.hpp"
#include "rest/request_log.hpp"
#include "rest/response_error.hpp"
#include "rest/tls_material.hpp"
#include "rest/transfer.hpp"
#include "rest/warn_once.hpp"

namespace k8s::inline v0::rest {

using detail::CurlEngine;
using detail::CurlResponse;
using detail::CurlSettings;
using detail::ExecPlugin;
using detail::RequestLog;
using detail::TlsMaterial;
using detail::Transfer;
using Answer = Result<std::unique_ptr<HttpResponse>>;

namespace {

bool HasCredentials(const Config& config) {
  return !config.bearerToken.empty() || !config.bearerTokenFile.empty() ||
         !config.username.empty() || !config.impersonate.userName.empty() ||
         detail::UsesExecPlugin(config);
}

/// Over plain HTTP, whoever listens on the way could use them.
bool MaySendCredentials(const Config& config, const CurlSettings& settings) {
  if (settings.is_tls) return true;
  const bool asked_for = detail::EqualsIgnoringCase(config.host.substr(0, 7), "http://");
  if (asked_for && config.credentialsOverHttp) return true;
  const bool stays_here =
      settings.proxy.url.empty() && detail::IsLoopback(detail::EndpointOf(settings.server).host);
  return asked_for && stays_here;
}

constexpr const char* kNobody = "requests without credentials";

/// By what a server is to know who asks: that which RoundTrip will send.
std::string DescribeCaller(const Config& config) {
  if (detail::UsesExecPlugin(config)) return "the credential of " + detail::NameOf(config.exec);
  if (!config.username.empty()) return "the password of \"" + config.username + "\"";
  if (!config.bearerTokenFile.empty()) return "the token of " + config.bearerTokenFile;
  if (!config.bearerToken.empty()) return "the token";
  if (!config.tls.certData.empty()) return "the client certificate";
  if (!config.tls.certFile.empty()) return "the client certificate " + config.tls.certFile;
  return kNobody;
}

/// Whether the two sides may accept each other with other files.
bool IsRefused(const Answer& answer) {
  return answer ? (*answer)->status() == 401 : answer.error().kind == ErrorKind::kTls;
}

}  // namespace

class CurlTransport::Impl {
 public:
  /// `plugin`: null for none.
  Impl(const Config& config, CurlSettings settings, std::shared_ptr<ExecPlugin> plugin)
      : settings_(std::move(settings)),
        sends_credentials_(MaySendCredentials(config, settings_)),
        tls_(config.tls, settings_.tls, RealClock()),
        token_(config.bearerToken, config.bearerTokenFile, RealClock()),
        basic_(config.username.empty()
                   ? ""
                   : detail::BasicAuthorization(config.username, config.password)),
        impersonation_(detail::ImpersonationHeaders(config.impersonate)),
        plugin_(std::move(plugin)),
        origin_(config.origin),
        plugin_name_(detail::NameOf(config.exec) + detail::InParentheses(origin_)),
        caller_(sends_credentials_ ? DescribeCaller(config) : kNobody),
        metrics_(config.metrics),
        verbosity_(config.verbosity) {
    if (sends_credentials_ || !HasCredentials(config)) return;
    detail::WarnOnce("no credentials are sent to " + settings_.server + ", which has no TLS");
  }

  Answer RoundTrip(const HttpRequest& request, const std::stop_token& stop) {
    if (stop.stop_requested()) return Cancelled(detail::Describe(request.method, request.target));
    if (!sends_credentials_ || detail::HasHeader(request.headers, "Authorization")) {
      return Send(request, "", stop);
    }
    if (plugin_ != nullptr) return SendWithPlugin(request, stop);
    if (!basic_.empty()) return Send(request, basic_, stop);
    return SendWithToken(request, stop);
  }

  [[nodiscard]] std::string WaitsFor() const {
    if (plugin_ != nullptr && plugin_->IsRunning()) return plugin_name_;
    std::string text = settings_.server;
    if (!settings_.proxy.name.empty()) text += " by way of the proxy " + settings_.proxy.name;
    return text + detail::InParentheses(origin_);
  }

  [[nodiscard]] std::string Explain(const Error& answered) const {
    const std::string origin = detail::InParentheses(origin_);
    if (IsUnauthorized(answered)) {
      return "; " + settings_.server + " does not accept " + caller_ + WhatIsWrongWithIt() + origin;
    }
    if (IsForbidden(answered) && !origin.empty()) {
      return (caller_ == kNobody ? "; no credentials were sent" : "") + origin;
    }
    // It may not be a server of Kubernetes that has answered.
    return answered.causes.empty() ? "" : " (" + settings_.server + ")";
  }

 private:
  static std::string Bearer(const std::string& token) {
    return token.empty() ? "" : "Bearer " + token;
  }

  // A request that was refused with 401 was not carried out: any may be sent once more.

  Answer SendWithToken(const HttpRequest& request, const std::stop_token& stop) {
    auto token = token_.Token();
    if (!token) return detail::WithOrigin(std::move(token).error(), origin_);
    auto response = Send(request, Bearer(*token), stop);
    if (!response || (*response)->status() != 401 || !token_.Refused(*token)) return response;
    // The token file has been renewed.
    token = token_.Token();
    if (!token) return response;
    return Send(request, Bearer(*token), stop);
  }

  Answer SendWithPlugin(const HttpRequest& request, const std::stop_token& stop) {
    const auto credential = plugin_->Get(stop, metrics_);
    if (!credential) return PluginError(request, credential.error());
    auto response = SendWith(request, *credential, stop);
    if (!response || (*response)->status() != 401) return response;
    const auto renewed = plugin_->Renew(*credential, stop, metrics_);
    if (!renewed) {
      auto error = PluginError(request, renewed.error());
      if (error.kind == ErrorKind::kCancelled) return error;
      log::Write(log::Level::kWarning, error.message + "; its credential was refused");
      return response;
    }
    if (**renewed == **credential) return response;
    return SendWith(request, *renewed, stop);
  }

  [[nodiscard]] Error PluginError(const HttpRequest& request, Error error) const {
    if (error.kind == ErrorKind::kCancelled) {
      return Cancelled(detail::Describe(request.method, request.target));
    }
    error.message = plugin_name_ + ": " + error.message;
    return error;
  }

  Answer SendWith(const HttpRequest& request, const ExecPlugin::Credential& credential,
                  const std::stop_token& stop) {
    return Send(request, Bearer(credential->token), stop, credential);
  }

  /// `credential`: of the plugin; null for none.
  Answer Send(const HttpRequest& request, const std::string& authorization,
              const std::stop_token& stop, const ExecPlugin::Credential& credential = nullptr) {
    const auto tls = tls_.Current();
    auto answer = SendOnce(request, authorization, stop, SettingsFor(tls, credential));
    if (!IsRefused(answer) || !tls_.Refused(tls)) return answer;
    // The files have been renewed.
    return SendOnce(request, authorization, stop, SettingsFor(tls_.Current(), credential));
  }

  /// libcurl shares no connection between different certificates or CAs; streams that are open go
  /// on with those they began with.
  std::shared_ptr<const CurlSettings> SettingsFor(const TlsMaterial::Snapshot& tls,
                                                  const ExecPlugin::Credential& credential) {
    const std::lock_guard lock(current_mutex_);
    if (current_ == nullptr || current_tls_ != tls || current_credential_ != credential) {
      auto settings = settings_;
      settings.tls = *tls;
      if (credential != nullptr && !credential->certificate.empty()) {
        settings.tls.certData = credential->certificate;
        settings.tls.keyData = credential->key;
      }
      current_ = std::make_shared<const CurlSettings>(std::move(settings));
      current_tls_ = tls;
      current_credential_ = credential;
    }
    return current_;
  }

  Answer SendOnce(HttpRequest request, const std::string& authorization,
                  const std::stop_token& stop, std::shared_ptr<const CurlSettings> settings) {
    auto& headers = request.headers;
    if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
    if (sends_credentials_ && !detail::HasHeader(headers, "Impersonate-User")) {
      headers.insert(headers.end(), impersonation_.begin(), impersonation_.end());
    }
    if (settings_.gzip && !detail::HasHeader(headers, "Accept-Encoding")) {
      headers.emplace_back("Accept-Encoding", "gzip");
    }
    auto log = RequestLog::Begin(verbosity_, settings_.server, request);
    const auto engine = EngineFor(request);
    auto transfer = Transfer::New(std::move(settings), request, engine->pulse());
    if (!transfer) return std::move(transfer).error();
    auto response = std::make_unique<CurlResponse>(engine, *transfer);
    engine->Start(std::move(*transfer));
    if (auto head = response->AwaitHead(stop); !head) {
      Error error = std::move(head).error();
      if (error.kind == ErrorKind::kTls) error = detail::WithOrigin(std::move(error), origin_);
      if (log) log->Failed(error);
      return error;
    }
    if (response->status() == 407 && !settings_.proxy.url.empty()) {
      Error error = RefusedByProxy(request);
      if (log) log->Failed(error);
      return error;
    }
    if (!log) return std::unique_ptr<HttpResponse>(std::move(response));
    const auto timings = response->timings();
    return RequestLog::Answered(std::move(log), std::move(response), timings);
  }

  /// ", which has expired, at ..." for a client certificate whose time it is not.
  [[nodiscard]] std::string WhatIsWrongWithIt() const {
    const std::lock_guard lock(current_mutex_);
    if (current_ == nullptr) return {};
    const auto problem = detail::ValidityProblem(current_->tls.certData);
    return problem.empty() ? "" : ", which " + problem;
  }

  /// Over TLS libcurl tells it; without, it looks like an answer of the server.
  [[nodiscard]] Error RefusedByProxy(const HttpRequest& request) const {
    return {.kind = ErrorKind::kConnect,
            .message = detail::Describe(request.method, request.target) + ": the proxy " +
                       settings_.proxy.name + " wants another user or password (407)"};
  }

  /// libcurl 7.88 loses an answer that comes over HTTP/2 before the request's body is sent, as API
  /// servers give 401, 403 and 429. Requests with a body therefore use HTTP/1.1, and an engine of
  /// their own: a multi handle that has met both versions at one host no longer shares connections.
  std::shared_ptr<CurlEngine> EngineFor(const HttpRequest& request) {
    std::shared_ptr<CurlEngine> replaced;  // Ended after the lock, by whoever uses it last.
    const std::lock_guard lock(engines_mutex_);
    auto& engine = request.body.empty() || !settings_.UsesHttp2() ? engine_ : body_engine_;
    if (engine == nullptr || engine->Distrusted()) {
      replaced = std::exchange(engine, std::make_shared<CurlEngine>());
    }
    return engine;
  }

  const CurlSettings settings_;  ///< All but `tls` hold for every request.
  const bool sends_credentials_;
  TlsMaterial tls_;
  detail::TokenSource token_;
  const std::string basic_;
  const Headers impersonation_;
  const std::shared_ptr<ExecPlugin> plugin_;  ///< Null: none.
  const std::string origin_;
  const std::string plugin_name_;
  const std::string caller_;
  const std::shared_ptr<Metrics> metrics_;
  const int verbosity_;
  mutable std::mutex current_mutex_;  ///< A leaf.
  std::shared_ptr<const CurlSettings> current_;
  TlsMaterial::Snapshot current_tls_;
  ExecPlugin::Credential current_credential_;
  std::mutex engines_mutex_;
  std::shared_ptr<CurlEngine> engine_;
  std::shared_ptr<CurlEngine> body_engine_;
};

Result<std::shared_ptr<CurlTransport>> CurlTransport::New(const Config& config) {
  if (auto valid = Validate(config); !valid) return std::move(valid).error();
  util::detail::Problems problems;
  auto tls = detail::LoadTls(config.tls, problems);
  if (!problems.empty()) return detail::WithOrigin(problems.ToError(), config.origin);
  auto settings = detail::MakeCurlSettings(config, std::move(tls));
  if (!settings) {
    problems.Add(settings.error().message);
    return problems.ToError();
  }
  if (settings->is_tls && config.tls.insecure) {
    detail::WarnOnce("the certificate of " + settings->server + " is not verified (tls.insecure)");
  }
  std::shared_ptr<ExecPlugin> plugin;
  if (detail::UsesExecPlugin(config)) {
    auto found = ExecPlugin::For(config);
    if (!found) {
      return Error{.kind = ErrorKind::kConfig,
                   .message = detail::NameOf(config.exec) + detail::InParentheses(config.origin) +
                              ": " + found.error().message};
    }
    plugin = *std::move(found);
  }
  auto impl = std::make_unique<Impl>(config, std::move(*settings), std::move(plugin));
  return std::shared_ptr<CurlTransport>(new CurlTransport(std::move(impl)));
}

CurlTransport::CurlTransport(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
CurlTransport::~CurlTransport() = default;

Result<std::unique_ptr<HttpResponse>> CurlTransport::RoundTrip(const HttpRequest& request,
                                                               std::stop_token stop) {
  return impl_->RoundTrip(request, stop);
}

std::string CurlTransport::WaitsFor() const { return impl_->WaitsFor(); }

std::string CurlTransport::Explain(const Error& answered) const { return impl_->Explain(answered); }

}  // namespace k8s::inline v0::rest
