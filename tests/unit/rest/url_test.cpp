#include <gtest/gtest.h>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>

#include <map>
#include <string>
#include <vector>

#include "kubernetes/options.hpp"
#include "support/case_file.hpp"

namespace k8s::test {
namespace {

using testing::ParseQuoted;
using testing::ReadCases;

const ResourceInfo kPods{.version = "v1", .kind = "Pod", .plural = "pods"};

std::vector<testing::CaseLine> Section(std::string_view name) {
  auto lines = ReadCases("cases/urls.txt", "# ---- ");
  std::erase_if(lines,
                [name](const auto& line) { return line.section.find(name) == std::string::npos; });
  EXPECT_FALSE(lines.empty()) << name;
  return lines;
}

/// What a named request gets: the path, or the refusal.
Result<std::string> NamedPath(const rest::ResourcePath& path) {
  if (path.name.empty()) return InvalidArgument("resource name may not be empty");
  return rest::PathOf(kPods, path);
}

void Expect(const testing::CaseLine& line, const Result<std::string>& path) {
  SCOPED_TRACE("line " + std::to_string(line.number));
  if (line.column(1) == "error") {
    ASSERT_FALSE(path);
    EXPECT_EQ(path.error().kind, ErrorKind::kInvalidArgument);
  } else {
    ASSERT_TRUE(path) << path.error().message;
    EXPECT_EQ(*path, line.column(2));
  }
}

TEST(PathOfTest, NamesAsClientGo) {
  for (const auto& line : Section("---- names (")) {
    Expect(line, NamedPath({.namespace_ = "d", .name = ParseQuoted(line.column(0))}));
  }
}

TEST(PathOfTest, NamespacesAsClientGo) {
  for (const auto& line : Section("---- namespaces (")) {
    Expect(line, NamedPath({.namespace_ = ParseQuoted(line.column(0)), .name = "p"}));
  }
}

TEST(PathOfTest, SubresourcesAsClientGo) {
  for (const auto& line : Section("---- subresources")) {
    Expect(line,
           NamedPath({.namespace_ = "d", .name = "p", .subresource = ParseQuoted(line.column(0))}));
  }
}

TEST(PathOfTest, ServersAsClientGo) {
  const auto path = rest::PathOf(kPods, {.namespace_ = "d", .name = "p"}).value();
  for (const auto& line : Section("---- server URLs")) {
    SCOPED_TRACE(line.column(0));
    EXPECT_EQ(rest::BaseUrl({.host = line.column(0)}).value() + path, line.column(1));
  }
}

TEST(PathOfTest, GroupsAndScopes) {
  const ResourceInfo deployments{
      .group = "apps", .version = "v1", .kind = "Deployment", .plural = "deployments"};
  const ResourceInfo nodes{
      .version = "v1", .kind = "Node", .plural = "nodes", .scope = Scope::kCluster};
  EXPECT_EQ(rest::PathOf(deployments, {}).value(), "/apis/apps/v1/deployments");
  EXPECT_EQ(rest::PathOf(deployments, {.namespace_ = "d"}).value(),
            "/apis/apps/v1/namespaces/d/deployments");
  EXPECT_EQ(rest::PathOf(nodes, {.name = "n", .subresource = "status"}).value(),
            "/api/v1/nodes/n/status");
}

// client-go: TestRequestPreflightCheck
TEST(PathOfTest, RefusesCombinationsThatWouldMeanSomethingElse) {
  const ResourceInfo nodes{
      .version = "v1", .kind = "Node", .plural = "nodes", .scope = Scope::kCluster};
  EXPECT_FALSE(rest::PathOf(kPods, {.name = "p"}));
  EXPECT_FALSE(rest::PathOf(kPods, {.namespace_ = "d", .subresource = "status"}));
  EXPECT_FALSE(rest::PathOf(nodes, {.namespace_ = "d"}));
  EXPECT_FALSE(rest::PathOf({.version = "v1"}, {})) << "\"/api/v1\" is the list of resources";
  EXPECT_FALSE(rest::PathOf({.plural = "pods"}, {}));
}

/// The options that a row of the query section asks for: its first two columns, and for the rows
/// that have neither the parameters of the expected query.
metav1::ListOptions OptionsFor(const testing::CaseLine& line) {
  metav1::ListOptions options{.labelSelector = ParseQuoted(line.column(0)),
                              .fieldSelector = ParseQuoted(line.column(1))};
  std::map<std::string, std::string> wanted;
  const std::string query = line.column(2);
  for (std::size_t at = 0; at < query.size();) {
    const auto equals = query.find('=', at);
    const auto end = std::min(query.find('&', at), query.size());
    wanted[query.substr(at, equals - at)] = query.substr(equals + 1, end - equals - 1);
    at = end + 1;
  }
  if (wanted.contains("limit")) options.limit = std::stoll(wanted["limit"]);
  options.resourceVersion = wanted["resourceVersion"];
  options.resourceVersionMatch = wanted["resourceVersionMatch"];
  if (wanted.contains("continue")) options.continue_ = "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ==";
  options.allowWatchBookmarks = wanted.contains("allowWatchBookmarks");
  if (wanted.contains("sendInitialEvents")) options.sendInitialEvents = true;
  if (wanted.contains("timeoutSeconds")) options.timeoutSeconds = 30;
  options.watch = wanted.contains("watch");
  return options;
}

TEST(EncodeQueryTest, ListOptionsAsClientGo) {
  for (const auto& line : Section("---- list options")) {
    SCOPED_TRACE("line " + std::to_string(line.number));
    auto expected = line.column(2);
    for (auto plus = expected.find('+'); plus != std::string::npos; plus = expected.find('+')) {
      expected.replace(plus, 1, "%20");
    }
    EXPECT_EQ(rest::EncodeQuery(kubernetes::detail::QueryOf(OptionsFor(line))), expected);
  }
}

TEST(EncodeQueryTest, WriteOptions) {
  using kubernetes::detail::QueryOf;
  EXPECT_EQ(rest::EncodeQuery(QueryOf(metav1::CreateOptions{})), "");
  EXPECT_EQ(rest::EncodeQuery(QueryOf(metav1::PatchOptions{.dryRun = {"All"},
                                                           .force = false,
                                                           .fieldManager = "me & you",
                                                           .fieldValidation = "Strict"})),
            "dryRun=All&fieldManager=me%20%26%20you&fieldValidation=Strict&force=false");
  EXPECT_EQ(rest::EncodeQuery(QueryOf(metav1::GetOptions{.resourceVersion = "a/\xc3\xbc"})),
            "resourceVersion=a%2F%C3%BC");
}

TEST(BodyOfTest, DeleteOptionsSayTheirKind) {
  EXPECT_EQ(kubernetes::detail::BodyOf({.gracePeriodSeconds = 0}),
            R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0})");
}

}  // namespace
}  // namespace k8s::test
