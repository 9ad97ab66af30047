#pragma once

#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "rest/curl_handles.hpp"
#include "rest/curl_settings.hpp"
#include "rest/exchange.hpp"
#include "rest/pulse.hpp"

namespace k8s::inline v0::rest::detail {

/// One exchange with what libcurl needs for it.
///
/// Thread safety. Made by the caller; from its hand-over on only the I/O thread touches it, except
/// for `exchange`.
class Transfer {
 public:
  /// `pool`: the pulse of all transfers that may share a connection with this one.
  /// Errors: kInvalidArgument for headers with line breaks; kInternal when libcurl has no memory.
  static Result<std::shared_ptr<Transfer>> New(std::shared_ptr<const CurlSettings> settings,
                                               const HttpRequest& request,
                                               std::shared_ptr<Pulse> pool);

  [[nodiscard]] Exchange& exchange() { return exchange_; }
  [[nodiscard]] CURL* easy() const { return easy_.get(); }
  /// Whether the server has been silent for longer than a healthy one. From any thread.
  [[nodiscard]] bool IsSilent() const;
  /// Whether, if it is silent for too long, its connection may be dead: all others of the pool have
  /// been silent since then too, or the server does not even begin to answer. From any thread.
  [[nodiscard]] bool SeemsDead() const;
  /// Ends the exchange with libcurl's verdict. Requires: the handle is in no multi handle, and not
  /// freed.
  void Complete(CURLcode code);
  /// Frees the handle. Requires: it is in no multi handle.
  void Release() { easy_.reset(); }

 private:
  Transfer(std::shared_ptr<const CurlSettings> settings, const HttpRequest& request,
           std::shared_ptr<Pulse> pool);

  Result<void> Configure(const HttpRequest& request);
  Result<void> SetHeaders(const Headers& headers);
  void SetMethod(const std::string& method);
  void SetConnection();
  void SetCallbacks();

  static std::size_t OnHeader(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnUpload(char* out, std::size_t size, std::size_t count, void* self);
  static int OnSeek(void* self, curl_off_t offset, int origin);

  void HeaderLine(std::string_view line);
  void Heard();

  const std::shared_ptr<const CurlSettings> settings_;
  const std::shared_ptr<Pulse> pool_;
  Pulse pulse_;
  Exchange exchange_;
  std::array<char, CURL_ERROR_SIZE> reason_{};
  std::string body_;
  std::size_t sent_ = 0;  ///< Bytes of body_.
  int status_ = 0;
  Headers headers_;
  StringList header_lines_;
  StringList connect_to_;
  EasyHandle easy_;  ///< Last: refers to all of the above.
};

/// The Error for a code of libcurl. `what` names the request, `reason` is CURLOPT_ERRORBUFFER,
/// `os_error` CURLINFO_OS_ERRNO.
[[nodiscard]] Error ErrorFromCurl(CURLcode code, const std::string& what, std::string_view reason,
                                  int os_error);

}  // namespace k8s::inline v0::rest::detail
