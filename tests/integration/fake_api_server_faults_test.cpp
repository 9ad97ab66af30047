// Faults on demand, and the fake API server's own life.

#include <k8s/apis/core/v1.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include "support/raw_http_client.hpp"

#include <gtest/gtest.h>
#include <zlib.h>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>
#include <string>

namespace k8s::testing {
namespace {

using namespace std::chrono_literals;
using test::Exchange;
using test::RawHttpClient;

const std::string kMaps = "/api/v1/namespaces/default/configmaps";
const std::string kWatch = kMaps + "?watch=true";

std::string Map(std::string_view name) {
  return R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"("}})";
}

/// Inflates all gzip members, one after the other.
std::string Gunzip(const std::string& packed, int& members) {
  std::string out;
  std::size_t at = 0;
  for (members = 0; at < packed.size(); ++members) {
    z_stream stream{};
    inflateInit2(&stream, 15 + 16);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
    stream.avail_in = static_cast<uInt>(packed.size() - at);
    char buffer[64 * 1024];
    int status = Z_OK;
    while (status == Z_OK) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer);
      stream.avail_out = sizeof(buffer);
      status = inflate(&stream, Z_NO_FLUSH);
      out.append(buffer, sizeof(buffer) - stream.avail_out);
    }
    at += stream.total_in;
    inflateEnd(&stream);
    if (status != Z_STREAM_END) return "not gzip";
  }
  return out;
}

TEST(FakeApiServerFaultsTest, StatusWithRetryAfterForSoManyRequests) {
  FakeApiServer server;
  server.InjectFault({.match = {.verb = "list"}, .times = 2, .status = 429, .retryAfter = 7});
  for (int i = 0; i < 2; ++i) {
    const auto answer = Exchange(server.port(), "GET", kMaps);
    EXPECT_EQ(answer.status, 429);
    EXPECT_NE(answer.head.find("Retry-After: 7"), std::string::npos);
    EXPECT_NE(answer.body.find(R"("reason":"TooManyRequests")"), std::string::npos);
    EXPECT_NE(answer.body.find(R"("retryAfterSeconds":7)"), std::string::npos);
  }
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps).status, 200);
  EXPECT_EQ(server.FaultsMet(), 2U);
}

TEST(FakeApiServerFaultsTest, FaultsChooseTheirRequests) {
  FakeApiServer server;
  server.InjectFault({.match = {.resource = "pods", .namespace_ = "a"}, .skip = 1, .status = 503});
  const std::string path = "/api/v1/namespaces/a/pods";
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps).status, 200);
  EXPECT_EQ(Exchange(server.port(), "GET", "/api/v1/namespaces/b/pods").status, 200);
  EXPECT_EQ(Exchange(server.port(), "GET", path).status, 200);
  EXPECT_EQ(Exchange(server.port(), "GET", path).status, 503);
  EXPECT_EQ(Exchange(server.port(), "GET", path).status, 200);
}

TEST(FakeApiServerFaultsTest, ClearFaultsEndsUnlimitedOnes) {
  FakeApiServer server;
  server.InjectFault({.times = -1, .status = 500});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Exchange(server.port(), "GET", kMaps).status, 500);
  server.ClearFaults();
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps).status, 200);
}

TEST(FakeApiServerFaultsTest, DropConnectionResets) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kDropConnection});
  RawHttpClient client(server.port());
  client.Get(kMaps);
  ASSERT_TRUE(client.ReadToEnd());
  EXPECT_EQ(client.end(), RawHttpClient::End::kReset);
  EXPECT_EQ(client.received(), "");
}

TEST(FakeApiServerFaultsTest, CloseConnectionEndsItInOrder) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kCloseConnection});
  RawHttpClient client(server.port());
  client.Get(kMaps);
  ASSERT_TRUE(client.ReadToEnd());
  EXPECT_EQ(client.end(), RawHttpClient::End::kOrderly);
  EXPECT_EQ(client.received(), "");
}

TEST(FakeApiServerFaultsTest, StallNeverAnswers) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kStall});
  RawHttpClient client(server.port());
  client.Get(kMaps);
  ASSERT_TRUE(server.WaitForRequests({}, 1));
  EXPECT_TRUE(client.SilentFor(100));
}

TEST(FakeApiServerFaultsTest, DelayAnswersLate) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kDelay, .delay = 80ms});
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps).status, 200);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 80ms);
}

TEST(FakeApiServerFaultsTest, RawAnswersAreWhateverTheTestWants) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kRawAnswer,
                      .status = 502,
                      .body = "<html>bad gateway</html>",
                      .contentType = "text/html"});
  const auto answer = Exchange(server.port(), "GET", kMaps);
  EXPECT_EQ(answer.status, 502);
  EXPECT_EQ(answer.body, "<html>bad gateway</html>");
  EXPECT_NE(answer.head.find("Content-Type: text/html"), std::string::npos);
}

TEST(FakeApiServerFaultsTest, CutListsPromiseMoreThanTheySend) {
  FakeApiServer server;
  server.CreateMany(3);
  server.InjectFault({.kind = FaultKind::kCutStream, .match = {.verb = "list"}});
  RawHttpClient client(server.port());
  client.Get("/api/v1/pods");
  ASSERT_TRUE(client.ReadToEnd());
  const auto length = client.Head().find("Content-Length: ");
  ASSERT_NE(length, std::string::npos);
  EXPECT_LT(client.Body().size(), std::stoul(client.Head().substr(length + 16)));
  EXPECT_GT(client.Body().size(), 0U);
}

TEST(FakeApiServerFaultsTest, ErrorEventsEndAWatch) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kErrorEvent, .afterEvents = 1, .status = 410});
  RawHttpClient client(server.port());
  client.Get(kWatch);
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  server.Add(Map("a"));
  const std::string body = client.ReadBody();
  EXPECT_EQ(body.find(R"({"type":"ADDED")"), 0U);
  EXPECT_NE(body.find(R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",)"),
            std::string::npos);
  EXPECT_NE(body.find(R"("reason":"Expired","code":410}})"), std::string::npos);
}

TEST(FakeApiServerFaultsTest, StreamsEndWithoutAnEvent) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kEndStream});
  RawHttpClient client(server.port());
  client.Get(kWatch);
  EXPECT_EQ(client.ReadBody(), "");
  EXPECT_EQ(client.status(), 200);
}

TEST(FakeApiServerFaultsTest, StreamsAreCutInsideAnEvent) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kCutStream, .match = {.verb = "watch"}, .afterEvents = 1});
  server.Add(Map("a"));
  server.Add(Map("b"));
  RawHttpClient client(server.port());
  client.Get(kWatch);
  ASSERT_TRUE(client.ReadToEnd());
  const std::string body = client.Body();
  const auto second = body.find('\n') + 1;
  ASSERT_GT(second, 0U);
  EXPECT_EQ(body.substr(second, 16), R"({"type":"ADDED",)");
  EXPECT_FALSE(nlohmann::json::accept(body.substr(second)));
}

TEST(FakeApiServerFaultsTest, StalledStreamsAreOpenAndSilent) {
  FakeApiServer server({.bookmarkInterval = 10ms});
  server.InjectFault({.kind = FaultKind::kStallStream, .afterEvents = 1});
  server.Add(Map("a"));
  RawHttpClient client(server.port());
  client.Get(kWatch + "&allowWatchBookmarks=true");
  ASSERT_TRUE(client.ReadUntil("}}\n\r\n"));
  server.Add(Map("b"));
  EXPECT_TRUE(client.SilentFor(60));
  EXPECT_TRUE(server.WaitForOpenWatches({}, 1));
}

TEST(FakeApiServerFaultsTest, RawBytesTakeTheirPlaceBetweenEvents) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kRawBytes, .afterEvents = 1, .body = "{\"type\":oops}\n"});
  server.Add(Map("a"));
  server.Add(Map("b"));
  RawHttpClient client(server.port());
  client.Get(kWatch);
  ASSERT_TRUE(client.ReadUntil("\"b\""));
  const std::string body = client.Body();
  EXPECT_LT(body.find("\"a\""), body.find("oops"));
  EXPECT_LT(body.find("oops"), body.find("\"b\""));
}

TEST(FakeApiServerFaultsTest, TrickleSendsByteByByte) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kTrickle, .times = 2});
  server.Add(Map("a"));
  RawHttpClient watch(server.port());
  watch.Get(kWatch);
  ASSERT_TRUE(watch.ReadUntil("1\r\n{\r\n1\r\n\"\r\n1\r\nt\r\n"));
  const auto answer = Exchange(server.port(), "GET", kMaps);
  EXPECT_TRUE(nlohmann::json::accept(answer.body));
}

TEST(FakeApiServerFaultsTest, GzipMakesEachEventAMember) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kGzip});
  server.Add(Map("a"));
  server.Add(Map("b"));
  RawHttpClient client(server.port());
  client.Get(kWatch, "Accept-Encoding: gzip\r\n");
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  server.EndWatches();
  int members = 0;
  const std::string text = Gunzip(client.ReadBody(), members);
  EXPECT_EQ(members, 2);
  EXPECT_NE(text.find("\"b\""), std::string::npos);
  EXPECT_NE(client.Head().find("Content-Encoding: gzip"), std::string::npos);
}

TEST(FakeApiServerFaultsTest, BookmarksCanBeSuppressed) {
  FakeApiServer server({.bookmarkInterval = 5ms});
  server.InjectFault({.kind = FaultKind::kNoBookmarks});
  RawHttpClient client(server.port());
  client.Get(kWatch +
             "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true");
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  EXPECT_TRUE(client.ReadUntil("\r\n\r\n"));
  EXPECT_TRUE(client.SilentFor(50));
}

TEST(FakeApiServerFaultsTest, OpenWatchesCanBeDisturbed) {
  FakeApiServer server;
  RawHttpClient raw(server.port());
  raw.Get(kWatch);
  RawHttpClient reset(server.port());
  reset.Get("/api/v1/pods?watch=true");
  RawHttpClient stalled(server.port());
  stalled.Get("/api/v1/nodes?watch=true");
  ASSERT_TRUE(server.WaitForOpenWatches({}, 3));
  EXPECT_EQ(server.SendRaw({.resource = "configmaps"}, "garbage"), 1U);
  EXPECT_TRUE(raw.ReadUntil("7\r\ngarbage\r\n"));
  EXPECT_EQ(server.ResetWatches({.resource = "pods"}), 1U);
  EXPECT_TRUE(reset.ReadToEnd());
  EXPECT_EQ(reset.end(), RawHttpClient::End::kReset);
  EXPECT_EQ(server.StallWatches({.resource = "nodes"}), 1U);
  server.Add(R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n"}})");
  ASSERT_TRUE(stalled.ReadUntil("\r\n\r\n"));
  EXPECT_TRUE(stalled.SilentFor(50));
}

TEST(FakeApiServerLifeTest, StopEndsWatchesInOrderAndRefusesNewConnections) {
  FakeApiServer server;
  RawHttpClient watch(server.port());
  watch.Get(kWatch);
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  server.Stop();
  ASSERT_TRUE(watch.ReadToEnd());
  EXPECT_EQ(watch.end(), RawHttpClient::End::kOrderly);
  EXPECT_TRUE(watch.received().ends_with("0\r\n\r\n"));
  EXPECT_FALSE(RawHttpClient(server.port()).connected());
}

TEST(FakeApiServerLifeTest, RestartServesTheSameObjectsOnTheSamePort) {
  FakeApiServer server;
  const auto version = server.Add(Map("a"));
  const int port = server.port();
  server.Kill();
  server.Restart();
  EXPECT_EQ(server.port(), port);
  EXPECT_EQ(server.ResourceVersion(), version);
  EXPECT_EQ(Exchange(port, "GET", kMaps + "/a").status, 200);
}

TEST(FakeApiServerLifeTest, KillResetsEverything) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kStall, .match = {.resource = "pods"}});
  RawHttpClient watch(server.port());
  watch.Get(kWatch);
  RawHttpClient stalled(server.port());
  stalled.Get("/api/v1/pods");
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  ASSERT_TRUE(server.WaitForRequests({.resource = "pods"}, 1));
  server.Kill();
  EXPECT_TRUE(watch.ReadToEnd());
  EXPECT_EQ(watch.end(), RawHttpClient::End::kReset);
  EXPECT_TRUE(stalled.ReadToEnd());
  EXPECT_EQ(stalled.end(), RawHttpClient::End::kReset);
}

TEST(FakeApiServerLifeTest, AReaderThatDoesNotReadHoldsUpNoStop) {
  FakeApiServer server;
  RawHttpClient watch(server.port());
  watch.Get(kWatch);
  ASSERT_TRUE(server.WaitForOpenWatches({}, 1));
  const std::string large(1024 * 1024, 'x');
  for (int i = 0; i < 30; ++i) {
    server.Add(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"m)" +
               std::to_string(i) + R"("},"data":{"k":")" + large + "\"}}");
  }
  auto stopped = std::async(std::launch::async, [&] { server.Stop(); });
  EXPECT_EQ(stopped.wait_for(10s), std::future_status::ready);
}

TEST(FakeApiServerLifeTest, RequestsAreRecorded) {
  FakeApiServer server({.tokens = {{"t", "user"}}});
  Exchange(server.port(), "POST", kMaps + "?dryRun=All&fieldManager=a%20b", Map("x"),
           "Authorization: Bearer t\r\nContent-Type: application/json\r\n");
  const auto requests = server.Requests({.verb = "create", .resource = "configmaps"});
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].method, "POST");
  EXPECT_EQ(requests[0].path, kMaps);
  EXPECT_EQ(requests[0].namespace_, "default");
  EXPECT_EQ(requests[0].Param("fieldManager"), "a b");
  EXPECT_EQ(requests[0].Param("none"), "");
  EXPECT_EQ(requests[0].Header("content-TYPE"), "application/json");
  EXPECT_EQ(requests[0].body, Map("x"));
  EXPECT_EQ(server.RequestCount(), 1U);
  server.ClearRequests();
  EXPECT_EQ(server.RequestCount(), 0U);
}

TEST(FakeApiServerLifeTest, TokensCanBeExchanged) {
  FakeApiServer server({.tokens = {{"old", "user"}}});
  EXPECT_EQ(server.config().bearerToken, "old");
  EXPECT_EQ(server.config().host, server.url());
  const std::string old = "Authorization: Bearer old\r\n";
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps, "", old).status, 200);
  server.SetTokens({{"new", "user"}});
  EXPECT_EQ(Exchange(server.port(), "GET", kMaps, "", old).status, 401);
}

TEST(FakeApiServerLifeTest, TypedObjectsGoInAndComeOut) {
  FakeApiServer server;
  corev1::Pod pod;
  pod.metadata.name = "typed";
  pod.metadata.namespace_ = "there";
  pod.spec.nodeName = "node-1";
  const auto version = server.Add(pod);
  EXPECT_EQ(server.ResourceVersion(), version);
  const auto json = nlohmann::json::parse(server.Get({"", "pods"}, "there", "typed"));
  EXPECT_EQ(json["spec"]["nodeName"], "node-1");
  EXPECT_EQ(json["metadata"]["resourceVersion"], std::to_string(version));
  EXPECT_THROW(server.Add(pod), BadResult);
  pod.spec.nodeName = "node-2";
  server.Modify(pod);
  EXPECT_EQ(server.Count({"", "pods"}), 1U);
  server.Delete(pod);
  EXPECT_FALSE(server.Has({"", "pods"}, "there", "typed"));
  EXPECT_THROW(server.Delete(pod), BadResult);
}

TEST(FakeApiServerLifeTest, ATakenPortIsAnError) {
  FakeApiServer server;
  EXPECT_THROW(FakeApiServer({.port = server.port()}), BadResult);
}

}  // namespace
}  // namespace k8s::testing
