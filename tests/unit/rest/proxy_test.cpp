#include "rest/proxy.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace k8s::test {
namespace {

using rest::detail::IsExemptFromProxy;
using rest::detail::IsLoopback;
using rest::detail::ParseProxy;
using rest::detail::ProxyFor;

TEST(ParseProxyTest, MakesGosDefaultsExplicit) {
  const auto url = [](const char* text) { return ParseProxy(text).value().url; };
  EXPECT_EQ(url(""), "");
  EXPECT_EQ(url("http://p.test"), "http://p.test:80");
  EXPECT_EQ(url("https://p.test/"), "https://p.test:443");
  EXPECT_EQ(url("HTTP://p.test:3128/path?q"), "http://p.test:3128");
  EXPECT_EQ(url("http://[::1]:3128"), "http://[::1]:3128");
  EXPECT_EQ(url("http://us%40er:pa%3Ass@p.test"), "http://us%40er:pa%3Ass@p.test:80");
}

// Go lets the proxy resolve the server's name; libcurl calls that socks5h.
TEST(ParseProxyTest, TheProxyResolvesNames) {
  EXPECT_EQ(ParseProxy("socks5://p.test").value().url, "socks5h://p.test:1080");
  EXPECT_EQ(ParseProxy("socks5h://p.test:9").value().url, "socks5h://p.test:9");
}

TEST(ParseProxyTest, TheNameIsForPeople) {
  EXPECT_EQ(ParseProxy("socks5://user:s3cret@p.test").value().name, "socks5://p.test:1080");
}

TEST(ParseProxyTest, ErrorsTellNoPassword) {
  for (const char* text : {"ftp://user:s3cret@p.test", "user:s3cret@p.test", "socks4://p.test",
                           "http://", "http://user:s3cret@p test", "http://user:s3cret@p.test:x"}) {
    const auto proxy = ParseProxy(text);
    ASSERT_FALSE(proxy.has_value()) << text;
    EXPECT_EQ(proxy.error().kind, ErrorKind::kConfig);
    EXPECT_EQ(proxy.error().message.find("s3cret"), std::string::npos) << proxy.error().message;
  }
}

TEST(IsLoopbackTest, KnowsNamesAndAddresses) {
  for (const char* host : {"localhost", "127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"}) {
    EXPECT_TRUE(IsLoopback(host)) << host;
  }
  for (const char* host : {"localhost.test", "128.0.0.1", "::2", "127.test", ""}) {
    EXPECT_FALSE(IsLoopback(host)) << host;
  }
}

struct NoProxyRow {
  const char* list;
  const char* host;
  const char* port;
  bool exempt;
};

// golang.org/x/net/http/httpproxy: TestUseProxy
TEST(IsExemptFromProxyTest, FollowsGosRules) {
  const NoProxyRow rows[] = {
      {"", "a.test", "443", false},
      {"*", "a.test", "443", true},
      {"*", "10.0.0.1", "443", true},
      {"b.test, * ", "a.test", "443", true},
      {"a.test", "a.test", "443", true},
      {"A.Test", "a.TEST", "443", true},
      {" a.test ,", "a.test", "443", true},
      {"a.test", "sub.a.test", "443", true},
      {"a.test", "xa.test", "443", false},
      {".a.test", "sub.a.test", "443", true},
      {".a.test", "a.test", "443", false},
      {"*.a.test", "sub.a.test", "443", true},
      {"*.a.test", "a.test", "443", false},
      {"a.test:443", "a.test", "443", true},
      {"a.test:443", "a.test", "6443", false},
      {".a.test:443", "sub.a.test", "443", true},
      {":443", "a.test", "443", false},
      {"10.0.0.1", "10.0.0.1", "443", true},
      {"10.0.0.1", "10.0.0.10", "443", false},
      {"10.0.0.1:443", "10.0.0.1", "443", true},
      {"10.0.0.1:443", "10.0.0.1", "80", false},
      {"10.0.0.0/8", "10.255.0.1", "443", true},
      {"10.0.0.0/8", "11.0.0.1", "443", false},
      {"10.0.0.0/8", "10.test", "443", false},
      {"10.0.0.0/33", "10.0.0.1", "443", false},
      {"10.0.0.0/x", "10.0.0.1", "443", false},
      {"192.168.1.128/25", "192.168.1.127", "443", false},
      {"192.168.1.128/25", "192.168.1.129", "443", true},
      {"0.0.0.0/0", "10.0.0.1", "443", true},
      {"0.0.0.0/0", "fd00::1", "443", false},
      {"::/0", "fd00::1", "443", true},
      {"::/0", "10.0.0.1", "443", false},
      {"fd00::/8", "fd00:1::2", "443", true},
      {"fd00::/8", "fe00::2", "443", false},
      {"fd00::1", "fd00:0::1", "443", true},
      {"[fd00::1]:443", "fd00::1", "443", true},
      {"[fd00::1]:443", "fd00::1", "80", false},
      {"::ffff:10.0.0.1", "10.0.0.1", "443", true},
      {"0.0.1", "10.0.0.1", "443", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(IsExemptFromProxy(row.list, row.host, row.port), row.exempt)
        << row.list << " for " << row.host << ":" << row.port;
  }
}

/// The environment without proxies, and as it was afterwards.
class ProxyForTest : public ::testing::Test {
 protected:
  static constexpr const char* kNames[] = {"HTTPS_PROXY",   "https_proxy", "HTTP_PROXY",
                                           "http_proxy",    "NO_PROXY",    "no_proxy",
                                           "REQUEST_METHOD"};
  void SetUp() override { Clear(); }
  void TearDown() override { Clear(); }
  static void Clear() {
    for (const char* name : kNames) unsetenv(name);
  }
  static std::string Url(const std::string& server, const std::string& explicit_url = "") {
    return ProxyFor({.proxyUrl = explicit_url}, server).value().url;
  }
};

TEST_F(ProxyForTest, TheSchemeOfTheServerChoosesTheVariable) {
  setenv("HTTPS_PROXY", "http://secure.test:1", 1);
  setenv("HTTP_PROXY", "http://plain.test:2", 1);
  EXPECT_EQ(Url("https://a.test"), "http://secure.test:1");
  EXPECT_EQ(Url("http://a.test"), "http://plain.test:2");
}

TEST_F(ProxyForTest, LowerCaseCountsWhereUpperCaseIsNotSet) {
  setenv("https_proxy", "http://lower.test:1", 1);
  EXPECT_EQ(Url("https://a.test"), "http://lower.test:1");
  setenv("HTTPS_PROXY", "http://upper.test:1", 1);
  EXPECT_EQ(Url("https://a.test"), "http://upper.test:1");
}

TEST_F(ProxyForTest, ASchemeMayBeLeftOutInTheEnvironment) {
  setenv("HTTPS_PROXY", "user:pw@p.test:3128", 1);
  EXPECT_EQ(Url("https://a.test"), "http://user:pw@p.test:3128");
}

TEST_F(ProxyForTest, NoProxyCountsForTheEnvironmentsProxyOnly) {
  setenv("HTTPS_PROXY", "http://p.test:1", 1);
  setenv("no_proxy", "a.test:6443", 1);
  EXPECT_EQ(Url("https://a.test:6443"), "");
  EXPECT_EQ(Url("https://a.test:6443", "socks5://q.test"), "socks5h://q.test:1080");
  EXPECT_EQ(Url("https://a.test"), "http://p.test:1") << "the default port is 443";
  setenv("NO_PROXY", "b.test", 1);
  EXPECT_EQ(Url("https://a.test:6443"), "http://p.test:1");
}

TEST_F(ProxyForTest, LoopbackNeedsAnExplicitProxy) {
  setenv("HTTPS_PROXY", "http://p.test:1", 1);
  for (const char* server : {"https://localhost", "https://127.0.0.1:6443", "https://[::1]:6443"}) {
    EXPECT_EQ(Url(server), "");
    EXPECT_EQ(Url(server, "http://q.test"), "http://q.test:80");
  }
}

TEST_F(ProxyForTest, ErrorsNameTheVariable) {
  setenv("https_proxy", "ftp://user:s3cret@p.test", 1);
  const auto message = ProxyFor({}, "https://a.test").error().message;
  EXPECT_EQ(message, "https_proxy of the environment is no http, https or socks5 URL");
}

TEST_F(ProxyForTest, ACgiProgramTrustsNoHttpProxy) {
  setenv("HTTP_PROXY", "http://p.test", 1);
  setenv("REQUEST_METHOD", "GET", 1);
  EXPECT_FALSE(ProxyFor({}, "http://a.test").has_value());
  EXPECT_EQ(Url("https://a.test"), "");
}

}  // namespace
}  // namespace k8s::test
