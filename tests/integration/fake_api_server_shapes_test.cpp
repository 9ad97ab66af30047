// The fake API server's answers beside those that a real server gave.

#include <k8s/testing/fake_api_server.hpp>

#include "support/case_file.hpp"
#include "support/raw_http_client.hpp"

#include <gtest/gtest.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace k8s::testing {
namespace {

using nlohmann::ordered_json;
using test::Exchange;
using test::SimpleAnswer;

constexpr std::string_view kMaps = "/api/v1/namespaces/demo/configmaps";
constexpr std::string_view kJsonType = "Content-Type: application/json\r\n";

ordered_json Recorded(const std::string& path) {
  return ordered_json::parse(ReadTestData("recorded/" + path));
}

std::string WithName(std::string_view name) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"("},"data":{"mode":"slow"}})";
}

/// Compares bytes: order and blanks count.
void ExpectRecorded(const SimpleAnswer& answer, const std::string& file) {
  SCOPED_TRACE(file);
  EXPECT_EQ(answer.status, std::stoi(file));
  EXPECT_EQ(answer.body, ReadTestData("recorded/status/" + file));
  EXPECT_NE(answer.head.find("Content-Type: application/json"), std::string::npos);
}

TEST(FakeApiServerShapesTest, RefusalsHaveTheBytesOfARealServer) {
  FakeApiServer server({.tokens = {{"secret", "test-user"}},
                        .forbidden = {{.match = {.verb = "list", .resource = "secrets"}}}});
  const std::string auth = "Authorization: Bearer secret\r\n";
  const std::string typed = auth + std::string(kJsonType);
  const int port = server.port();
  const std::string maps(kMaps);
  ExpectRecorded(Exchange(port, "GET", maps), "401-unauthorized.json");
  ExpectRecorded(Exchange(port, "GET", "/api/v1/namespaces/demo/secrets", "", auth),
                 "403-forbidden-list.json");
  ExpectRecorded(Exchange(port, "GET", maps + "/none", "", auth), "404-not-found.json");
  ExpectRecorded(Exchange(port, "PUT", maps + "/fix", WithName("fix"), typed), "404-put.json");
  EXPECT_EQ(Exchange(port, "POST", maps, WithName("settings"), typed).status, 201);
  ExpectRecorded(Exchange(port, "POST", maps, WithName("settings"), typed),
                 "409-already-exists.json");
  ExpectRecorded(Exchange(port, "POST", maps, "x", auth + "Content-Type: application/xml\r\n"),
                 "415-unsupported-media-type.json");
  ExpectRecorded(
      Exchange(port, "GET",
               "/api/v1/pods?watch=true&sendInitialEvents=true&allowWatchBookmarks=true", "", auth),
      "422-streaming-list-without-match.json");
  EXPECT_EQ(Exchange(port, "GET", "/nowhere", "", auth).body,
            ReadTestData("recorded/status/404-path.txt"));
}

TEST(FakeApiServerShapesTest, ConflictsHaveTheBytesOfARealServer) {
  FakeApiServer server;
  const std::string maps(kMaps);
  server.Add(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cc","namespace":"demo"}})");
  const std::string stale =
      R"({"metadata":{"name":"cc","resourceVersion":"1"},"data":{"mode":"slow"}})";
  ExpectRecorded(Exchange(server.port(), "PUT", maps + "/cc", stale, kJsonType),
                 "409-conflict.json");
  Exchange(server.port(), "POST", maps + "?fieldManager=kubectl-client-side-apply",
           WithName("settings"), kJsonType);
  const std::string apply =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"mode":"x"}})";
  ExpectRecorded(Exchange(server.port(), "PATCH", maps + "/settings?fieldManager=other", apply,
                          "Content-Type: application/apply-patch+yaml\r\n"),
                 "409-apply-conflict.json");
}

/// Makes what differs from run to run equal.
ordered_json Normalized(ordered_json status) {
  if (status.contains("message")) status["message"] = "";
  if (status.contains("details") && status["details"].contains("uid"))
    status["details"]["uid"] = "";
  return status;
}

TEST(FakeApiServerShapesTest, OtherStatusesHaveTheMembersOfARealServer) {
  FakeApiServer server;
  const std::string maps(kMaps);
  server.Add(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"cc","namespace":"demo"}})");
  const std::map<std::string, SimpleAnswer> answers = {
      {"200-deleted.json", Exchange(server.port(), "DELETE", maps + "/cc")},
      {"400-bad-continue.json", Exchange(server.port(), "GET", "/api/v1/pods?continue=abc")},
      {"400-bad-request.json",
       Exchange(server.port(), "POST", "/api/v1/namespaces/demo/pods", "{not json", kJsonType)},
      {"406-not-acceptable.json",
       Exchange(server.port(), "GET", maps, "", "Accept: application/cbor\r\n")},
      {"504-too-large-resource-version.json",
       Exchange(server.port(), "GET", "/api/v1/pods?resourceVersion=99999999")},
  };
  for (const auto& [file, answer] : answers) {
    SCOPED_TRACE(file);
    EXPECT_EQ(answer.status, std::stoi(file));
    EXPECT_EQ(Normalized(ordered_json::parse(answer.body)).dump(),
              Normalized(Recorded("status/" + file)).dump());
  }
}

TEST(FakeApiServerShapesTest, InvalidNamesAreRefusedInARealServersWords) {
  FakeApiServer server;
  const auto answer = Exchange(server.port(), "POST", kMaps, WithName("Bad_Name"), kJsonType);
  EXPECT_EQ(answer.status, 422);
  const auto expected = Recorded("status/422-invalid.json")["details"]["causes"][0];
  EXPECT_EQ(ordered_json::parse(answer.body)["details"]["causes"][0], expected);
}

/// The kind of a list's items.
std::string ItemKind(const ordered_json& list) {
  const std::string kind = list["kind"];
  return kind.substr(0, kind.size() - std::string("List").size());
}

struct RecordedList {
  std::string file, group, version, plural;
  [[nodiscard]] std::string Path() const {
    return group == "core" ? "/api/" + version + "/" + plural
                           : "/apis/" + group + "/" + version + "/" + plural;
  }
};

std::vector<RecordedList> RecordedLists() {
  std::vector<RecordedList> lists;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(CLIENT_CPP_TEST_DATA) + "/recorded/lists")) {
    const std::string file = entry.path().filename().string();
    const auto first = file.find('_');
    const auto second = file.find('_', first + 1);
    if (second == std::string::npos || !file.ends_with(".json")) continue;
    lists.push_back({file, file.substr(0, first), file.substr(first + 1, second - first - 1),
                     file.substr(second + 1, file.size() - second - 6)});
  }
  return lists;
}

ordered_json WithoutVersions(ordered_json list) {
  list["metadata"].erase("resourceVersion");
  for (auto& item : list["items"]) item["metadata"].erase("resourceVersion");
  return list;
}

TEST(FakeApiServerShapesTest, ListsOfRecordedObjectsAreTheRecordedLists) {
  for (const RecordedList& recorded : RecordedLists()) {
    // It is made up for each request and never stored.
    if (recorded.plural == "componentstatuses") continue;
    SCOPED_TRACE(recorded.file);
    FakeApiServer server;
    const bool custom = recorded.group == "stable.example.com";
    if (custom) server.AddResource({recorded.group, recorded.version, "CronTab", recorded.plural});
    const auto expected = Recorded("lists/" + recorded.file);
    for (ordered_json item : expected["items"]) {
      item["kind"] = ItemKind(expected);
      item["apiVersion"] = expected["apiVersion"];
      server.Apply(item.dump());
    }
    const auto answer = Exchange(server.port(), "GET", recorded.Path());
    ASSERT_EQ(answer.status, 200);
    const auto list = ordered_json::parse(answer.body);
    // Order of members and of items included, but for custom resources, whose members are sorted.
    if (custom) {
      EXPECT_EQ(nlohmann::json::parse(WithoutVersions(list).dump()),
                nlohmann::json::parse(WithoutVersions(expected).dump()));
    } else if (recorded.plural != "namespaces") {
      EXPECT_EQ(WithoutVersions(list).dump(), WithoutVersions(expected).dump());
    }
    std::vector<std::string> members, expected_members;
    for (const auto& [key, value] : list.items()) members.push_back(key);
    for (const auto& [key, value] : expected.items()) expected_members.push_back(key);
    EXPECT_EQ(members, expected_members);
  }
}

TEST(FakeApiServerShapesTest, PagesHaveTheMembersOfARealServer) {
  FakeApiServer server;
  server.CreateMany(30);
  const auto page =
      ordered_json::parse(Exchange(server.port(), "GET", "/api/v1/pods?limit=9").body);
  const auto recorded = Recorded("lists/page-1-of-pods.json");
  std::vector<std::string> members, expected;
  for (const auto& [key, value] : page["metadata"].items()) members.push_back(key);
  for (const auto& [key, value] : recorded["metadata"].items()) expected.push_back(key);
  EXPECT_EQ(members, expected);
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 21);
  EXPECT_EQ(page["items"].size(), 9U);
}

TEST(FakeApiServerShapesTest, MetadataListsAreThoseOfARealServer) {
  FakeApiServer server;
  const auto pods = Recorded("lists/core_v1_pods.json");
  for (ordered_json pod : pods["items"]) {
    pod["kind"] = "Pod";
    pod["apiVersion"] = "v1";
    server.Add(pod.dump());
  }
  const auto answer =
      Exchange(server.port(), "GET", "/api/v1/pods", "",
               "Accept: application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1\r\n");
  const auto list = ordered_json::parse(answer.body);
  const auto expected = Recorded("lists/metadata-of-pods.json");
  EXPECT_EQ(list["kind"], expected["kind"]);
  EXPECT_EQ(list["apiVersion"], expected["apiVersion"]);
  ASSERT_FALSE(list["items"].empty());
  const auto keys = [](const ordered_json& object) {
    std::vector<std::string> all;
    for (const auto& [key, value] : object.items()) all.push_back(key);
    return all;
  };
  EXPECT_EQ(keys(list["items"][0]), keys(expected["items"][0]));
}

TEST(FakeApiServerShapesTest, TablesAreThoseOfARealServer) {
  FakeApiServer server;
  server.Add(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})");
  const auto answer = Exchange(server.port(), "GET", "/api/v1/namespaces/default/configmaps", "",
                               "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n");
  const auto table = ordered_json::parse(answer.body);
  const auto expected = Recorded("lists/table-of-configmaps.json");
  EXPECT_EQ(table["kind"], "Table");
  EXPECT_EQ(table["apiVersion"], expected["apiVersion"]);
  EXPECT_EQ(table["columnDefinitions"].size(), table["rows"][0]["cells"].size());
  EXPECT_EQ(table["rows"][0]["cells"][0], "a");
  EXPECT_EQ(table["rows"][0]["object"]["kind"], expected["rows"][0]["object"]["kind"]);
}

TEST(FakeApiServerShapesTest, VersionAndApiAreThoseOfARealServer) {
  FakeApiServer server;
  EXPECT_EQ(Exchange(server.port(), "GET", "/version").body,
            ReadTestData("recorded/discovery/version.json"));
  auto api = ordered_json::parse(Exchange(server.port(), "GET", "/api").body);
  auto expected = Recorded("discovery/api.json");
  EXPECT_EQ(api["serverAddressByClientCIDRs"][0]["serverAddress"],
            "127.0.0.1:" + std::to_string(server.port()));
  api.erase("serverAddressByClientCIDRs");
  expected.erase("serverAddressByClientCIDRs");
  EXPECT_EQ(api.dump(), expected.dump());
}

TEST(FakeApiServerShapesTest, GroupsAreThoseOfARealServer) {
  FakeApiServer server;
  server.AddResource({"stable.example.com", "v1", "CronTab", "crontabs"});
  const auto groups = ordered_json::parse(Exchange(server.port(), "GET", "/apis").body);
  EXPECT_EQ(groups.dump(), Recorded("discovery/apis.json").dump());
}

/// Leaves out what the fake does not serve.
ordered_json ServedResources(const ordered_json& list) {
  ordered_json kept = ordered_json::array();
  for (ordered_json resource : list["resources"]) {
    const std::string name = resource["name"];
    const auto slash = name.find('/');
    const bool served = slash == std::string::npos || name.ends_with("/status") ||
                        name == "pods/binding" || name == "pods/eviction";
    resource.erase("storageVersionHash");
    if (served) kept.push_back(resource);
  }
  return kept;
}

TEST(FakeApiServerShapesTest, ResourceListsAreThoseOfARealServer) {
  FakeApiServer server;
  for (const auto& [path, file] : std::map<std::string, std::string>{
           {"/api/v1", "api_v1.json"}, {"/apis/apps/v1", "apis_apps_v1.json"}}) {
    SCOPED_TRACE(path);
    const auto list = ordered_json::parse(Exchange(server.port(), "GET", path).body);
    const auto expected = Recorded("discovery/" + file);
    EXPECT_EQ(ServedResources(list).dump(), ServedResources(expected).dump());
    EXPECT_EQ(list["groupVersion"], expected["groupVersion"]);
    EXPECT_EQ(list.contains("apiVersion"), expected.contains("apiVersion"));
  }
}

/// Group, version and resource of everything in an aggregated discovery, without subresources.
ordered_json AggregatedResources(const ordered_json& discovery) {
  ordered_json all = ordered_json::object();
  for (const auto& group : discovery["items"]) {
    for (const auto& version : group["versions"]) {
      for (ordered_json resource : version["resources"]) {
        resource.erase("subresources");
        const std::string name = group["metadata"].value("name", "core");
        all[name + "/" + version["version"].get<std::string>()].push_back(resource);
      }
    }
  }
  return all;
}

TEST(FakeApiServerShapesTest, AggregatedDiscoveryIsThatOfARealServer) {
  FakeApiServer server;
  const std::string accept =
      "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
      "application/json\r\n";
  for (const auto& [path, file] : std::map<std::string, std::string>{
           {"/api", "api.aggregated.json"}, {"/apis", "apis.aggregated.json"}}) {
    SCOPED_TRACE(path);
    const auto answer = Exchange(server.port(), "GET", path, "", accept);
    EXPECT_NE(answer.head.find("as=APIGroupDiscoveryList"), std::string::npos);
    const auto discovery = ordered_json::parse(answer.body);
    auto expected = AggregatedResources(Recorded("discovery/" + file));
    expected.erase("stable.example.com/v1");
    EXPECT_EQ(AggregatedResources(discovery).dump(), expected.dump());
  }
}

TEST(FakeApiServerShapesTest, OldServersHaveNoAggregatedDiscovery) {
  FakeApiServer server({.aggregatedDiscovery = false});
  const auto answer = Exchange(
      server.port(), "GET", "/apis", "",
      "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,*/*\r\n");
  EXPECT_EQ(ordered_json::parse(answer.body)["kind"], "APIGroupList");
}

}  // namespace
}  // namespace k8s::testing
