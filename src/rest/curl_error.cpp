#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "rest/transfer.hpp"

namespace k8s::inline v0::rest::detail {

namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// A handshake that fails because the peer is gone says nothing about certificates. libcurl keeps
/// the first of its reasons, which may be from before the handshake: "getpeername() failed".
bool IsLostInHandshake(std::string_view reason) {
  for (const std::string_view sign :
       {"SSL_ERROR_SYSCALL", "SSL_ERROR_ZERO_RETURN", "unexpected eof", "Connection reset by peer",
        "Broken pipe", "Transport endpoint is not connected"}) {
    if (Contains(reason, sign)) return true;
  }
  return false;
}

/// What the peer has against the client's certificate: "certificate expired", "unknown ca"; ""
/// when it is none of that. With TLS 1.3 a server says so only after the handshake.
std::string_view CertificateAlert(std::string_view reason) {
  // libcurl's only words for this alert where the server's own certificate is in order.
  if (reason == "SSL certificate verification failed") return "certificate expired";
  constexpr std::string_view kMark = " alert ";
  const auto mark = reason.find(kMark);
  if (mark == std::string_view::npos) return {};
  const auto alert = reason.substr(mark + kMark.size());
  if (!Contains(alert, "certificate") && !Contains(alert, "unknown ca")) return {};
  return alert.substr(0, alert.find(','));
}

bool IsRefusedCertificate(std::string_view reason) { return !CertificateAlert(reason).empty(); }

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

/// What a proxy's answer means: RFC 1928 has numbers for it.
std::string ExplainProxy(const std::string& reason) {
  if (reason == "CONNECT tunnel failed, response 407") {
    return "the proxy wants another user or password (407)";
  }
  if (reason.starts_with("No authentication method was acceptable")) {
    return "the proxy wants a user and password";
  }
  if (reason.starts_with("User was rejected by the SOCKS5 server")) {
    return "the proxy wants another user or password";
  }
  if (!Contains(reason, "complete SOCKS5 connection")) return reason;
  for (const auto& [number, meaning] : {std::pair{"(1)", "general failure"},
                                        {"(2)", "not allowed by its rules"},
                                        {"(3)", "network unreachable"},
                                        {"(4)", "host unreachable"},
                                        {"(5)", "connection refused"},
                                        {"(6)", "it took too long"}}) {
    if (reason.ends_with(number)) return reason + ": " + meaning;
  }
  return reason;
}

/// libcurl's reason, or a better one where OpenSSL's words or the system's error tell more.
std::string Explain(std::string reason, int os_error) {
  if (const auto alert = CertificateAlert(reason); !alert.empty()) {
    const bool has_none = alert == "certificate required";
    return (has_none ? "the peer demands a client certificate"
                     : "the peer refuses the client certificate") +
           (": alert " + std::string(alert));
  }
  if (Contains(reason, "wrong version number")) {
    return "the peer does not speak TLS (wrong version number)";
  }
  if (Contains(reason, "alert protocol version")) {
    return "the peer speaks no TLS 1.2 or newer (alert protocol version)";
  }
  if (Contains(reason, "alert handshake failure")) {
    return "the peer refuses the handshake; it may demand a client certificate (alert handshake "
           "failure)";
  }
  constexpr std::string_view kNothing = "Couldn't connect to server";
  if (os_error == 0 || !reason.ends_with(kNothing)) return ExplainProxy(reason);
  reason.resize(reason.size() - kNothing.size());
  return reason + std::generic_category().message(os_error);
}

}  // namespace

Error ErrorFromCurl(CURLcode code, const std::string& what, std::string_view reason, int os_error) {
  const std::string why(reason.empty() ? curl_easy_strerror(code) : reason);
  return Error{.kind = KindOf(code, reason, os_error),
               .message = what + ": " + Explain(why, os_error)};
}

}  // namespace k8s::inline v0::rest::detail
