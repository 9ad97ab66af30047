// Watches of the fake API server: framing, order, selections, bookmarks, expiry.

#include <k8s/testing/fake_api_server.hpp>

#include "support/case_file.hpp"
#include "support/raw_http_client.hpp"

#include <gtest/gtest.h>
#include <chrono>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace k8s::testing {
namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;
using test::RawHttpClient;

const GroupResource kMaps{"", "configmaps"};
const std::string kWatch = "/api/v1/namespaces/default/configmaps?watch=true";

std::string Map(std::string_view name, std::string_view labels = "{}") {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"(","labels":)" + std::string(labels) + "}}";
}

/// "ADDED a, BOOKMARK , ..." of a watch's body.
std::string Events(const std::string& body) {
  std::istringstream lines(body);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    const auto event = ordered_json::parse(line);
    const auto& object = event["object"];
    const std::string name =
        object.contains("metadata") ? object["metadata"].value("name", "") : "";
    text += (text.empty() ? "" : ", ") + event["type"].get<std::string>() + " " + name;
  }
  return text;
}

TEST(FakeApiServerWatchTest, EachEventIsOneChunkAndOneLine) {
  FakeApiServer server;
  RawHttpClient client(server.port());
  client.Get(kWatch + "&resourceVersion=" + std::to_string(server.ResourceVersion()));
  ASSERT_TRUE(server.WaitForOpenWatches({.verb = "watch"}, 1));
  server.Add(Map("a"));
  ASSERT_TRUE(client.ReadUntil("}}\n\r\n"));
  EXPECT_NE(client.Head().find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_NE(client.Head().find("Content-Type: application/json"), std::string::npos);
  EXPECT_NE(client.Head().find("Cache-Control: no-cache, private"), std::string::npos);
  const std::string body = client.Body();
  std::ostringstream chunk;
  chunk << std::hex << body.size() << "\r\n" << body << "\r\n";
  EXPECT_EQ(client.received().substr(client.Head().size() + 4), chunk.str());
  EXPECT_EQ(body.find(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",)"), 0U);
}

TEST(FakeApiServerWatchTest, EventsBetweenListAndWatchAreSentAfterwards) {
  FakeApiServer server;
  const auto version = server.Add(Map("a"));
  server.Modify(Map("a", R"({"k":"v"})"));
  server.Add(Map("b"));
  server.Delete(kMaps, "default", "a");
  RawHttpClient client(server.port());
  client.Get(kWatch + "&resourceVersion=" + std::to_string(version));
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  ASSERT_TRUE(client.ReadUntil("DELETED"));
  server.EndWatches();
  EXPECT_EQ(Events(client.ReadBody()), "MODIFIED a, ADDED b, DELETED a");
}

TEST(FakeApiServerWatchTest, AWatchOfOneNamespaceShowsNoOther) {
  FakeApiServer server;
  RawHttpClient client(server.port());
  client.Get(kWatch);
  ASSERT_TRUE(server.WaitForOpenWatches({.namespace_ = "default"}, 1));
  server.Add(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"y"}})");
  server.Add(Map("a"));
  ASSERT_TRUE(client.ReadUntil("ADDED"));
  server.EndWatches();
  EXPECT_EQ(Events(client.ReadBody()), "ADDED a");
}

TEST(FakeApiServerWatchTest, SelectedWatchesSeeObjectsComeAndGo) {
  FakeApiServer server;
  RawHttpClient client(server.port());
  client.Get(kWatch + "&labelSelector=app%3Dweb");
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  server.Add(Map("a"));
  server.Modify(Map("a", R"({"app":"web"})"));
  server.Modify(Map("a", R"({"app":"web","n":"2"})"));
  const auto left = server.Modify(Map("a", R"({"app":"db"})"));
  ASSERT_TRUE(client.ReadUntil("DELETED"));
  server.EndWatches();
  const std::string body = client.ReadBody();
  EXPECT_EQ(Events(body), "ADDED a, MODIFIED a, DELETED a");
  const auto last = ordered_json::parse(body.substr(body.find(R"({"type":"DELETED")")));
  EXPECT_EQ(last["object"]["metadata"]["labels"]["n"], "2");
  EXPECT_EQ(last["object"]["metadata"]["resourceVersion"], std::to_string(left));
}

TEST(FakeApiServerWatchTest, StreamingListsEndTheirStateWithABookmark) {
  FakeApiServer server;
  server.CreateMany(2);
  RawHttpClient client(server.port());
  client.Get(
      "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
      "&allowWatchBookmarks=true");
  ASSERT_TRUE(client.ReadUntil("initial-events-end"));
  server.Delete({"", "pods"}, "default", "pod-00000");
  ASSERT_TRUE(client.ReadUntil("DELETED"));
  server.EndWatches();
  const std::string body = client.ReadBody();
  EXPECT_EQ(Events(body), "ADDED pod-00000, ADDED pod-00001, BOOKMARK , DELETED pod-00000");
  const std::string expected = R"({"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1",)"
                               R"("metadata":{"resourceVersion":"VERSION","annotations":)"
                               R"({"k8s.io/initial-events-end":"true"}},)"
                               R"("spec":{"containers":null},"status":{}}})";
  // The same line as in the recorded stream.
  const std::string recorded = ReadTestData("recorded/watch/pods-streaming-list.json");
  const auto with_version = [&](const std::string& text) {
    const auto bookmark = text.find(R"({"type":"BOOKMARK")");
    std::string line = text.substr(bookmark, text.find('\n', bookmark) - bookmark);
    const auto begin = line.find(R"("resourceVersion":")") + 19;
    return line.replace(begin, line.find('"', begin) - begin, "VERSION");
  };
  EXPECT_EQ(with_version(body), expected);
  EXPECT_EQ(with_version(recorded), expected);
}

TEST(FakeApiServerWatchTest, CustomResourcesHaveTheirOwnOrderOfMembers) {
  FakeApiServer server;
  server.AddResource({"stable.example.com", "v1", "CronTab", "crontabs"});
  RawHttpClient client(server.port());
  client.Get("/apis/stable.example.com/v1/crontabs?watch=true");
  ASSERT_TRUE(server.WaitForOpenWatches({.resource = "crontabs"}, 1));
  EXPECT_EQ(server.SendBookmark({}), 1U);
  server.EndWatches();
  EXPECT_EQ(client.ReadBody(),
            R"({"type":"BOOKMARK","object":{"apiVersion":"stable.example.com/v1",)"
            R"("kind":"CronTab","metadata":{"resourceVersion":")" +
                std::to_string(server.ResourceVersion()) + "\"}}}\n");
}

TEST(FakeApiServerWatchTest, StreamingListsCanBeMissing) {
  FakeApiServer server;
  server.SetWatchList(false);
  const auto answer = test::Exchange(
      server.port(), "GET",
      "/api/v1/pods?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  EXPECT_EQ(answer.status, 422);
  EXPECT_NE(answer.body.find("sendInitialEvents is forbidden for watch"), std::string::npos);
}

TEST(FakeApiServerWatchTest, ExpiredVersionsAreAnErrorEventInAGoodAnswer) {
  FakeApiServer server({.historySize = 2});
  const auto version = server.Add(Map("a"));
  for (int i = 0; i < 3; ++i) server.Add(Map("b" + std::to_string(i)));
  RawHttpClient client(server.port());
  client.Get(kWatch + "&resourceVersion=" + std::to_string(version));
  const auto event = ordered_json::parse(client.ReadBody());
  EXPECT_EQ(client.status(), 200);
  EXPECT_EQ(event["type"], "ERROR");
  EXPECT_EQ(event["object"]["code"], 410);
  EXPECT_EQ(event["object"]["reason"], "Expired");
  EXPECT_EQ(event["object"]["message"], "too old resource version: " + std::to_string(version) +
                                            " (" + std::to_string(version + 1) + ")");
}

TEST(FakeApiServerWatchTest, CompactExpiresVersionsButNotOpenWatches) {
  FakeApiServer server;
  const auto version = server.Add(Map("a"));
  RawHttpClient client(server.port());
  client.Get(kWatch + "&resourceVersion=" + std::to_string(version));
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  server.Add(Map("b"));
  server.Compact();
  server.Add(Map("c"));
  ASSERT_TRUE(client.ReadUntil("\"c\""));
  EXPECT_EQ(Events(client.Body()), "ADDED b, ADDED c");
  const auto late =
      test::Exchange(server.port(), "GET", kWatch + "&resourceVersion=" + std::to_string(version));
  EXPECT_NE(late.body.find("\"code\":410"), std::string::npos);
}

TEST(FakeApiServerWatchTest, PagesOfAnExpiredStateAreGoneWithAWayOn) {
  FakeApiServer server;
  server.CreateMany(4);
  const auto first =
      ordered_json::parse(test::Exchange(server.port(), "GET", "/api/v1/pods?limit=2").body);
  server.CreateMany(1, "default", "later-");
  server.Compact();
  const std::string token = first["metadata"]["continue"];
  const auto second =
      test::Exchange(server.port(), "GET", "/api/v1/pods?limit=2&continue=" + token);
  EXPECT_EQ(second.status, 410);
  const auto status = ordered_json::parse(second.body);
  EXPECT_EQ(status["reason"], "Expired");
  const std::string other = status["metadata"]["continue"];
  const auto rest = ordered_json::parse(
      test::Exchange(server.port(), "GET", "/api/v1/pods?continue=" + other).body);
  EXPECT_EQ(rest["items"][0]["metadata"]["name"], "pod-00002");
}

TEST(FakeApiServerWatchTest, BookmarksComeWhenAskedFor) {
  FakeApiServer server({.bookmarkInterval = 20ms});
  RawHttpClient with(server.port());
  with.Get(kWatch + "&allowWatchBookmarks=true");
  RawHttpClient without(server.port());
  without.Get(kWatch);
  ASSERT_TRUE(server.WaitForOpenWatches({}, 2));
  ASSERT_TRUE(with.ReadUntil("BOOKMARK"));
  server.EndWatches();
  EXPECT_EQ(without.ReadBody(), "");
}

TEST(FakeApiServerWatchTest, TimeoutSecondsEndsAWatchAfterALastBookmark) {
  FakeApiServer server({.bookmarkInterval = 0ms, .bookmarkBeforeTimeout = 900ms});
  RawHttpClient client(server.port());
  client.Get(kWatch + "&allowWatchBookmarks=true&timeoutSeconds=1");
  EXPECT_EQ(Events(client.ReadBody()), "BOOKMARK ");
  EXPECT_TRUE(server.WaitForOpenWatches({}, 0));
}

TEST(FakeApiServerWatchTest, AClientThatLeavesClosesItsWatch) {
  FakeApiServer server;
  {
    RawHttpClient client(server.port());
    client.Get(kWatch);
    ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  }
  EXPECT_TRUE(server.WaitForOpenWatches({}, 0));
}

TEST(FakeApiServerWatchTest, ManyWatchesGetEveryEvent) {
  FakeApiServer server;
  std::vector<std::unique_ptr<RawHttpClient>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<RawHttpClient>(server.port()));
    clients.back()->Get(kWatch);
  }
  ASSERT_TRUE(server.WaitForOpenWatches({.verb = "watch"}, clients.size()));
  std::vector<std::thread> writers;
  for (int t = 0; t < 4; ++t) {
    writers.emplace_back([&server, t] {
      for (int i = 0; i < 25; ++i) server.Add(Map("w" + std::to_string(t * 100 + i)));
    });
  }
  for (auto& writer : writers) writer.join();
  server.Add(Map("last"));
  for (auto& client : clients) {
    ASSERT_TRUE(client->ReadUntil("\"last\""));
    std::istringstream lines(client->Body());
    std::uint64_t before = 0;
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) {
      const auto event = ordered_json::parse(line);
      const auto version =
          std::stoull(event["object"]["metadata"]["resourceVersion"].get<std::string>());
      EXPECT_GT(version, before);
      before = version;
    }
    EXPECT_EQ(count, 101);
  }
}

TEST(FakeApiServerWatchTest, LargeListsAreChunkedAndCompressedOnRequest) {
  FakeApiServer server;
  server.CreateMany(250);
  const auto plain = test::Exchange(server.port(), "GET", "/api/v1/pods");
  EXPECT_NE(plain.head.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(ordered_json::parse(plain.body)["items"].size(), 250U);
  const auto packed =
      test::Exchange(server.port(), "GET", "/api/v1/pods", "", "Accept-Encoding: gzip\r\n");
  EXPECT_NE(packed.head.find("Content-Encoding: gzip"), std::string::npos);
  EXPECT_LT(packed.body.size(), plain.body.size() / 5);
  const auto small =
      test::Exchange(server.port(), "GET", "/api/v1/nodes", "", "Accept-Encoding: gzip\r\n");
  EXPECT_EQ(small.head.find("Content-Encoding"), std::string::npos);
}

}  // namespace
}  // namespace k8s::testing
