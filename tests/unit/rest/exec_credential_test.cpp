#include "rest/exec_credential.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/openssl_server.hpp"

namespace k8s::test {
namespace {

using rest::detail::ExecClusterInfo;
using rest::detail::ExecInfo;
using rest::detail::ParseExecCredential;

const std::string kV1 = "client.authentication.k8s.io/v1";
const std::string kV1Beta1 = "client.authentication.k8s.io/v1beta1";

std::string Answer(const std::string& status, const std::string& version = kV1) {
  return R"({"kind":"ExecCredential","apiVersion":")" + version + R"(","status":)" + status + "}";
}

std::string Json(const std::string& text) { return nlohmann::json(text).dump(); }

// client-go: TestRefreshCreds
TEST(ParseExecCredentialTest, ReadsATokenACertificateOrBoth) {
  EXPECT_EQ(ParseExecCredential(Answer(R"({"token":"t"})"), kV1).value().token, "t");
  EXPECT_EQ(ParseExecCredential(Answer(R"({"token":"t"})", kV1Beta1), kV1Beta1).value().token, "t");
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  authority.Issue("client", "DNS:client.test");
  const std::string members = R"("clientCertificateData":)" + Json(authority.Read("client.pem")) +
                              R"(,"clientKeyData":)" + Json(authority.Read("client.key"));
  const auto pair = ParseExecCredential(Answer("{" + members + "}"), kV1).value();
  EXPECT_EQ(pair.token, "");
  EXPECT_EQ(pair.certificate, authority.Read("client.pem"));
  EXPECT_EQ(pair.key, authority.Read("client.key"));
  const auto both = ParseExecCredential(Answer(R"({"token":"t",)" + members + "}"), kV1).value();
  EXPECT_EQ(both.token, "t");
  EXPECT_EQ(both.certificate, pair.certificate);
}

TEST(ParseExecCredentialTest, NullAndUnknownMembersDoNotMatter) {
  const auto credential = ParseExecCredential(Answer(R"({"token":"t","expirationTimestamp":null,)"
                                                     R"("clientKeyData":null,"more":{"a":[1]}})"),
                                              kV1)
                              .value();
  EXPECT_EQ(credential.token, "t");
  EXPECT_FALSE(credential.expires.has_value());
}

TEST(ParseExecCredentialTest, ReadsTheExpiry) {
  const auto expires = [](const std::string& text) {
    return ParseExecCredential(Answer(R"({"token":"t","expirationTimestamp":")" + text + R"("})"),
                               kV1)
        .value()
        .expires.value();
  };
  const std::chrono::system_clock::time_point noon{std::chrono::seconds(1'800'014'400)};
  EXPECT_EQ(expires("2027-01-15T12:00:00Z"), noon);
  EXPECT_EQ(expires("2027-01-15T14:00:00+02:00"), noon);
}

TEST(ParseExecCredentialTest, GosZeroTimeIsNoExpiry) {
  const auto credential =
      ParseExecCredential(Answer(R"({"token":"t","expirationTimestamp":"0001-01-01T00:00:00Z"})"),
                          kV1)
          .value();
  EXPECT_FALSE(credential.expires.has_value());
}

// client-go: TestRefreshCreds
TEST(ParseExecCredentialTest, RefusesTheRestAndTellsNoSecret) {
  struct Row {
    const char* reason;
    std::string output;
  };
  const std::string secret = R"("token":"s3cret")";
  if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  const TestAuthority authority;
  authority.Issue("client", "DNS:client.test");
  authority.Openssl("pkey -in client.key -aes128 -passout pass:s3cret -out encrypted.key");
  const std::string certificate =
      R"("clientCertificateData":)" + Json(authority.Read("client.pem"));
  const auto with_key = [&](const std::string& file) {
    return Answer("{" + certificate + R"(,"clientKeyData":)" + Json(authority.Read(file)) + "}");
  };
  const Row rows[] = {
      {"not valid JSON", "s3cret"},
      {"is ", ""},
      {"is no JSON object", R"(["s3cret"])"},
      {"not valid JSON", Answer("{" + secret + "}") + "s3cret"},
      {"apiVersion \"client.authentication.k8s.io/v1beta1\"", Answer("{" + secret + "}", kV1Beta1)},
      {"apiVersion \"\"", R"({"kind":"ExecCredential","status":{"token":"s3cret"}})"},
      {"kind \"Secret\"",
       R"({"kind":"Secret","apiVersion":"client.authentication.k8s.io/v1","status":{}})"},
      {"apiVersion \"a b\"", R"({"kind":"ExecCredential","apiVersion":"a\nb","status":{}})"},
      {"no status", R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})"},
      {"no status", Answer("\"s3cret\"")},
      {"neither a token nor a client certificate", Answer("{}")},
      {"neither a token nor a client certificate", Answer(R"({"token":""})")},
      {"a token that is no text", Answer(R"({"token":5})")},
      {"a control character", Answer(R"({"token":"s3cret\r\nX: y"})")},
      {"only one of", Answer("{" + secret + "," + certificate + "}")},
      {"only one of", Answer(R"({"clientKeyData":"s3cret"})")},
      {"clientKeyData that is not PEM",
       Answer("{" + certificate + R"(,"clientKeyData":"s3cret"})")},
      {"clientCertificateData that is not PEM",
       Answer(R"({"clientCertificateData":"x","clientKeyData":"s3cret"})")},
      {"does not fit its clientCertificateData", with_key("ca.key")},
      {"clientKeyData that is encrypted", with_key("encrypted.key")},
      {"RFC 3339", Answer("{" + secret + R"(,"expirationTimestamp":"tomorrow"})")},
      {"RFC 3339", Answer("{" + secret + R"(,"expirationTimestamp":""})")},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.output);
    const auto credential = ParseExecCredential(row.output, kV1);
    ASSERT_FALSE(credential.has_value());
    EXPECT_EQ(credential.error().kind, ErrorKind::kConfig);
    EXPECT_NE(credential.error().message.find(row.reason), std::string::npos)
        << credential.error().message;
    EXPECT_EQ(credential.error().message.find("s3cret"), std::string::npos);
    EXPECT_EQ(credential.error().message.find('\n'), std::string::npos);
  }
}

// client-go: TestConfigToExecCluster
TEST(ExecInfoTest, TellsOfTheClusterOnlyWhenAsked) {
  rest::Config config{.host = "https://h.test"};
  EXPECT_EQ(ExecClusterInfo(config).value(), "");
  EXPECT_EQ(ExecInfo(kV1, false, ""),
            R"({"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential",)"
            R"("spec":{"interactive":false}})");
  config.exec.provideClusterInfo = true;
  EXPECT_EQ(ExecClusterInfo(config).value(), R"({"server":"https://h.test"})");
  EXPECT_EQ(ExecInfo(kV1Beta1, true, ExecClusterInfo(config).value()),
            R"({"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential",)"
            R"("spec":{"interactive":true,"cluster":{"server":"https://h.test"}}})");
}

TEST(ExecInfoTest, TellsAllOfTheCluster) {
  rest::Config config{.host = "https://h.test:6443/prefix",
                      .tls = {.insecure = true, .serverName = "inner.test", .caData = "pem"},
                      .proxyUrl = "http://proxy.test",
                      .disableCompression = true};
  config.exec.provideClusterInfo = true;
  config.exec.config = R"({"audience":"a","ports":[1,2.5]})";
  EXPECT_EQ(nlohmann::json::parse(ExecClusterInfo(config).value()), nlohmann::json::parse(R"({
    "server": "https://h.test:6443/prefix", "tls-server-name": "inner.test",
    "insecure-skip-tls-verify": true, "certificate-authority-data": "cGVt",
    "proxy-url": "http://proxy.test", "disable-compression": true,
    "config": {"audience": "a", "ports": [1, 2.5]}})"));
}

TEST(ExecInfoTest, ACaFileIsGivenAsData) {
  std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
  const std::filesystem::path dir = mkdtemp(name.data());
  std::ofstream(dir / "ca") << "pem";
  rest::Config config{.host = "https://h.test", .tls = {.caFile = dir / "ca"}};
  config.exec.provideClusterInfo = true;
  EXPECT_NE(ExecClusterInfo(config).value().find(R"("certificate-authority-data":"cGVt")"),
            std::string::npos);
  std::filesystem::remove_all(dir);
  const auto missing = ExecClusterInfo(config);
  ASSERT_FALSE(missing.has_value());
  EXPECT_NE(missing.error().message.find("ca: "), std::string::npos);
}

TEST(ExecInfoTest, AnExtensionThatIsNoJsonIsAnErrorThatDoesNotQuoteIt) {
  rest::Config config{.host = "https://h.test"};
  config.exec.provideClusterInfo = true;
  config.exec.config = "s3cret";
  const auto info = ExecClusterInfo(config);
  ASSERT_FALSE(info.has_value());
  EXPECT_EQ(info.error().message.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace k8s::test
