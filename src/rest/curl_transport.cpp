#include <k8s/clock.hpp>
#include <k8s/log.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "rest/credentials.hpp"
#include "rest/curl_engine.hpp"
#include "rest/curl_response.hpp"
#include "rest/curl_settings.hpp"
#include "rest/exec_plugin.hpp"
#include "rest/request_log.hpp"
#include "rest/response_error.hpp"
#include "rest/transfer.hpp"

namespace k8s::inline v0::rest {

using detail::CurlEngine;
using detail::CurlResponse;
using detail::CurlSettings;
using detail::ExecPlugin;
using detail::RequestLog;
using detail::Transfer;

class CurlTransport::Impl {
 public:
  /// `plugin`: null for none.
  Impl(const Config& config, CurlSettings settings, std::shared_ptr<ExecPlugin> plugin)
      : settings_(std::make_shared<const CurlSettings>(std::move(settings))),
        sends_credentials_(settings_->is_tls || config.host.starts_with("http://")),
        token_(config.bearerToken, config.bearerTokenFile, RealClock()),
        basic_(config.username.empty()
                   ? ""
                   : detail::BasicAuthorization(config.username, config.password)),
        impersonation_(detail::ImpersonationHeaders(config.impersonate)),
        plugin_(std::move(plugin)),
        plugin_name_(detail::NameOf(config.exec)),
        verbosity_(config.verbosity) {}

  Result<std::unique_ptr<HttpResponse>> RoundTrip(const HttpRequest& request,
                                                  const std::stop_token& stop) {
    if (stop.stop_requested()) return Cancelled(detail::Describe(request.method, request.target));
    if (!sends_credentials_ || detail::HasHeader(request.headers, "Authorization")) {
      return Send(request, "", stop);
    }
    if (plugin_ != nullptr) return SendWithPlugin(request, stop);
    if (!basic_.empty()) return Send(request, basic_, stop);
    return SendWithToken(request, stop);
  }

 private:
  static std::string Bearer(const std::string& token) {
    return token.empty() ? "" : "Bearer " + token;
  }

  // A request that was refused with 401 was not carried out: any may be sent once more.

  Result<std::unique_ptr<HttpResponse>> SendWithToken(const HttpRequest& request,
                                                      const std::stop_token& stop) {
    auto token = token_.Token();
    if (!token) return std::move(token).error();
    auto response = Send(request, Bearer(*token), stop);
    if (!response || (*response)->status() != 401 || !token_.Refused(*token)) return response;
    // The token file has been renewed.
    token = token_.Token();
    if (!token) return response;
    return Send(request, Bearer(*token), stop);
  }

  Result<std::unique_ptr<HttpResponse>> SendWithPlugin(const HttpRequest& request,
                                                       const std::stop_token& stop) {
    const auto credential = plugin_->Get(stop);
    if (!credential) return PluginError(request, credential.error());
    auto response = SendWith(request, *credential, stop);
    if (!response || (*response)->status() != 401) return response;
    const auto renewed = plugin_->Renew(*credential, stop);
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

  Result<std::unique_ptr<HttpResponse>> SendWith(const HttpRequest& request,
                                                 const ExecPlugin::Credential& credential,
                                                 const std::stop_token& stop) {
    return Send(request, Bearer(credential->token), stop, SettingsFor(credential));
  }

  /// The settings with the plugin's certificate. libcurl shares no connection between different
  /// certificates; streams that are open go on with the one they began with.
  std::shared_ptr<const CurlSettings> SettingsFor(const ExecPlugin::Credential& credential) {
    if (credential->certificate.empty()) return settings_;
    const std::lock_guard lock(certified_mutex_);
    if (certified_for_ != credential) {
      auto settings = *settings_;
      settings.tls.certData = credential->certificate;
      settings.tls.keyData = credential->key;
      certified_ = std::make_shared<const CurlSettings>(std::move(settings));
      certified_for_ = credential;
    }
    return certified_;
  }

  Result<std::unique_ptr<HttpResponse>> Send(const HttpRequest& request,
                                             const std::string& authorization,
                                             const std::stop_token& stop) {
    return Send(request, authorization, stop, settings_);
  }

  Result<std::unique_ptr<HttpResponse>> Send(HttpRequest request, const std::string& authorization,
                                             const std::stop_token& stop,
                                             std::shared_ptr<const CurlSettings> settings) {
    auto& headers = request.headers;
    if (!authorization.empty()) headers.emplace_back("Authorization", authorization);
    if (sends_credentials_ && !detail::HasHeader(headers, "Impersonate-User")) {
      headers.insert(headers.end(), impersonation_.begin(), impersonation_.end());
    }
    if (settings_->gzip && !detail::HasHeader(headers, "Accept-Encoding")) {
      headers.emplace_back("Accept-Encoding", "gzip");
    }
    auto log = RequestLog::Begin(verbosity_, settings_->server, request);
    const auto engine = EngineFor(request);
    auto transfer = Transfer::New(std::move(settings), request, engine->pulse());
    if (!transfer) return std::move(transfer).error();
    auto response = std::make_unique<CurlResponse>(engine, *transfer);
    engine->Start(std::move(*transfer));
    if (auto head = response->AwaitHead(stop); !head) {
      if (log) log->Failed(head.error());
      return std::move(head).error();
    }
    if (!log) return std::unique_ptr<HttpResponse>(std::move(response));
    const auto timings = response->timings();
    return RequestLog::Answered(std::move(log), std::move(response), timings);
  }

  /// libcurl 7.88 loses an answer that comes over HTTP/2 before the request's body is sent, as API
  /// servers give 401, 403 and 429. Requests with a body therefore use HTTP/1.1, and an engine of
  /// their own: a multi handle that has met both versions at one host no longer shares connections.
  std::shared_ptr<CurlEngine> EngineFor(const HttpRequest& request) {
    std::shared_ptr<CurlEngine> replaced;  // Ended after the lock, by whoever uses it last.
    const std::lock_guard lock(engines_mutex_);
    auto& engine = request.body.empty() || !settings_->UsesHttp2() ? engine_ : body_engine_;
    if (engine == nullptr || engine->Distrusted()) {
      replaced = std::exchange(engine, std::make_shared<CurlEngine>());
    }
    return engine;
  }

  const std::shared_ptr<const CurlSettings> settings_;
  const bool sends_credentials_;
  detail::TokenSource token_;
  const std::string basic_;
  const Headers impersonation_;
  const std::shared_ptr<ExecPlugin> plugin_;  ///< Null: none.
  const std::string plugin_name_;
  const int verbosity_;
  std::mutex certified_mutex_;  ///< A leaf.
  std::shared_ptr<const CurlSettings> certified_;
  ExecPlugin::Credential certified_for_;
  std::mutex engines_mutex_;
  std::shared_ptr<CurlEngine> engine_;
  std::shared_ptr<CurlEngine> body_engine_;
};

Result<std::shared_ptr<CurlTransport>> CurlTransport::New(const Config& config) {
  if (auto valid = Validate(config); !valid) return std::move(valid).error();
  auto settings = detail::MakeCurlSettings(config);
  if (!settings) return std::move(settings).error();
  if (settings->is_tls && config.tls.insecure) {
    log::Write(log::Level::kWarning,
               "the certificate of " + settings->server + " is not verified (tls.insecure)");
  }
  std::shared_ptr<ExecPlugin> plugin;
  if (detail::UsesExecPlugin(config)) {
    auto found = ExecPlugin::For(config);
    if (!found) {
      return Error{.kind = ErrorKind::kConfig,
                   .message = detail::NameOf(config.exec) + ": " + found.error().message};
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

}  // namespace k8s::inline v0::rest
