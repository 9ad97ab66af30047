#include <gtest/gtest.h>
#include <k8s/clientcmd/clientcmd.hpp>

#include <string>

namespace k8s::clientcmd {
namespace {

std::string WithToken(const std::string& value) {
  return "users:\n- name: u\n  user:\n    token: " + value + "\n";
}

std::string TokenOf(const std::string& value) {
  const auto kubeconfig = ParseKubeConfig(WithToken(value));
  return kubeconfig ? kubeconfig->users.at("u").token : "error";
}

TEST(ParseKubeConfigTest, TextIsWhatYaml11CallsText) {
  for (const char* value : {"abc", "\"123\"", "'yes'", "!!str 123", "1.2.3", "2024-01-02", "0xyz",
                            "1e", "12:30", "e5", "-x", "0b12", "..", "yess", "+.infinity"}) {
    EXPECT_NE(TokenOf(value), "error") << value;
    EXPECT_NE(TokenOf(value), "") << value;
  }
}

TEST(ParseKubeConfigTest, NumbersAndBoolsAreNoText) {
  for (const char* value : {"123", "-1", "+1", "1.5", ".5", "1.", "1e3", "0x1F", "0o17", "0b101",
                            "1_000", "yes", "No", "TRUE", "off", "y", ".inf", "-.INF", ".NaN"}) {
    EXPECT_EQ(TokenOf(value), "error") << value;
  }
}

// client-go: TestDuplicateClusterName, TestDuplicateContextName, TestDuplicateUserName
TEST(ParseKubeConfigTest, ANameStandsInItsListOnce) {
  for (const char* text :
       {"clusters: [{name: twin, cluster: {}}, {name: twin, cluster: {}}]",
        "contexts: [{name: twin, context: {cluster: c}}, {name: twin, context: {cluster: c}}]",
        "users: [{name: twin, user: {}}, {name: twin, user: {}}]"}) {
    SCOPED_TRACE(text);
    const auto kubeconfig = ParseKubeConfig(text);
    ASSERT_FALSE(kubeconfig.has_value());
    EXPECT_NE(kubeconfig.error().message.find("\"twin\" stands there twice"), std::string::npos)
        << kubeconfig.error().message;
  }
}

TEST(ParseKubeConfigTest, NullIsTheEmptyText) {
  for (const char* value : {"", "~", "null", "NULL", "\"\""})
    EXPECT_EQ(TokenOf(value), "") << value;
}

TEST(ParseKubeConfigTest, BoolsAreReadAsYaml11HasThem) {
  const auto insecure = [](const std::string& value) {
    const auto kubeconfig = ParseKubeConfig(
        "clusters: [{name: c, cluster: {insecure-skip-tls-verify: " + value + "}}]");
    if (!kubeconfig) return std::string("error");
    return std::string(kubeconfig->clusters.at("c").insecureSkipTlsVerify ? "true" : "false");
  };
  for (const char* value : {"true", "yes", "On", "Y"}) EXPECT_EQ(insecure(value), "true") << value;
  for (const char* value : {"false", "no", "OFF", "null", "~"}) {
    EXPECT_EQ(insecure(value), "false") << value;
  }
  for (const char* value : {"'true'", "1", "[]", "maybe"}) {
    EXPECT_EQ(insecure(value), "error") << value;
  }
}

TEST(ParseKubeConfigTest, MergeKeysMayNameSeveralMappings) {
  const auto kubeconfig = ParseKubeConfig(R"(
clusters:
- name: a
  cluster: &a {server: 'https://a.test', tls-server-name: a}
- name: b
  cluster: &b {tls-server-name: b, proxy-url: 'http://p.test'}
- name: c
  cluster:
    <<: [*a, *b]
    server: https://c.test
)");
  EXPECT_EQ(
      kubeconfig.value().clusters.at("c"),
      (Cluster{.server = "https://c.test", .tlsServerName = "a", .proxyUrl = "http://p.test"}));
}

TEST(ParseKubeConfigTest, AMappingThatMergesItselfEnds) {
  const auto kubeconfig =
      ParseKubeConfig("clusters:\n- name: a\n  cluster: &a\n    <<: *a\n    server: s\n");
  if (kubeconfig) {
    EXPECT_EQ(kubeconfig->clusters.at("a").server, "s");
  }
}

TEST(ParseKubeConfigTest, ErrorsNameThePlaceAndNotTheValue) {
  const Error error =
      ParseKubeConfig("users: [{name: u, user: {client-key-data: s3cret}}]").error();
  EXPECT_EQ(error.kind, ErrorKind::kConfig);
  EXPECT_NE(error.message.find("users[0] (\"u\").user.client-key-data"), std::string::npos);
  EXPECT_EQ(error.message.find("s3cret"), std::string::npos);
}

std::string ExecConfigOf(const std::string& extension) {
  const auto kubeconfig = ParseKubeConfig(
      "clusters:\n- name: c\n  cluster:\n    extensions:\n    - {name: other, extension: {a: b}}\n"
      "    - name: client.authentication.k8s.io/exec\n      extension: " +
      extension + "\n");
  return kubeconfig ? kubeconfig->clusters.at("c").execConfig : "error";
}

// client-go: TestConfigToExecCluster
TEST(ParseKubeConfigTest, TheExtensionForPluginsIsReadAsJson) {
  EXPECT_EQ(ExecConfigOf("{audience: a, list: [x, 'true', yes, ~, {}]}"),
            R"({"audience":"a","list":["x","true",true,null,{}]})");
  EXPECT_EQ(ExecConfigOf("[0, -7, 0x1F, 0b101, 0o17, 017, 1_000, 0.5, -.5, 1e3, '1', +3]"),
            R"([0,-7,31,5,15,15,1000,0.5,-0.5,1000.0,"1",3])");
  EXPECT_EQ(ExecConfigOf("[&a {x: 1, y: 2}, {<<: *a, y: 3}, *a]"),
            R"([{"x":1,"y":2},{"x":1,"y":3},{"x":1,"y":2}])");
  EXPECT_EQ(ExecConfigOf("text"), R"("text")");
  EXPECT_EQ(ExecConfigOf("~"), "");
}

TEST(ParseKubeConfigTest, AnExtensionThatIsNoJsonIsAnError) {
  for (const char* extension : {".inf", "{[a]: b}", "&a [*a]",
                                "[&a [x,x,x,x,x,x,x,x,x,x], &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], "
                                "&c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], "
                                "&d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], "
                                "[*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]]"}) {
    EXPECT_EQ(ExecConfigOf(extension), "error") << extension;
  }
}

TEST(ParseKubeConfigTest, WrongShapesAreErrors) {
  for (const char* text : {"clusters: {}", "clusters: [5]", "clusters: [{cluster: []}]", "[]", "5",
                           "users: [{user: {exec: x}}]", "users: [{user: {as-groups: g}}]",
                           "users: [{user: {as-user-extra: [a]}}]", "kind: Config\napiVersion: v2",
                           "a: b: c", "{", "contexts: [{name: [x]}]"}) {
    EXPECT_FALSE(ParseKubeConfig(text).has_value()) << text;
  }
}

TEST(ParseKubeConfigTest, DeepNestingIsNoCrash) {
  EXPECT_FALSE(ParseKubeConfig(std::string(200'000, '[')).has_value());
  EXPECT_FALSE(ParseKubeConfig(std::string(200'000, '{')).has_value());
}

}  // namespace
}  // namespace k8s::clientcmd
