#include <string>
#include <string_view>

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

bool IsRefusedByProxy(std::string_view reason) { return Contains(reason, "CONNECT tunnel failed"); }

ErrorKind KindOf(CURLcode code, std::string_view reason) {
  if (IsRefusedCertificate(reason)) return ErrorKind::kTls;
  if (IsRefusedByProxy(reason)) return ErrorKind::kConnect;
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
      return ErrorKind::kDns;
    case CURLE_COULDNT_CONNECT:
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

}  // namespace

Error ErrorFromCurl(CURLcode code, const std::string& what, std::string_view reason) {
  std::string message = what + ": ";
  if (reason.empty()) {
    message += curl_easy_strerror(code);
  } else {
    message += reason;
  }
  return Error{.kind = KindOf(code, reason), .message = std::move(message)};
}

}  // namespace k8s::inline v0::rest::detail
