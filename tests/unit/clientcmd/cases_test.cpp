// Every row of cases/kubeconfig/EXPECTED.md.

#include <gtest/gtest.h>
#include <k8s/clientcmd/clientcmd.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "environment.hpp"
#include "support/case_file.hpp"

namespace k8s::clientcmd {
namespace {

const std::string kDirectory = CLIENT_CPP_TEST_DATA "/cases/kubeconfig";

// Several facts of one row, "; " between them.
class Facts {
 public:
  void Add(const std::string& fact) { text_ += (text_.empty() ? "" : "; ") + fact; }
  void Add(const std::string& name, const std::string& value) {
    if (!value.empty()) Add(name + " `" + Shorten(value) + "`");
  }
  [[nodiscard]] const std::string& text() const { return text_; }

  // The folder of the cases is written as <dir>.
  static std::string Shorten(std::string text) {
    const std::size_t at = text.find(kDirectory);
    return at == std::string::npos ? text : text.replace(at, kDirectory.size(), "<dir>");
  }

 private:
  std::string text_;
};

std::set<std::string> Split(const std::string& text) {
  std::set<std::string> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find("; ", start), text.size());
    parts.insert(text.substr(start, end - start));
    start = end + 2;
  }
  return parts;
}

std::string Join(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : " ") + text;
  return "[" + out + "]";
}

std::string Show(const rest::ExecConfig& exec) {
  if (exec.command.empty()) return {};
  std::vector<std::string> env;
  for (const auto& [name, value] : exec.env) env.push_back("{" + name + " " + value + "}");
  return "{" + exec.apiVersion + " " + exec.command + " args=" + Join(exec.args) +
         " env=" + Join(env) + " mode=" + exec.interactiveMode + " hint=\"" + exec.installHint +
         "\" clusterInfo=" + (exec.provideClusterInfo ? "true" : "false") + "}";
}

std::string Show(const rest::ImpersonationConfig& as) {
  if (as.userName.empty()) return {};
  std::vector<std::string> extra;
  for (const auto& [key, values] : as.extra) extra.push_back(key + ":" + Join(values));
  return as.userName + " uid=" + as.uid + " groups=" + Join(as.groups) + " extra=map" + Join(extra);
}

std::string ShowSize(const std::string& data) {
  return data.empty() ? "" : std::to_string(data.size()) + " bytes";
}

std::string Show(const ClientConfig& client) {
  const rest::Config& config = client.config;
  Facts facts;
  if (client.namespace_ != "default") facts.Add("namespace", client.namespace_);
  if (config.tls.insecure) facts.Add("skip verification");
  facts.Add("TLS name", config.tls.serverName);
  facts.Add("CA file", config.tls.caFile);
  facts.Add("CA data", ShowSize(config.tls.caData));
  if (!config.bearerToken.empty()) facts.Add("token", "\"" + config.bearerToken + "\"");
  facts.Add("token file", config.bearerTokenFile);
  facts.Add("user", config.username);
  facts.Add("password", config.password);
  facts.Add("exec", Show(config.exec));
  facts.Add("impersonate", Show(config.impersonate));
  facts.Add("proxy", config.proxyUrl);
  if (config.disableCompression) facts.Add("no compression");
  facts.Add("base", rest::BaseUrl(config).value_or("none"));
  if (config.bearerToken.empty() && config.bearerTokenFile.empty() && config.username.empty() &&
      config.exec.command.empty() && config.tls.certFile.empty() && config.tls.certData.empty()) {
    facts.Add("no credentials");
  }
  return facts.text();
}

// What a row says, where this library does what the row's note allows instead.
void Adapt(const std::string& file, std::string& outcome, std::string& detail) {
  if (file == "054-server-escaped-path.yaml") {
    detail.replace(detail.find("/a/b/c"), 6, "/a%2Fb/c");
  }
  if (file == "110-json-syntax.yaml") {
    outcome = "ok";
    detail = "base `https://k8s.example.test:6443`; no credentials";
  }
}

// An error is of the kind of a configuration's, and tells no secret.
void ExpectConfigError(const Error& error, const std::string& detail) {
  EXPECT_EQ(error.kind, ErrorKind::kConfig) << error.ToString();
  EXPECT_EQ(error.message.find("inline-token"), std::string::npos);
  const auto problems = std::set<std::string>(Split(error.message)).size();
  if (detail == "2 problems") {
    EXPECT_EQ(problems, 2U) << error.message;
  }
}

std::string RunRow(const std::string& file, const std::string& detail) {
  const LoadingRules rules{.explicitPath = kDirectory + "/" + file};
  const auto kubeconfig = LoadKubeConfig(rules);
  if (!kubeconfig) {
    ExpectConfigError(kubeconfig.error(), detail);
    return "load error";
  }
  const auto client = Load(rules, {});
  if (!client) {
    ExpectConfigError(client.error(), detail);
    return "config error";
  }
  const auto valid = rest::Validate(client->config);
  if (!valid) ExpectConfigError(valid.error(), detail);
  if (!valid && detail == "-") return "client error";
  EXPECT_TRUE(valid.has_value()) << valid.error().message;
  EXPECT_EQ(Split(Show(*client)), Split(detail));
  return "ok";
}

TEST(KubeConfigCasesTest, EveryFileHasTheOutcomeItHasInGo) {
  testing::ScopedEnvironment environment;
  int rows = 0;
  for (const auto& row : testing::ReadMarkdownTables("cases/kubeconfig/EXPECTED.md")) {
    if (!row.section.empty()) continue;
    SCOPED_TRACE(row.column(0));
    ++rows;
    std::string outcome = row.column(1);
    std::string detail = row.column(2);
    Adapt(row.column(0), outcome, detail);
    EXPECT_EQ(RunRow(row.column(0), detail), outcome);
  }
  EXPECT_EQ(rows, 115);
}

std::string Trim(std::string text) {
  const auto is_mark = [](char c) { return c == ' ' || c == '`' || c == '|'; };
  while (!text.empty() && is_mark(text.back())) text.pop_back();
  while (!text.empty() && is_mark(text.front())) text.erase(0, 1);
  return text;
}

// "`a.yaml : sub/b.yaml`"; an empty name is written as "".
std::vector<std::string> PathsOf(const std::string& cell) {
  std::vector<std::string> paths;
  std::string rest = Trim(cell) + " : ";
  for (std::size_t end; (end = rest.find(" : ")) != std::string::npos; rest.erase(0, end + 3)) {
    const std::string name = rest.substr(0, end);
    paths.push_back(name == "\"\"" ? "" : kDirectory + "/merge/" + name);
  }
  return paths;
}

template <class Map>
std::string Names(const Map& map) {
  std::string out;
  for (const auto& entry : map) out += " " + entry.first;
  return out;
}

std::string Show(const KubeConfig& kubeconfig) {
  Facts facts;
  facts.Add("clusters" + Names(kubeconfig.clusters));
  facts.Add("contexts" + Names(kubeconfig.contexts));
  facts.Add("users" + Names(kubeconfig.users));
  facts.Add("current", kubeconfig.currentContext);
  const ClientConfig client = Resolve(kubeconfig, {}).value();
  facts.Add("server", client.config.host);
  if (client.namespace_ != "default") facts.Add("namespace", client.namespace_);
  facts.Add("token", client.config.bearerToken);
  std::string ca = Facts::Shorten(client.config.tls.caFile);
  if (const std::size_t at = ca.find("<dir>/merge"); at == 0) ca.replace(0, 11, "<dir>");
  facts.Add("CA file", ca);
  if (!client.config.tls.caData.empty()) facts.Add("CA data");
  facts.Add("TLS name", client.config.tls.serverName);
  return facts.text();
}

void RunMergeRow(const std::vector<std::string>& paths, const std::string& outcome) {
  const auto kubeconfig = LoadKubeConfig({.precedence = paths});
  ASSERT_EQ(kubeconfig.has_value(), !outcome.starts_with("load error"));
  if (!kubeconfig) {
    const std::string file = outcome.substr(outcome.find('"') + 1);
    EXPECT_NE(kubeconfig.error().message.find("merge/" + file.substr(0, file.find('"'))),
              std::string::npos);
  } else if (outcome.starts_with("loads as an empty")) {
    EXPECT_EQ(*kubeconfig, KubeConfig());
    EXPECT_TRUE(IsEmptyConfig(Resolve(*kubeconfig, {}).error()));
  } else {
    std::set<std::string> expected;
    for (const std::string& fact : Split(outcome)) {
      expected.insert(fact == "users " ? "users" : fact);
    }
    EXPECT_EQ(Split(Show(*kubeconfig)), expected);
  }
}

TEST(KubeConfigCasesTest, EveryListOfFilesMergesAsInGo) {
  testing::ScopedEnvironment environment;
  int rows = 0;
  for (const auto& row : testing::ReadMarkdownTables("cases/kubeconfig/EXPECTED.md")) {
    if (row.section.empty()) continue;
    SCOPED_TRACE(row.column(0));
    ++rows;
    RunMergeRow(PathsOf(row.column(0)), row.column(1));
  }
  EXPECT_EQ(rows, 16);
}

TEST(KubeConfigCasesTest, TheEnvironmentsListMergesLikewise) {
  testing::ScopedEnvironment environment;
  for (const auto& row : testing::ReadMarkdownTables("cases/kubeconfig/EXPECTED.md")) {
    if (row.section.empty()) continue;
    SCOPED_TRACE(row.column(0));
    const auto paths = PathsOf(row.column(0));
    std::string list;
    for (const std::string& path : paths) list += (&path == &paths.front() ? "" : ":") + path;
    environment.Set("KUBECONFIG", list);
    const auto by_list = LoadKubeConfig({});
    const auto by_rules = LoadKubeConfig({.precedence = paths});
    ASSERT_EQ(by_list.has_value(), by_rules.has_value());
    if (by_list) {
      EXPECT_EQ(*by_list, *by_rules);
    }
  }
}

}  // namespace
}  // namespace k8s::clientcmd
