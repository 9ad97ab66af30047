#include <gtest/gtest.h>
#include <k8s/rest/client.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <semaphore>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/raw_http_server.hpp"
#include "support/skipping_clock.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

TEST(CurlTransportFailuresTest, ARefusedConnectionIsConnect) {
  auto transport = TransportTo("http://127.0.0.1:" + std::to_string(ClosedPort()));
  const auto error = Get(*transport, "/api/v1/pods?limit=500").error();
  EXPECT_EQ(error.kind, ErrorKind::kConnect);
  EXPECT_TRUE(error.message.starts_with("GET /api/v1/pods: ")) << error.message;
  EXPECT_NE(error.message.find(" (http://127.0.0.1:"), std::string::npos) << error.message;
}

TEST(CurlTransportFailuresTest, AnUnknownHostIsDns) {
  auto transport = TransportTo("http://no-such-host.invalid");
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kDns);
}

TEST(CurlTransportFailuresTest, AResetBeforeAnyAnswerIsALostConnection) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Reset();
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportFailuresTest, AResetAsSoonAsTheConnectionIsMadeIsALostConnection) {
  RawHttpServer server([](RawConnection& peer) { peer.Reset(); });
  // Whether libcurl sees the connection before it sees the reset is a matter of moments.
  for (int i = 0; i < 100; ++i) {
    auto transport = TransportTo(server.url());
    const auto error = Get(*transport).error();
    EXPECT_EQ(error.kind, ErrorKind::kConnectionLost) << error.message;
  }
  auto secure = TransportTo("https://127.0.0.1:" + std::to_string(server.port()));
  auto through =
      rest::CurlTransport::New({.host = "https://kubernetes.test", .proxyUrl = server.url()})
          .value();
  for (auto* transport : {secure.get(), through.get()}) {
    const auto error = Get(*transport).error();
    EXPECT_EQ(error.kind, ErrorKind::kConnectionLost) << error.message;
  }
}

// client-go: TestConnectionResetByPeerIsRetried
TEST(CurlTransportFailuresTest, ResetConnectionsAreMadeAgainOnceASecondAndRefusedOnesNot) {
  std::atomic<int> resets = 3;
  RawHttpServer server([&resets](RawConnection& peer) {
    if (resets-- > 0) return peer.Reset();
    peer.ReadRequest();
    peer.Answer("hello");
  });
  const auto clock = std::make_shared<SkippingClock>();
  const rest::Config config{.host = server.url(), .qps = -1};
  auto client = rest::Client::New(config, rest::CurlTransport::New(config).value(), clock);
  for (const bool watch : {false, true}) {
    resets = 3;
    EXPECT_TRUE(client.Stream({.path = "/", .watch = watch})) << watch;
  }
  EXPECT_EQ(clock->Sleeps(), std::vector<Clock::Duration>(6, std::chrono::seconds(1)));
  EXPECT_EQ(server.connections(), 8);

  const rest::Config nobody{.host = "http://127.0.0.1:" + std::to_string(ClosedPort()), .qps = -1};
  client = rest::Client::New(nobody, rest::CurlTransport::New(nobody).value(), clock);
  EXPECT_EQ(client.Do({.path = "/"}).error().kind, ErrorKind::kConnect);
  EXPECT_EQ(clock->Sleeps().size(), 6U);
}

TEST(CurlTransportFailuresTest, AnEndBeforeAnyAnswerIsALostConnection) {
  RawHttpServer server([](RawConnection& peer) { peer.ReadRequest(); });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportFailuresTest, WhatArrivedBeforeAConnectionIsLostIsHandedOver) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    peer.Send(Chunk("{\"type\":\"ADDED\"}"));
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  std::string chunk;
  ASSERT_TRUE(response->Read(chunk, {}).value());
  EXPECT_EQ(chunk, "{\"type\":\"ADDED\"}");
  EXPECT_EQ(response->Read(chunk, {}).error().kind, ErrorKind::kConnectionLost);
  // And it stays so.
  EXPECT_EQ(response->Read(chunk, {}).error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportFailuresTest, ABodyShorterThanItsLengthIsALostConnection) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportFailuresTest, ABodyWithoutLengthEndsWithTheConnection) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.0 200 OK\r\n\r\nall");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).value(), "all");
}

TEST(CurlTransportFailuresTest, WhatIsNoHttpIsProtocol) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("SSH-2.0-OpenSSH_9.2\r\n");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kProtocol);
}

TEST(CurlTransportFailuresTest, ATlsServerThatSpeaksPlainHttpIsTls) {
  RawHttpServer server([](RawConnection& peer) {
    peer.Send("HTTP/1.1 400 Bad Request\r\n\r\n");
    peer.AwaitClose();
  });
  auto transport = TransportTo("https://127.0.0.1:" + std::to_string(server.port()));
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kTls);
}

TEST(CurlTransportFailuresTest, AKeptConnectionThatWasClosedIsReplacedForReading) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Answer("hello");
    // The next request arrives at a server that is just closing.
    peer.ReadRequest();
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).value(), "hello");
  EXPECT_EQ(Get(*transport).value(), "hello");
  EXPECT_EQ(server.connections(), 2);
}

TEST(CurlTransportFailuresTest, AChangeIsNotSentTwiceWhenAKeptConnectionCloses) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Answer("hello");
    peer.ReadRequest();
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).value(), "hello");
  auto response = transport->RoundTrip({.method = "POST", .target = "/", .body = "{}"}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportFailuresTest, APassedTimeoutIsTimeout) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.timeout = milliseconds(50)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
}

TEST(CurlTransportFailuresTest, ATimeoutAlsoBoundsABodyThatTrickles) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    while (peer.Send(Chunk("."))) std::this_thread::yield();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.timeout = milliseconds(200)}, {}).value();
  EXPECT_EQ(ReadAll(*response).error().kind, ErrorKind::kTimeout);
}

TEST(CurlTransportFailuresTest, SilenceBeforeTheHeadIsTimeout) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.idleTimeout = milliseconds(50)}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kTimeout);
}

TEST(CurlTransportFailuresTest, SilenceInTheBodyIsTimeout) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    peer.Send(Chunk("event"));
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.idleTimeout = milliseconds(500)}, {}).value();
  std::string chunk;
  ASSERT_TRUE(response->Read(chunk, {}).value());
  const auto error = response->Read(chunk, {}).error();
  EXPECT_EQ(error.kind, ErrorKind::kTimeout);
  EXPECT_NE(error.message.find("silent"), std::string::npos) << error.message;
}

TEST(CurlTransportStopTest, AStopBeforehandSendsNothing) {
  RawHttpServer server([](RawConnection& peer) { peer.ReadRequest(); });
  auto transport = TransportTo(server.url());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Get(*transport, "/", stop.get_token()).error().kind, ErrorKind::kCancelled);
  EXPECT_EQ(server.connections(), 0);
}

TEST(CurlTransportStopTest, AStopEndsTheWaitForTheHead) {
  std::binary_semaphore asked(0);
  RawHttpServer server([&asked](RawConnection& peer) {
    peer.ReadRequest();
    asked.release();
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  std::stop_source stop;
  std::thread stopper([&] {
    asked.acquire();
    stop.request_stop();
  });
  EXPECT_EQ(Get(*transport, "/", stop.get_token()).error().kind, ErrorKind::kCancelled);
  stopper.join();
}

TEST(CurlTransportStopTest, AStopEndsTheWaitForABody) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  std::stop_source stop;
  std::binary_semaphore reading(0);
  std::thread stopper([&] {
    reading.acquire();
    stop.request_stop();
  });
  std::string chunk;
  reading.release();
  EXPECT_EQ(response->Read(chunk, stop.get_token()).error().kind, ErrorKind::kCancelled);
  stopper.join();
}

TEST(CurlTransportStopTest, AStopEndsAConnectionAttempt) {
  auto transport = TransportTo("http://192.0.2.1:81");  // TEST-NET-1: nobody answers.
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  const auto error = Get(*transport, "/", stop.get_token()).error();
  stopper.join();
  // Where the network has no way there at all, the attempt may fail first.
  EXPECT_TRUE(error.kind == ErrorKind::kCancelled || error.kind == ErrorKind::kConnect)
      << error.message;
}

TEST(CurlTransportStopTest, AfterAStopTheTransportGoesOn) {
  RawHttpServer server([](RawConnection& peer) {
    while (!peer.ReadRequest().empty()) peer.Answer("hello");
  });
  auto transport = TransportTo(server.url());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(Get(*transport, "/", stop.get_token()));
  EXPECT_EQ(Get(*transport).value(), "hello");
}

}  // namespace
}  // namespace k8s::test
