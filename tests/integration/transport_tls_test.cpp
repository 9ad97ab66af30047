#include <gtest/gtest.h>
#include <k8s/log.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "support/openssl_server.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

class CurlTransportTlsTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
    authority_ = std::make_unique<TestAuthority>();
    authority_->Issue("server", "IP:127.0.0.1,DNS:kubernetes.test");
  }

  static rest::Config ConfigFor(const OpensslServer& server) {
    return {.host = "https://127.0.0.1:" + server.port()};
  }

  /// The status page, or the error's kind.
  static Result<std::string> Page(const rest::Config& config) {
    auto transport = rest::CurlTransport::New(config);
    if (!transport) return std::move(transport).error();
    return Get(**transport);
  }

  std::unique_ptr<TestAuthority> authority_;
};

TEST_F(CurlTransportTlsTest, TrustsTheGivenAuthorityAsFileOrData) {
  const OpensslServer server(*authority_, "server");
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  EXPECT_NE(Page(config).value().find("HTML"), std::string::npos);
  config.tls = {.caData = ReadFile(authority_->CaFile())};
  EXPECT_NE(Page(config).value().find("HTML"), std::string::npos);
}

TEST_F(CurlTransportTlsTest, SpeaksTls12) {
  const OpensslServer server(*authority_, "server", {"-tls1_2"});
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  EXPECT_TRUE(Page(config));
}

TEST_F(CurlTransportTlsTest, AnUnknownAuthorityIsTls) {
  const OpensslServer server(*authority_, "server");
  const TestAuthority other;
  auto config = ConfigFor(server);
  config.tls.caFile = other.CaFile();
  EXPECT_EQ(Page(config).error().kind, ErrorKind::kTls);
  config.tls = {};
  const auto error = Page(config).error();
  EXPECT_EQ(error.kind, ErrorKind::kTls);
  EXPECT_NE(error.message.find("certificate"), std::string::npos) << error.message;
}

/// Sets a variable of the environment for a while.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { unsetenv(name_); }

 private:
  const char* const name_;
};

// Where there is no CA, Go and with it kubectl look at these.
TEST_F(CurlTransportTlsTest, TheEnvironmentNamesTheSystemsAuthorities) {
  const OpensslServer server(*authority_, "server");
  const TestAuthority other;
  const auto config = ConfigFor(server);
  const std::string empty = authority_->Path("empty");
  const std::string directory = authority_->Path("directory");
  for (const auto& path : {empty, directory}) std::filesystem::create_directory(path);
  std::filesystem::copy_file(authority_->CaFile(), directory + "/of-any-name");
  {
    const Variable file("SSL_CERT_FILE", authority_->CaFile());
    EXPECT_TRUE(Page(config));
    auto with_a_ca = config;
    with_a_ca.tls.caFile = other.CaFile();
    EXPECT_EQ(Page(with_a_ca).error().kind, ErrorKind::kTls) << "no other CA counts then";
  }
  {
    const Variable directories("SSL_CERT_DIR", "/nowhere:" + empty);
    EXPECT_EQ(Page(config).error().kind, ErrorKind::kTls);
  }
  const Variable directories("SSL_CERT_DIR", "/nowhere:" + directory);
  EXPECT_TRUE(Page(config));
}

// client-go: TestCheckCAFileAndRotate
TEST_F(CurlTransportTlsTest, ARenewedAuthorityCountsAtOnceWhereTheOldOneFails) {
  const OpensslServer server(*authority_, "server");
  const TestAuthority other;
  const auto ca = authority_->Path("rotated.pem");
  std::filesystem::copy_file(other.CaFile(), ca);
  auto config = ConfigFor(server);
  config.tls.caFile = ca;
  auto transport = rest::CurlTransport::New(config).value();
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kTls);
  std::filesystem::copy_file(authority_->CaFile(), ca,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_TRUE(Get(*transport));
}

TEST_F(CurlTransportTlsTest, FilesThatBecomeUnusableDoNotMatterToARunningClient) {
  authority_->Issue("client", "DNS:client.test");
  const OpensslServer server(
      *authority_, "server",
      {"-Verify", "1", "-CAfile", authority_->CaFile(), "-verify_return_error", "-tls1_2"});
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->Path("ca-copy.pem");
  config.tls.certFile = authority_->Path("client.pem");
  config.tls.keyFile = authority_->Path("client.key");
  std::filesystem::copy_file(authority_->CaFile(), config.tls.caFile);
  auto transport = rest::CurlTransport::New(config).value();
  std::ofstream(config.tls.caFile) << "broken";
  std::ofstream(config.tls.keyFile) << "broken";
  std::filesystem::remove(config.tls.certFile);
  EXPECT_TRUE(Get(*transport));
}

TEST_F(CurlTransportTlsTest, ARenewedClientCertificateCountsAtOnceWhereTheOldOneIsRefused) {
  const TestAuthority other;
  other.Issue("client", "DNS:client.test");
  authority_->Issue("client", "DNS:client.test");
  for (const char* version : {"-tls1_2", "-tls1_3"}) {
    SCOPED_TRACE(version);
    const OpensslServer server(
        *authority_, "server",
        {"-Verify", "1", "-CAfile", authority_->CaFile(), "-verify_return_error", version});
    auto config = ConfigFor(server);
    config.tls.caFile = authority_->CaFile();
    config.tls.certFile = authority_->Path("live.pem");
    config.tls.keyFile = authority_->Path("live.key");
    const auto install = [&](const TestAuthority& from) {
      std::ofstream(config.tls.certFile) << from.Read("client.pem");
      std::ofstream(config.tls.keyFile) << from.Read("client.key");
    };
    install(other);
    auto transport = rest::CurlTransport::New(config).value();
    const auto error = Get(*transport).error();
    EXPECT_EQ(error.kind, ErrorKind::kTls) << error.ToString();
    install(*authority_);
    EXPECT_TRUE(Get(*transport));
  }
}

TEST_F(CurlTransportTlsTest, KeysOfEveryFormWork) {
  authority_->Issue("client", "DNS:client.test");
  authority_->Openssl("ec -in client.key -out sec1.key");
  authority_->Openssl("genrsa -traditional -out pkcs1.key 2048");
  authority_->Openssl("req -new -key pkcs1.key -subj /CN=rsa -out rsa.csr");
  authority_->Openssl(
      "x509 -req -days 2 -set_serial 3 -in rsa.csr -CA ca.pem -CAkey ca.key -out rsa.pem");
  const OpensslServer server(
      *authority_, "server",
      {"-Verify", "1", "-CAfile", authority_->CaFile(), "-verify_return_error", "-tls1_2"});
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  for (const auto& [certificate, key] :
       {std::pair{"client.pem", "client.key"},  // PKCS#8
        std::pair{"client.pem", "sec1.key"}, std::pair{"rsa.pem", "pkcs1.key"}}) {
    config.tls.certFile = authority_->Path(certificate);
    config.tls.keyFile = authority_->Path(key);
    EXPECT_TRUE(Page(config)) << key;
  }
}

TEST_F(CurlTransportTlsTest, AWrongNameIsTls) {
  authority_->Issue("other", "DNS:other.test");
  const OpensslServer server(*authority_, "other");
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  EXPECT_EQ(Page(config).error().kind, ErrorKind::kTls);
}

TEST_F(CurlTransportTlsTest, AServerNameChangesWhatIsVerified) {
  authority_->Issue("named", "DNS:kubernetes.test");
  const OpensslServer server(*authority_, "named");
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  config.tls.serverName = "kubernetes.test";
  EXPECT_TRUE(Page(config));
  config.tls.serverName = "another.test";
  EXPECT_EQ(Page(config).error().kind, ErrorKind::kTls);
}

TEST_F(CurlTransportTlsTest, InsecureTrustsAnythingAndWarnsOnce) {
  authority_->Issue("other", "DNS:other.test");
  const OpensslServer server(*authority_, "other");
  auto config = ConfigFor(server);
  config.tls.insecure = true;
  std::string logged;
  log::SetSink([&logged](log::Level, std::string_view line) { logged.append(line) += '\n'; });
  EXPECT_TRUE(Page(config));
  EXPECT_TRUE(Page(config));
  log::SetSink(nullptr);
  EXPECT_EQ(logged, "the certificate of " + config.host + " is not verified (tls.insecure)\n");
}

TEST_F(CurlTransportTlsTest, ShowsTheClientCertificateAsFileOrData) {
  authority_->Issue("client", "DNS:client.test");
  const OpensslServer server(
      *authority_, "server",
      {"-Verify", "1", "-CAfile", authority_->CaFile(), "-verify_return_error", "-tls1_2"});
  auto config = ConfigFor(server);
  config.tls.caFile = authority_->CaFile();
  EXPECT_FALSE(Page(config));
  config.tls.certFile = authority_->Path("client.pem");
  config.tls.keyFile = authority_->Path("client.key");
  EXPECT_TRUE(Page(config));
  config.tls.certData = ReadFile(config.tls.certFile);
  config.tls.keyData = ReadFile(config.tls.keyFile);
  config.tls.certFile.clear();
  config.tls.keyFile.clear();
  EXPECT_TRUE(Page(config));
}

}  // namespace
}  // namespace k8s::test
