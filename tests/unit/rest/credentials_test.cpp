#include "rest/credentials.hpp"

#include <gtest/gtest.h>
#include <k8s/testing/fake_clock.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace k8s::test {
namespace {

using rest::detail::TokenSource;
using std::chrono::seconds;

class TokenSourceTest : public ::testing::Test {
 protected:
  TokenSourceTest() {
    std::string name = (std::filesystem::temp_directory_path() / "client-cpp-XXXXXX").string();
    dir_ = mkdtemp(name.data());
  }
  ~TokenSourceTest() override { std::filesystem::remove_all(dir_); }

  void Write(const std::string& text) const { std::ofstream(File()) << text; }
  [[nodiscard]] std::string File() const { return dir_ / "token"; }
  TokenSource NewSource(const std::string& token = "") { return {token, File(), clock_}; }

  std::filesystem::path dir_;
  std::shared_ptr<testing::FakeClock> clock_ = std::make_shared<testing::FakeClock>();
};

TEST_F(TokenSourceTest, AStaticTokenStays) {
  TokenSource source("static", "", clock_);
  EXPECT_EQ(source.Token().value(), "static");
  EXPECT_FALSE(source.Refused("static"));
}

TEST_F(TokenSourceTest, NoTokenIsNoError) {
  TokenSource source("", "", clock_);
  EXPECT_EQ(source.Token().value(), "");
}

TEST_F(TokenSourceTest, AFileWinsAndIsTrimmed) {
  Write("  from-file \n");
  auto source = NewSource("static");
  EXPECT_EQ(source.Token().value(), "from-file");
}

// client-go: TestCachingTokenSource
TEST_F(TokenSourceTest, ReadsTheFileAgainOnceItIsOld) {
  Write("one");
  auto source = NewSource();
  EXPECT_EQ(source.Token().value(), "one");
  Write("two");
  clock_->Step(seconds(49));
  EXPECT_EQ(source.Token().value(), "one");
  clock_->Step(seconds(1));
  EXPECT_EQ(source.Token().value(), "two");
}

TEST_F(TokenSourceTest, AFileThatVanishesLeavesTheLastToken) {
  Write("one");
  auto source = NewSource();
  EXPECT_EQ(source.Token().value(), "one");
  std::filesystem::remove(File());
  clock_->Step(seconds(60));
  EXPECT_EQ(source.Token().value(), "one");
  Write("");
  clock_->Step(seconds(60));
  EXPECT_EQ(source.Token().value(), "one");
}

TEST_F(TokenSourceTest, NoFileAndNoTokenIsAnError) {
  auto source = NewSource();
  EXPECT_EQ(source.Token().error().kind, ErrorKind::kConfig);
  EXPECT_EQ(NewSource("static").Token().value(), "static");
}

TEST_F(TokenSourceTest, ErrorsNameTheFileAndTheReason) {
  auto source = NewSource();
  EXPECT_EQ(source.Token().error().message,
            "token file: cannot read " + File() + ": No such file or directory");
  Write(" \n");
  EXPECT_EQ(source.Token().error().message, "token file: " + File() + " is empty");
  std::filesystem::remove(File());
  std::filesystem::create_directory(File());
  EXPECT_EQ(source.Token().error().message,
            "token file: cannot read " + File() + ": Is a directory");
}

TEST_F(TokenSourceTest, AFileThatComesLateIsReadAtOnce) {
  auto source = NewSource();
  EXPECT_FALSE(source.Token().has_value());
  Write("one");
  EXPECT_EQ(source.Token().value(), "one");
}

TEST_F(TokenSourceTest, ARefusedTokenIsReadAgainAtOnce) {
  Write("one");
  auto source = NewSource();
  EXPECT_EQ(source.Token().value(), "one");
  EXPECT_FALSE(source.Refused("one"));
  Write("two");
  EXPECT_TRUE(source.Refused("one"));
  EXPECT_EQ(source.Token().value(), "two");
  EXPECT_TRUE(source.Refused("one")) << "another thread was refused with the old one";
}

// client-go: TestCachingTokenSourceRace
TEST_F(TokenSourceTest, ManyThreadsMayAskWhileTokensAreRefused) {
  Write("one");
  auto source = NewSource();
  EXPECT_EQ(source.Token().value(), "one");
  Write("two");
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) {
        const auto token = source.Token().value();
        EXPECT_TRUE(token == "one" || token == "two") << token;
        EXPECT_TRUE(source.Refused("one"));
        EXPECT_EQ(source.Token().value(), "two");
      }
    });
  }
}

// client-go: TestBasicAuthRoundTripper
TEST(BasicAuthorizationTest, EncodesUserAndPassword) {
  EXPECT_EQ(rest::detail::BasicAuthorization("Aladdin", "open sesame"),
            "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
}

}  // namespace
}  // namespace k8s::test
