// The end-to-end tests' own server: that what they rely on is so.

#include <gtest/gtest.h>

#include "support/real_server.hpp"

namespace k8s::test {
namespace {

constexpr char kConfigMap[] =
    R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"a":"b"}})";

TEST_F(RealServerTest, AnswersWithItsVersion) {
  const auto version = Server().Request("GET", "/version");
  ASSERT_TRUE(version.has_value()) << version.error().ToString();
  EXPECT_EQ(version->code, 200);
  EXPECT_NE(version->body.find("\"gitVersion\": \"v1."), std::string::npos) << version->body;
}

TEST_F(RealServerTest, KeepsDataAndAddressWhenKilledAndStartedAgain) {
  const std::string url = Server().Url();
  const std::string path = "/api/v1/namespaces/" + NewNamespace() + "/configmaps";
  const auto made = Server().Request("POST", path, kConfigMap);
  ASSERT_TRUE(made.has_value()) << made.error().ToString();
  ASSERT_EQ(made->code, 201) << made->body;

  Server().Kill();
  EXPECT_FALSE(Server().Request("GET", "/version").has_value());
  const auto restarted = Server().Restart();
  ASSERT_TRUE(restarted.has_value()) << restarted.error().ToString();

  EXPECT_EQ(Server().Url(), url);
  const auto kept = Server().Request("GET", path + "/kept");
  ASSERT_TRUE(kept.has_value()) << kept.error().ToString();
  EXPECT_EQ(kept->code, 200) << kept->body;
}

}  // namespace
}  // namespace k8s::test
