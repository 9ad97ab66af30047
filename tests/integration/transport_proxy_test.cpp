// Real proxies between the transport and a TLS server.

#include <gtest/gtest.h>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>

#include <cstdlib>
#include <memory>
#include <string>

#include "support/openssl_server.hpp"
#include "support/proxy_program.hpp"
#include "support/raw_http_server.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class CurlTransportProxyTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const auto& why : {TestAuthority::Unavailable(), ProxyProgram::Unavailable("tinyproxy"),
                            ProxyProgram::Unavailable("microsocks")}) {
      if (!why.empty()) GTEST_SKIP() << why;
    }
    authority_ = std::make_unique<TestAuthority>();
    authority_->Issue("server", "IP:127.0.0.1,DNS:localhost,DNS:kubernetes.test");
    server_ = std::make_unique<OpensslServer>(*authority_, "server");
  }
  void TearDown() override {
    for (const char* name : {"HTTPS_PROXY", "NO_PROXY"}) unsetenv(name);
  }

  [[nodiscard]] rest::Config ConfigFor(const std::string& proxy,
                                       const std::string& host = "127.0.0.1") const {
    return {.host = "https://" + host + ":" + server_->port(),
            .tls = {.caFile = authority_->CaFile()},
            .proxyUrl = proxy};
  }
  static Result<std::string> Page(const rest::Config& config) {
    auto transport = rest::CurlTransport::New(config);
    if (!transport) return std::move(transport).error();
    return Get(**transport);
  }

  std::unique_ptr<TestAuthority> authority_;
  std::unique_ptr<OpensslServer> server_;
};

TEST_F(CurlTransportProxyTest, AnHttpProxyTunnels) {
  const auto proxy = ProxyProgram::Tinyproxy();
  EXPECT_TRUE(Has(Page(ConfigFor("http://" + proxy.address())).value(), "HTML"));
  EXPECT_TRUE(proxy.Logged("CONNECT 127.0.0.1:" + server_->port()));
}

TEST_F(CurlTransportProxyTest, ASocks5ProxyResolvesTheName) {
  const auto proxy = ProxyProgram::Microsocks();
  EXPECT_TRUE(Has(Page(ConfigFor("socks5://" + proxy.address(), "localhost")).value(), "HTML"));
  EXPECT_TRUE(proxy.Logged("localhost:" + server_->port()));
}

TEST_F(CurlTransportProxyTest, UserAndPasswordOfTheUrlCount) {
  const auto http = ProxyProgram::Tinyproxy("user", "s3cret");
  EXPECT_TRUE(Page(ConfigFor("http://user:s3cret@" + http.address())).has_value());
  const auto socks = ProxyProgram::Microsocks("user", "s3cret");
  EXPECT_TRUE(Page(ConfigFor("socks5://user:s3cret@" + socks.address())).has_value());
}

TEST_F(CurlTransportProxyTest, ATlsServerNameIsNotWhereTheProxyGoes) {
  const auto http = ProxyProgram::Tinyproxy();
  auto config = ConfigFor("http://" + http.address());
  config.tls.serverName = "kubernetes.test";
  EXPECT_TRUE(Page(config).has_value());
  EXPECT_TRUE(http.Logged("CONNECT 127.0.0.1:" + server_->port()));
  const auto socks = ProxyProgram::Microsocks();
  config.proxyUrl = "socks5://" + socks.address();
  EXPECT_TRUE(Page(config).has_value());
  EXPECT_TRUE(socks.Logged("127.0.0.1:" + server_->port()));
}

TEST_F(CurlTransportProxyTest, NoProxyDoesNotSwitchOffAnExplicitProxy) {
  setenv("NO_PROXY", "*", 1);
  const auto proxy = ProxyProgram::Tinyproxy();
  EXPECT_TRUE(Page(ConfigFor("http://" + proxy.address())).has_value());
  EXPECT_TRUE(proxy.Logged("CONNECT 127.0.0.1:" + server_->port()));
}

TEST_F(CurlTransportProxyTest, ErrorsNameTheProxyAndNoPassword) {
  const auto http = ProxyProgram::Tinyproxy("user", "right");
  const auto socks = ProxyProgram::Microsocks("user", "right");
  const std::string closed = "127.0.0.1:" + std::to_string(ClosedPort());
  struct Row {
    std::string scheme;
    std::string address;
    ErrorKind kind;
    const char* reason;
  };
  const Row rows[] = {{"http", http.address(), ErrorKind::kConnect, "CONNECT tunnel failed"},
                      {"socks5", socks.address(), ErrorKind::kConnect, ""},
                      {"http", closed, ErrorKind::kConnect, ""},
                      {"socks5", closed, ErrorKind::kConnect, ""},
                      {"http", "no-such-host.invalid:3128", ErrorKind::kDns, "resolve"}};
  for (const auto& row : rows) {
    const auto error = Page(ConfigFor(row.scheme + "://user:s3cret@" + row.address)).error();
    EXPECT_EQ(error.kind, row.kind) << error.ToString();
    EXPECT_TRUE(Has(error.message, "(proxy " + row.scheme + "://" + row.address + ")"))
        << error.message;
    EXPECT_TRUE(Has(error.message, row.reason)) << error.message;
    EXPECT_FALSE(Has(error.message, "s3cret")) << error.message;
  }
  const auto nobody = Page(ConfigFor("http://" + http.address())).error();
  EXPECT_TRUE(Has(nobody.message, "407")) << nobody.message;
}

TEST_F(CurlTransportProxyTest, WithoutTlsARefusalIsTheProxysToo) {
  const auto proxy = ProxyProgram::Tinyproxy("user", "right");
  const auto error =
      Page({.host = "http://kubernetes.test", .proxyUrl = "http://" + proxy.address()}).error();
  EXPECT_EQ(error.kind, ErrorKind::kConnect);
  EXPECT_TRUE(Has(error.message, "http://" + proxy.address())) << error.message;
  EXPECT_TRUE(Has(error.message, "407")) << error.message;
}

}  // namespace
}  // namespace k8s::test
