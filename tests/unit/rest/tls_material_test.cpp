#include "rest/tls_material.hpp"

#include <gtest/gtest.h>
#include <k8s/log.hpp>
#include <k8s/testing/fake_clock.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "rest/pem.hpp"
#include "support/openssl_server.hpp"

namespace k8s::test {
namespace {

using rest::TlsClientConfig;
using rest::detail::LoadTls;
using rest::detail::TlsMaterial;
using std::chrono::seconds;

class TlsMaterialTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = TestAuthority::Unavailable(); !why.empty()) GTEST_SKIP() << why;
    authority_ = std::make_unique<TestAuthority>();
    authority_->Issue("one", "DNS:one.test");
    authority_->Issue("two", "DNS:two.test");
    Install("ca.pem", "ca");
    Install("one.pem", "cert");
    Install("one.key", "key");
    log::SetSink([this](log::Level, std::string_view line) { logged_.emplace_back(line); });
  }
  void TearDown() override { log::SetSink(nullptr); }

  /// Puts a file of the authority in the place of a configured one.
  void Install(const std::string& from, const std::string& to) const {
    Write(to, authority_->Read(from));
  }
  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(Path(file), std::ios::binary) << text;
  }
  [[nodiscard]] std::string Path(const std::string& file) const {
    return authority_->Path("live-" + file);
  }
  [[nodiscard]] TlsClientConfig Files() const {
    return {.caFile = Path("ca"), .certFile = Path("cert"), .keyFile = Path("key")};
  }
  [[nodiscard]] std::unique_ptr<TlsMaterial> NewMaterial(const TlsClientConfig& config) const {
    util::detail::Problems problems;
    auto loaded = LoadTls(config, problems);
    EXPECT_EQ(problems.text(), "");
    return std::make_unique<TlsMaterial>(config, std::move(loaded), clock_);
  }
  static std::string Problem(const TlsClientConfig& config) {
    util::detail::Problems problems;
    (void)LoadTls(config, problems);
    return problems.text();
  }

  std::unique_ptr<TestAuthority> authority_;
  std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
  std::vector<std::string> logged_;
};

TEST_F(TlsMaterialTest, FilesBecomeData) {
  const auto now = NewMaterial(Files())->Current();
  EXPECT_EQ(now->caData, authority_->Read("ca.pem"));
  EXPECT_EQ(now->certData, authority_->Read("one.pem"));
  EXPECT_EQ(now->keyData, authority_->Read("one.key"));
  EXPECT_EQ(now->caFile + now->certFile + now->keyFile, "");
}

TEST_F(TlsMaterialTest, DataWinsOverFilesAndStays) {
  auto config = Files();
  config.caData = authority_->Read("one.pem");
  config.certData = authority_->Read("two.pem");
  config.keyData = authority_->Read("two.key");
  const auto material = NewMaterial(config);
  const auto before = material->Current();
  EXPECT_EQ(before->certData, authority_->Read("two.pem"));
  clock_->Step(seconds(3600));
  EXPECT_EQ(material->Current(), before);
  EXPECT_FALSE(material->Refused(before));
}

// client-go: TestCheckCAFileAndRotate
TEST_F(TlsMaterialTest, FilesAreReadAgainAfterAMinute) {
  const auto material = NewMaterial(Files());
  const auto before = material->Current();
  Install("two.pem", "cert");
  Install("two.key", "key");
  clock_->Step(seconds(59));
  EXPECT_EQ(material->Current(), before);
  clock_->Step(seconds(1));
  EXPECT_EQ(material->Current()->certData, authority_->Read("two.pem"));
  EXPECT_EQ(material->Current()->keyData, authority_->Read("two.key"));
  EXPECT_EQ(before->certData, authority_->Read("one.pem")) << "requests may still use it";
}

TEST_F(TlsMaterialTest, TheSameContentIsTheSameSnapshot) {
  const auto material = NewMaterial(Files());
  const auto before = material->Current();
  Install("ca.pem", "ca");
  clock_->Step(seconds(60));
  EXPECT_EQ(material->Current(), before);
}

TEST_F(TlsMaterialTest, ARefusalReadsThemAtOnce) {
  const auto material = NewMaterial(Files());
  const auto before = material->Current();
  EXPECT_FALSE(material->Refused(before));
  Install("two.pem", "ca");
  EXPECT_TRUE(material->Refused(before));
  EXPECT_EQ(material->Current()->caData, authority_->Read("two.pem"));
  EXPECT_TRUE(material->Refused(before)) << "another request was refused with the old one";
}

// client-go: TestCheckCAFileAndRotate
TEST_F(TlsMaterialTest, WhatCannotBeUsedLeavesTheOldInPlaceAndIsToldOnce) {
  const auto material = NewMaterial(Files());
  const auto before = material->Current();
  const auto fails = [&](const std::string& reason) {
    logged_.clear();
    for (int i = 0; i < 3; ++i) {
      clock_->Step(seconds(60));
      EXPECT_EQ(material->Current(), before);
    }
    ASSERT_EQ(logged_.size(), 1U) << reason;
    EXPECT_EQ(logged_[0], reason + "; what was read before stays in use");
  };
  std::filesystem::remove(Path("ca"));
  fails("certificate-authority: cannot read " + Path("ca") + ": No such file or directory");
  Write("ca", "");
  fails("certificate-authority " + Path("ca") + " is empty");
  Write("ca", "text");
  fails("certificate-authority " + Path("ca") + " is not PEM of a certificate");
  Write("ca", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
  fails("certificate-authority " + Path("ca") + " has no certificate that can be read");
  Install("ca.pem", "ca");
  Install("two.pem", "cert");
  fails("client-key " + Path("key") + " does not fit the client-certificate " + Path("cert"));
  Install("two.key", "key");
  clock_->Step(seconds(60));
  EXPECT_EQ(material->Current()->certData, authority_->Read("two.pem"));
}

TEST_F(TlsMaterialTest, ABrokenPairDoesNotHoldUpTheCa) {
  const auto material = NewMaterial(Files());
  Install("two.pem", "ca");
  Write("key", "broken");
  clock_->Step(seconds(60));
  const auto now = material->Current();
  EXPECT_EQ(now->caData, authority_->Read("two.pem"));
  EXPECT_EQ(now->certData, authority_->Read("one.pem"));
  EXPECT_EQ(now->keyData, authority_->Read("one.key"));
}

TEST_F(TlsMaterialTest, KeysMayBePkcs8Pkcs1AndSec1) {
  authority_->Openssl("genrsa -traditional -out rsa1.key 2048");
  authority_->Openssl("pkcs8 -topk8 -nocrypt -in rsa1.key -out rsa8.key");
  authority_->Openssl("req -x509 -key rsa1.key -subj /CN=rsa -days 2 -out rsa.pem");
  authority_->Openssl("ec -in one.key -out ec.key");
  authority_->Openssl("ecparam -name prime256v1 -out ec.params");
  Write("with-parameters.key", authority_->Read("ec.params") + authority_->Read("ec.key"));
  EXPECT_TRUE(authority_->Read("rsa1.key").starts_with("-----BEGIN RSA PRIVATE KEY"));
  EXPECT_TRUE(authority_->Read("rsa8.key").starts_with("-----BEGIN PRIVATE KEY"));
  EXPECT_TRUE(authority_->Read("ec.key").starts_with("-----BEGIN EC PRIVATE KEY"));
  const auto file = [this](const char* name) { return authority_->Path(name); };
  EXPECT_EQ(Problem({.certFile = file("rsa.pem"), .keyFile = file("rsa1.key")}), "");
  EXPECT_EQ(Problem({.certFile = file("rsa.pem"), .keyFile = file("rsa8.key")}), "");
  EXPECT_EQ(Problem({.certFile = file("one.pem"), .keyFile = file("one.key")}), "");
  EXPECT_EQ(Problem({.certFile = file("one.pem"), .keyFile = file("ec.key")}), "");
  EXPECT_EQ(Problem({.certFile = file("one.pem"), .keyFile = Path("with-parameters.key")}), "");
}

TEST_F(TlsMaterialTest, OneFileMayHoldCertificateAndKey) {
  Write("both", authority_->Read("one.key") + authority_->Read("one.pem"));
  EXPECT_EQ(Problem({.certFile = Path("both"), .keyFile = Path("both")}), "");
}

TEST_F(TlsMaterialTest, EncryptedKeysAreRefusedWithoutAskingForAPassphrase) {
  authority_->Openssl("pkcs8 -topk8 -in one.key -passout pass:s3cret -out encrypted8.key");
  authority_->Openssl("ec -in one.key -aes128 -passout pass:s3cret -out encrypted1.key");
  EXPECT_TRUE(authority_->Read("encrypted8.key").starts_with("-----BEGIN ENCRYPTED PRIVATE KEY"));
  EXPECT_NE(authority_->Read("encrypted1.key").find("Proc-Type: 4,ENCRYPTED"), std::string::npos);
  const auto certificate = authority_->Path("one.pem");
  const std::string reason = " is encrypted, which is not supported; openssl pkey decrypts it";
  for (const char* name : {"encrypted8.key", "encrypted1.key"}) {
    const auto key = authority_->Path(name);
    EXPECT_EQ(Problem({.certFile = certificate, .keyFile = key}), "client-key " + key + reason);
    EXPECT_EQ(Problem({.certFile = certificate, .keyData = authority_->Read(name)}),
              "client-key-data" + reason);
  }
}

TEST_F(TlsMaterialTest, ACertificateThatCannotBeReadIsPassedOverInTheCa) {
  const std::string broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  const auto bundle =
      "# comment\n" + broken + authority_->Read("ca.pem") + authority_->Read("one.pem");
  EXPECT_EQ(rest::detail::ReadableCertificates(bundle),
            authority_->Read("ca.pem") + authority_->Read("one.pem"));
  EXPECT_EQ(Problem({.caData = bundle}), "");
}

}  // namespace
}  // namespace k8s::test
