#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

#include "rest/transfer.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A handshake that fails because the peer is gone says nothing about certificates.
bool IsLostInHandshake(std::string_view reason) {
  return Contains(reason, "SSL_ERROR_SYSCALL") || Contains(reason, "SSL_ERROR_ZERO_RETURN") ||
         Contains(reason, "unexpected eof") || Contains(reason, "Connection reset by peer");
}

/// With TLS 1.3 a server refuses a client certificate only after the handshake.
bool IsRefusedCertificate(std::string_view reason) {
  return Contains(reason, " alert ") &&
         (Contains(reason, "certificate") || Contains(reason, "unknown ca"));
}

/// A peer that ends the connection as soon as it is made, as load balancers without a server do:
/// libcurl may see that before it has seen the connection.
bool IsLostAtOnce(int os_error) {
  return os_error == ECONNRESET || os_error == ECONNABORTED || os_error == EPIPE;
}

bool IsRefusedByProxy(std::string_view reason) { return Contains(reason, "CONNECT tunnel failed"); }

ErrorKind KindOf(CURLcode code, std::string_view reason, int os_error) {
  if (IsRefusedCertificate(reason)) return ErrorKind::kTls;
  if (IsRefusedByProxy(reason)) return ErrorKind::kConnect;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return ErrorKind::kDns;
    case CURLE_COULDNT_CONNECT:
      return IsLostAtOnce(os_error) ? ErrorKind::kConnectionLost : ErrorKind::kConnect;
    case CURLE_PROXY:
    case CURLE_INTERFACE_FAILED:
      return ErrorKind::kConnect;
    case CURLE_OPERATION_TIMEDOUT:
      return ErrorKind::kTimeout;
    case CURLE_SSL_CONNECT_ERROR:
      return IsLostInHandshake(reason) ? ErrorKind::kConnectionLost : ErrorKind::kTls;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_ENGINE_NOTFOUND:
    case CURLE_SSL_ENGINE_SETFAILED:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CLIENTCERT:
    case CURLE_USE_SSL_FAILED:
      return ErrorKind::kTls;
    case CURLE_GOT_NOTHING:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_SEND_FAIL_REWIND:
    case CURLE_PARTIAL_FILE:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return ErrorKind::kConnectionLost;
    case CURLE_URL_MALFORMAT:
      return ErrorKind::kInvalidArgument;
    case CURLE_UNSUPPORTED_PROTOCOL:  // A body without a head, as HTTP/0.9 has it.
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_TOO_MANY_REDIRECTS:
      return ErrorKind::kProtocol;
    default:
      return ErrorKind::kInternal;
  }
}

/// "Failed to connect to h port 1 after 0 ms: Couldn't connect to server": why not is known.
std::string WithOsError(std::string reason, int os_error) {
  constexpr std::string_view kNothing = "Couldn't connect to server";
  if (os_error == 0 || !reason.ends_with(kNothing)) return reason;
  reason.resize(reason.size() - kNothing.size());
  return reason + std::generic_category().message(os_error);
}

}  // namespace

Error ErrorFromCurl(CURLcode code, const std::string& what, std::string_view reason, int os_error) {
  const std::string why(reason.empty() ? curl_easy_strerror(code) : reason);
  return Error{.kind = KindOf(code, reason, os_error),
               .message = what + ": " + WithOsError(why, os_error)};
}

}  // namespace k8s::inline v0::rest::detail
