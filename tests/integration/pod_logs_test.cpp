// The log of a pod while it is written, over HTTP.

#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/kubernetes/clientset.hpp>

#include <future>
#include <memory>
#include <optional>
#include <semaphore>
#include <stop_token>
#include <string>

#include "support/raw_http_server.hpp"

namespace k8s::test {
namespace {

using kubernetes::PodLogOptions;

constexpr std::string_view kHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n";

kubernetes::PodClient<corev1::Pod> PodsOf(const RawHttpServer& server) {
  const auto client = kubernetes::Clientset::New({.host = server.url(), .qps = -1}).value();
  return client.CoreV1().Pods("d");
}

std::string Line(kubernetes::LogStream& logs, std::stop_token stop = {}) {
  const auto line = logs.ReadLine(stop);
  if (!line) return "error: " + line.error().ToString();
  return *line ? **line : "end";
}

TEST(PodLogsTest, LinesArriveWhileTheLogIsBeingWritten) {
  std::binary_semaphore was_read(0);
  RawHttpServer server([&](RawConnection& peer) {
    (void)peer.ReadRequest();
    peer.Send(kHead);
    peer.Send(Chunk("one\ntw"));
    was_read.acquire();  // Nothing more before the client has had its line.
    peer.Send(Chunk("o\n"));
    was_read.acquire();
    peer.Send(Chunk("last"));
    peer.Send("0\r\n\r\n");
  });
  auto logs = PodsOf(server).GetLogs("a", {.follow = true}).value();
  EXPECT_EQ(Line(logs), "one");
  was_read.release();
  EXPECT_EQ(Line(logs), "two");
  was_read.release();
  EXPECT_EQ(Line(logs), "last");
  EXPECT_EQ(Line(logs), "end");
}

TEST(PodLogsTest, AStopEndsAFollowedLogAndDroppingItClosesTheConnection) {
  std::promise<void> closed;
  RawHttpServer server([&](RawConnection& peer) {
    (void)peer.ReadRequest();
    peer.Send(kHead);
    peer.Send(Chunk("one\n"));
    peer.AwaitClose();
    closed.set_value();
  });
  std::stop_source stop;
  {
    auto logs = PodsOf(server).GetLogs("a", {.follow = true}, stop.get_token()).value();
    EXPECT_EQ(Line(logs, stop.get_token()), "one");
    auto next = std::async(std::launch::async, [&] { return logs.ReadLine(stop.get_token()); });
    stop.request_stop();
    const auto line = next.get();
    ASSERT_FALSE(line);
    EXPECT_EQ(line.error().kind, ErrorKind::kCancelled);
  }
  closed.get_future().wait();
}

TEST(PodLogsTest, AStopEndsTheWaitForTheFirstByte) {
  std::stop_source stop;
  RawHttpServer server([&](RawConnection& peer) {
    (void)peer.ReadRequest();
    stop.request_stop();
    peer.AwaitClose();
  });
  const auto logs = PodsOf(server).GetLogs("a", {.follow = true}, stop.get_token());
  ASSERT_FALSE(logs);
  EXPECT_EQ(logs.error().kind, ErrorKind::kCancelled);
}

TEST(PodLogsTest, AllOptionsAreInTheAddress) {
  std::promise<std::string> request;
  RawHttpServer server([&](RawConnection& peer) {
    request.set_value(peer.ReadRequest());
    peer.Answer("x\n");
  });
  PodLogOptions options{.container = "c",
                        .follow = true,
                        .previous = true,
                        .sinceSeconds = 5,
                        .timestamps = true,
                        .tailLines = 10,
                        .limitBytes = 1000,
                        .insecureSkipTLSVerifyBackend = true,
                        .stream = "Stdout"};
  options.sinceTime = metav1::Time(1767323045);
  EXPECT_EQ(PodsOf(server).GetLogs("a", options).value().ReadAll().value(), "x\n");
  const auto text = request.get_future().get();
  EXPECT_EQ(text.substr(0, text.find("\r\n")),
            "GET /api/v1/namespaces/d/pods/a/log?container=c&follow=true&"
            "insecureSkipTLSVerifyBackend=true&limitBytes=1000&previous=true&sinceSeconds=5&"
            "sinceTime=2026-01-02T03%3A04%3A05Z&stream=Stdout&tailLines=10&timestamps=true "
            "HTTP/1.1");
}

TEST(PodLogsTest, ARefusalIsTheServersMessage) {
  const std::string status =
      R"({"kind":"Status","status":"Failure","reason":"BadRequest","code":400,"message":"container \"c\" in pod \"a\" is waiting to start"})";
  RawHttpServer server([&](RawConnection& peer) {
    (void)peer.ReadRequest();
    peer.Send("HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nContent-Length: " +
              std::to_string(status.size()) + "\r\n\r\n" + status);
  });
  const auto logs = PodsOf(server).GetLogs("a");
  ASSERT_FALSE(logs);
  EXPECT_TRUE(IsBadRequest(logs.error()));
  EXPECT_NE(logs.error().ToString().find("is waiting to start"), std::string::npos);
}

TEST(PodLogsTest, AConnectionThatBreaksIsNoEndOfTheLog) {
  RawHttpServer server([&](RawConnection& peer) {
    (void)peer.ReadRequest();
    peer.Send(kHead);
    peer.Send(Chunk("one\n"));
  });
  auto logs = PodsOf(server).GetLogs("a").value();
  EXPECT_EQ(Line(logs), "one");
  const auto cut = logs.ReadLine();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::kConnectionLost);
}

}  // namespace
}  // namespace k8s::test
