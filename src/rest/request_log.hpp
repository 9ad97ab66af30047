#pragma once

#include <k8s/error.hpp>
#include <k8s/rest/transport.hpp>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace k8s::inline v0::rest::detail {

/// How long an exchange has taken to get to its head, each step from the start on. 0: not needed.
struct Timings {
  std::chrono::microseconds name_lookup{0};
  std::chrono::microseconds connect{0};
  std::chrono::microseconds tls{0};
  std::chrono::microseconds sending{0};  ///< Until the request could be sent.
  bool reused = false;                   ///< The connection was there.
  std::string_view protocol = "";        ///< "HTTP/2" for example; a literal.
};

/// The lines that log::SetVerbosity describes, for one exchange: "#7 GET https://h/api 200 in 3
/// ms". Its number, counted by the process, tells the lines of exchanges that run at the same time
/// apart.
///
/// Thread safety. One thread at a time.
class RequestLog {
 public:
  /// Logs what is sent. Null if nothing of the exchange is to be logged.
  static std::unique_ptr<RequestLog> Begin(int verbosity, std::string_view server,
                                           const HttpRequest& request);

  /// There was no answer.
  void Failed(const Error& error) const;
  /// Logs the head, and what follows when it is read through the answer that is returned.
  static std::unique_ptr<HttpResponse> Answered(std::unique_ptr<RequestLog> log,
                                                std::unique_ptr<HttpResponse> response,
                                                const Timings& timings);

  void Read(std::string_view chunk);
  /// Nothing more is read. Null: the body is complete.
  void Ended(const Error* error);
  /// The reader has lost interest before the end.
  void Dropped();

 private:
  RequestLog(int verbosity, std::string_view server, const HttpRequest& request);

  void LogRequest(const HttpRequest& request) const;
  void LogHead(const HttpResponse& response, const Timings& timings) const;
  void LogBody(std::string_view mark, std::string_view shown, std::size_t size) const;
  void LogCollected();
  void Line(std::string_view text) const;
  [[nodiscard]] std::string Elapsed() const;

  const int verbosity_;
  const std::string prefix_;  ///< "#7 "
  const std::string what_;    ///< "GET https://h/api"
  const bool piecewise_;      ///< Each chunk is logged for itself.
  const bool secret_;         ///< Bodies are not shown.
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const bool watch_;
  std::string collected_;  ///< The body's first bytes.
  std::size_t size_ = 0;   ///< Of the body so far.
};

/// A header's value for the log: credentials are masked.
[[nodiscard]] std::string MaskedHeader(std::string_view name, std::string_view value);

/// Whether bodies sent to or read from a path may be credentials: Secrets, tokens.
[[nodiscard]] bool MayHoldSecrets(std::string_view target);

/// A shell command that sends the same request but for masked headers and the body.
[[nodiscard]] std::string CurlCommand(std::string_view method, std::string_view url,
                                      const Headers& headers);

}  // namespace k8s::inline v0::rest::detail
