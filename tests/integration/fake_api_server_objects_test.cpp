// What the fake API server does with objects: writes, patches, deletions, selections.

#include <k8s/testing/fake_api_server.hpp>

#include "support/raw_http_client.hpp"

#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace k8s::testing {
namespace {

using nlohmann::json;
using test::Exchange;

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
const std::string kPods = "/api/v1/namespaces/default/pods";

class ObjectsTest : public ::testing::Test {
 protected:
  struct Answer {
    int status = 0;
    json body;
  };

  Answer Send(std::string_view method, const std::string& target, const std::string& body = "",
              const std::string& type = "application/json") {
    const auto answer =
        Exchange(server_.port(), method, target, body, "Content-Type: " + type + "\r\n");
    return {answer.status, json::parse(answer.body)};
  }

  Answer Patch(const std::string& target, const std::string& kind, const std::string& body) {
    return Send("PATCH", target, body, "application/" + kind);
  }

  FakeApiServer server_;
};

TEST_F(ObjectsTest, CreateFillsMetadata) {
  const auto created =
      Send("POST", kMaps, R"({"metadata":{"generateName":"a-"},"data":{"k":"v"}})");
  EXPECT_EQ(created.status, 201);
  const json& metadata = created.body["metadata"];
  EXPECT_EQ(metadata["name"].get<std::string>().size(), 7U);
  EXPECT_EQ(metadata["uid"].get<std::string>().size(), 36U);
  EXPECT_EQ(metadata["resourceVersion"], std::to_string(server_.ResourceVersion()));
  EXPECT_TRUE(metadata.contains("creationTimestamp"));
  EXPECT_EQ(created.body["kind"], "ConfigMap");
}

TEST_F(ObjectsTest, UpdatesThatChangeNothingMakeNoVersion) {
  server_.Add(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"k":"v"}})");
  const json object = Send("GET", kMaps + "/a").body;
  const auto version = server_.ResourceVersion();
  EXPECT_EQ(Send("PUT", kMaps + "/a", object.dump()).status, 200);
  EXPECT_EQ(server_.ResourceVersion(), version);
}

TEST_F(ObjectsTest, TheGenerationCountsSpecs) {
  const std::string path = "/apis/apps/v1/namespaces/default/deployments";
  EXPECT_EQ(Send("POST", path, R"({"metadata":{"name":"d"},"spec":{"replicas":1}})")
                .body["metadata"]["generation"],
            1);
  EXPECT_EQ(Patch(path + "/d", "merge-patch+json", R"({"metadata":{"labels":{"a":"b"}}})")
                .body["metadata"]["generation"],
            1);
  EXPECT_EQ(Patch(path + "/d", "merge-patch+json", R"({"spec":{"replicas":2}})")
                .body["metadata"]["generation"],
            2);
}

TEST_F(ObjectsTest, TheStatusIsWrittenByItsSubresourceAlone) {
  const auto created =
      Send("POST", kPods, R"({"metadata":{"name":"p"},"status":{"phase":"Running"}})");
  EXPECT_EQ(created.body["status"]["phase"], "Pending");
  const auto by_status = Patch(kPods + "/p/status", "merge-patch+json",
                               R"({"metadata":{"labels":{"a":"b"}},"status":{"phase":"Running"}})");
  EXPECT_EQ(by_status.body["status"]["phase"], "Running");
  EXPECT_FALSE(by_status.body["metadata"].contains("labels"));
  const auto by_object =
      Patch(kPods + "/p", "merge-patch+json", R"({"status":{"phase":"Failed"}})");
  EXPECT_EQ(by_object.body["status"]["phase"], "Running");
}

TEST_F(ObjectsTest, StrategicMergePatchesMergeListsByKey) {
  Send("POST", kPods,
       R"({"metadata":{"name":"p","finalizers":["f/1"]},"spec":{"containers":[)"
       R"({"name":"a","image":"1","env":[{"name":"X","value":"1"}]},{"name":"b","image":"1"}],)"
       R"("tolerations":[{"key":"k"}]}})");
  const auto patched =
      Patch(kPods + "/p", "strategic-merge-patch+json",
            R"({"metadata":{"finalizers":["f/2"]},"spec":{"containers":[)"
            R"({"name":"a","env":[{"name":"Y","value":"2"}]},{"name":"b","$patch":"delete"},)"
            R"({"name":"c","image":"3"}],"tolerations":[{"key":"other"}]}})");
  const json& spec = patched.body["spec"];
  EXPECT_EQ(spec["containers"],
            json::parse(R"([{"name":"a","image":"1","env":[{"name":"X","value":"1"},)"
                        R"({"name":"Y","value":"2"}]},{"name":"c","image":"3"}])"));
  EXPECT_EQ(spec["tolerations"], json::parse(R"([{"key":"other"}])"));
  EXPECT_EQ(patched.body["metadata"]["finalizers"], json::parse(R"(["f/1","f/2"])"));
}

TEST_F(ObjectsTest, PatchesOfAnUnknownKindAreRefused) {
  server_.AddResource({"stable.example.com", "v1", "CronTab", "crontabs"});
  const std::string path = "/apis/stable.example.com/v1/namespaces/default/crontabs";
  EXPECT_EQ(Send("POST", path, R"({"metadata":{"name":"c"}})").status, 201);
  EXPECT_EQ(Patch(path + "/c", "strategic-merge-patch+json", "{}").status, 415);
  EXPECT_EQ(Patch(path + "/c", "merge-patch+json", "{broken").status, 400);
  EXPECT_EQ(Patch(path + "/c", "json-patch+json", R"([{"op":"remove","path":"/none"}])").status,
            422);
}

TEST_F(ObjectsTest, ApplyCreatesAndOwnsFields) {
  const std::string target = kMaps + "/a?fieldManager=one";
  const auto created = Patch(
      target, "apply-patch+yaml",
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"1","y":"1"}})");
  EXPECT_EQ(created.status, 201);
  const json& entry = created.body["metadata"]["managedFields"][0];
  EXPECT_EQ(entry["manager"], "one");
  EXPECT_EQ(entry["operation"], "Apply");
  EXPECT_EQ(entry["fieldsV1"], json::parse(R"({"f:data":{"f:x":{},"f:y":{}}})"));
  const auto applied =
      Patch(target, "apply-patch+yaml",
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"x":"1"}})");
  EXPECT_EQ(applied.status, 200);
  EXPECT_EQ(applied.body["data"], json::parse(R"({"x":"1"})"));
}

TEST_F(ObjectsTest, FinalizersHoldAnObject) {
  server_.Add(
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","finalizers":["f/1"]}})");
  const auto waiting = Send("DELETE", kMaps + "/a");
  EXPECT_EQ(waiting.body["kind"], "ConfigMap");
  EXPECT_TRUE(waiting.body["metadata"].contains("deletionTimestamp"));
  const auto version = server_.ResourceVersion();
  Send("DELETE", kMaps + "/a");
  EXPECT_EQ(server_.ResourceVersion(), version);
  Patch(kMaps + "/a", "merge-patch+json", R"({"metadata":{"finalizers":null}})");
  EXPECT_EQ(Send("GET", kMaps + "/a").status, 404);
}

TEST_F(ObjectsTest, PreconditionsAndDryRunsDeleteNothing) {
  server_.Add(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"}})");
  EXPECT_EQ(Send("DELETE", kMaps + "/a", R"({"preconditions":{"uid":"other"}})").status, 409);
  EXPECT_EQ(Send("DELETE", kMaps + "/a", R"({"preconditions":{"resourceVersion":"1"}})").status,
            409);
  EXPECT_EQ(Send("DELETE", kMaps + "/a?dryRun=All").status, 200);
  EXPECT_EQ(Send("GET", kMaps + "/a").status, 200);
  EXPECT_EQ(Send("POST", kMaps + "?dryRun=All", R"({"metadata":{"name":"b"}})").status, 201);
  EXPECT_EQ(Send("GET", kMaps + "/b").status, 404);
}

TEST_F(ObjectsTest, DeletingANamespaceEmptiesIt) {
  Send("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  server_.CreateMany(2, "n");
  server_.CreateMany(1);
  EXPECT_EQ(Send("DELETE", "/api/v1/namespaces/n").status, 200);
  EXPECT_EQ(server_.Count({"", "pods"}), 1U);
}

TEST_F(ObjectsTest, DefinitionsServeTheirResources) {
  const std::string definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string path = "/apis/g.example.com/v1/things";
  EXPECT_EQ(Exchange(server_.port(), "GET", path).status, 404);
  const auto created = Send("POST", definitions,
                            R"({"metadata":{"name":"things.g.example.com"},"spec":{)"
                            R"("group":"g.example.com","scope":"Cluster","names":{"kind":"Thing",)"
                            R"("plural":"things"},"versions":[{"name":"v1","served":true}]}})");
  EXPECT_EQ(created.body["status"]["conditions"][1]["type"], "Established");
  EXPECT_EQ(Send("POST", path, R"({"metadata":{"name":"t"}})").status, 201);
  EXPECT_EQ(Send("GET", path).body["kind"], "ThingList");
  EXPECT_EQ(Send("DELETE", definitions + "/things.g.example.com").status, 200);
  EXPECT_EQ(Exchange(server_.port(), "GET", path).status, 404);
  EXPECT_EQ(server_.Count({"g.example.com", "things"}), 0U);
}

TEST_F(ObjectsTest, SelectorsChoose) {
  const auto add = [&](const std::string& name, const std::string& labels,
                       const std::string& node) {
    server_.Add(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":")" + name +
                R"(","labels":)" + labels + R"(},"spec":{"nodeName":")" + node + R"("}})");
  };
  add("a", R"({"app":"web","tier":"front","n":"1"})", "n1");
  add("b", R"({"app":"web","n":"5"})", "n2");
  add("c", R"({"app":"db"})", "");
  const std::map<std::string, std::size_t> cases = {
      {"labelSelector=app%3Dweb", 2},
      {"labelSelector=app%21%3Dweb", 1},
      {"labelSelector=tier", 1},
      {"labelSelector=%21tier", 2},
      {"labelSelector=app+in+%28web%2C+db%29", 3},
      {"labelSelector=app+notin+%28web%29", 1},
      {"labelSelector=n%3E1", 1},
      {"labelSelector=n%3C5%2Capp%3D%3Dweb", 1},
      {"fieldSelector=metadata.name%3Da", 1},
      {"fieldSelector=spec.nodeName%21%3D", 2},
      {"fieldSelector=spec.nodeName%3Dn1%2Cmetadata.namespace%3Ddefault", 1},
      {"fieldSelector=status.phase%3DRunning", 0},
  };
  for (const auto& [query, count] : cases) {
    EXPECT_EQ(Send("GET", kPods + "?" + query).body["items"].size(), count) << query;
  }
  for (const char* bad : {"a+b", "a+in+%28", "a+in+%28b", "a%3Db%3Dc"}) {
    EXPECT_EQ(Send("GET", kPods + "?labelSelector=" + bad).status, 400) << bad;
  }
  EXPECT_EQ(Send("GET", kPods + "?fieldSelector=spec.none%3D1").status, 400);
  EXPECT_EQ(Send("DELETE", kPods + "?labelSelector=app%3Dweb").status, 200);
  EXPECT_EQ(server_.Count({"", "pods"}), 1U);
}

TEST_F(ObjectsTest, VersionsOfListsAreExactWhereAsked) {
  const auto first = server_.CreateMany(2);
  server_.Delete({"", "pods"}, "default", "pod-00000");
  const std::string at = kPods + "?resourceVersion=" + std::to_string(first);
  EXPECT_EQ(Send("GET", at + "&resourceVersionMatch=Exact").body["items"].size(), 2U);
  EXPECT_EQ(Send("GET", at + "&resourceVersionMatch=NotOlderThan").body["items"].size(), 1U);
  EXPECT_EQ(Send("GET", at).body["items"].size(), 1U);
  EXPECT_EQ(Send("GET", at + "&limit=1").body["metadata"]["remainingItemCount"], 1);
  EXPECT_EQ(Send("GET", kPods + "?resourceVersionMatch=Exact").status, 422);
  server_.Compact();
  EXPECT_EQ(Send("GET", at + "&resourceVersionMatch=Exact").status, 410);
}

TEST_F(ObjectsTest, WrongMethodsAndPathsAreRefused) {
  EXPECT_EQ(Send("POST", kMaps + "/a", "{}").status, 405);
  EXPECT_EQ(Send("PUT", kMaps, "{}").status, 405);
  EXPECT_EQ(Send("POST", "/api/v1/configmaps", "{}").status, 405);
  EXPECT_EQ(Send("GET", "/api/v1/nothings").status, 404);
  EXPECT_EQ(Send("GET", kPods + "/p/exec").status, 404);
  EXPECT_EQ(Send("PUT", kMaps + "/a", R"({"metadata":{"name":"b"}})").status, 400);
  EXPECT_EQ(Send("POST", kMaps, R"({"kind":"Secret","metadata":{"name":"b"}})").status, 400);
  EXPECT_EQ(Send("POST", kMaps, R"({"metadata":{"name":"b","namespace":"other"}})").status, 400);
}

}  // namespace
}  // namespace k8s::testing
