#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "rest/transfer.hpp"

namespace k8s::test {
namespace {

using rest::detail::ErrorFromCurl;

constexpr std::string_view kNoConnection =
    "Failed to connect to 192.0.2.1 port 443 after 0 ms: Couldn't connect to server";

ErrorKind KindOf(CURLcode code, std::string_view reason = {}, int os_error = 0) {
  return ErrorFromCurl(code, "GET /x", reason, os_error).kind;
}

// client-go: TestIsConnectionReset, TestIsConnectionRefused
TEST(ErrorFromCurlTest, AResetIsALostConnectionHoweverEarlyItComes) {
  EXPECT_EQ(KindOf(CURLE_COULDNT_CONNECT, kNoConnection, ECONNRESET), ErrorKind::kConnectionLost);
  EXPECT_EQ(KindOf(CURLE_COULDNT_CONNECT, kNoConnection, ECONNABORTED), ErrorKind::kConnectionLost);
  EXPECT_EQ(KindOf(CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", ECONNRESET),
            ErrorKind::kConnectionLost);
  for (const auto* reason :
       {"OpenSSL SSL_connect: Connection reset by peer in connection to 192.0.2.1:443 ",
        "OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to 192.0.2.1:443 ",
        "Send failure: Broken pipe",
        // The reset came between the end of connect() and libcurl's look at the addresses.
        "getpeername() failed with errno 107: Transport endpoint is not connected"}) {
    EXPECT_EQ(KindOf(CURLE_SSL_CONNECT_ERROR, reason), ErrorKind::kConnectionLost) << reason;
  }
  EXPECT_EQ(KindOf(CURLE_GOT_NOTHING, "Empty reply from server"), ErrorKind::kConnectionLost);
}

TEST(ErrorFromCurlTest, WhereNobodyListensThereIsNoConnection) {
  for (const int os_error : {ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EACCES, 0}) {
    EXPECT_EQ(KindOf(CURLE_COULDNT_CONNECT, kNoConnection, os_error), ErrorKind::kConnect)
        << os_error;
  }
  EXPECT_EQ(KindOf(CURLE_OPERATION_TIMEDOUT, "", ECONNRESET), ErrorKind::kTimeout);
}

TEST(ErrorFromCurlTest, SaysWhyThereIsNoConnection) {
  EXPECT_EQ(ErrorFromCurl(CURLE_COULDNT_CONNECT, "GET /x", kNoConnection, ECONNREFUSED).message,
            "GET /x: Failed to connect to 192.0.2.1 port 443 after 0 ms: Connection refused");
  EXPECT_EQ(ErrorFromCurl(CURLE_COULDNT_CONNECT, "GET /x", kNoConnection, 0).message,
            "GET /x: " + std::string(kNoConnection));
  EXPECT_EQ(ErrorFromCurl(CURLE_COULDNT_CONNECT, "GET /x", "", EHOSTUNREACH).message,
            "GET /x: No route to host");
  EXPECT_EQ(ErrorFromCurl(CURLE_GOT_NOTHING, "GET /x", "", ECONNRESET).message,
            "GET /x: Server returned nothing (no headers, no data)");
}

// Texts of libcurl 7.88 and OpenSSL 3.
TEST(ErrorFromCurlTest, SaysWhatAPeerOrAProxyHasAgainstUs) {
  const auto told = [](CURLcode code, std::string_view reason) {
    return ErrorFromCurl(code, "GET /x", reason, 0).message;
  };
  const std::string openssl = "OpenSSL/3.0.15: error:0A000410:SSL routines::";
  EXPECT_EQ(told(CURLE_PEER_FAILED_VERIFICATION, "SSL certificate verification failed"),
            "GET /x: the peer refuses the client certificate: alert certificate expired")
      << "of TLS 1.2";
  EXPECT_EQ(told(CURLE_SSL_CONNECT_ERROR, openssl + "sslv3 alert handshake failure"),
            "GET /x: the peer refuses the handshake; it may demand a client certificate (alert "
            "handshake failure)");
  EXPECT_EQ(told(CURLE_SSL_CONNECT_ERROR, openssl + "tlsv1 alert protocol version"),
            "GET /x: the peer speaks no TLS 1.2 or newer (alert protocol version)");
  EXPECT_EQ(told(CURLE_RECV_ERROR, "CONNECT tunnel failed, response 407"),
            "GET /x: the proxy wants another user or password (407)");
  EXPECT_EQ(told(CURLE_PROXY, "No authentication method was acceptable."),
            "GET /x: the proxy wants a user and password");
  EXPECT_EQ(told(CURLE_PROXY, "User was rejected by the SOCKS5 server (1 2)."),
            "GET /x: the proxy wants another user or password");
  EXPECT_EQ(told(CURLE_PROXY, "Can't complete SOCKS5 connection to 127.0.0.1. (5)"),
            "GET /x: Can't complete SOCKS5 connection to 127.0.0.1. (5): connection refused");
}

}  // namespace
}  // namespace k8s::test
