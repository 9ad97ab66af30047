#include <gtest/gtest.h>
#include <zlib.h>
#include <k8s/rest/client.hpp>
#include <k8s/rest/curl_transport.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/raw_http_server.hpp"
#include "support/transport_helpers.hpp"

namespace k8s::test {
namespace {

constexpr std::string_view kChunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view kGzipChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n";

/// Compresses into one gzip member, with a flush after each part.
std::string GzipMember(const std::vector<std::string>& parts) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(1 << 20, '\0');
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  for (const auto& part : parts) {
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(part.data()));
    stream.avail_in = static_cast<uInt>(part.size());
    deflate(&stream, Z_SYNC_FLUSH);
  }
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(CurlTransportTest, ReadsABodyOfKnownLength) {
  RawHttpServer server([](RawConnection& peer) {
    while (!peer.ReadRequest().empty()) peer.Answer("hello", "X-Test: yes\r\n");
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/a?b=c"}, {}).value();
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(response->header("x-test"), "yes");
  EXPECT_EQ(response->header("absent"), "");
  EXPECT_EQ(ReadAll(*response).value(), "hello");
}

TEST(CurlTransportTest, KeepsConnections) {
  RawHttpServer server([](RawConnection& peer) {
    while (!peer.ReadRequest().empty()) peer.Answer("hello");
  });
  auto transport = TransportTo(server.url());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(Get(*transport).value(), "hello");
  EXPECT_EQ(server.connections(), 1);
}

// client-go: TestCheckRetryClosesBody, TestReuseRequest
TEST(CurlTransportTest, KeepsTheConnectionBetweenTries) {
  int requests = 0;
  RawHttpServer server([&requests](RawConnection& peer) {
    while (!peer.ReadRequest().empty()) {
      if (++requests % 3 == 0) {
        peer.Answer("{}");
      } else {
        peer.Send("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 1000\r\n\r\n" +
                  std::string(1000, 'x'));
      }
    }
  });
  const auto client = rest::Client::New({.host = server.url(), .qps = -1}).value();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client.Do({.path = "/"}).value().body, "{}");
  EXPECT_EQ(server.connections(), 1);
}

// client-go: TestHTTP1DoNotReuseRequestAfterTimeout
TEST(CurlTransportTest, ConnectsAnewAfterATimeout) {
  std::atomic<int> connections{0};
  RawHttpServer server([&connections](RawConnection& peer) {
    const bool silent = connections++ == 0;
    while (!peer.ReadRequest().empty()) {
      if (!silent) peer.Answer("hello");
    }
  });
  auto transport = TransportTo(server.url());
  const auto late = transport->RoundTrip({.timeout = std::chrono::milliseconds(50)}, {});
  EXPECT_EQ(late.error().kind, ErrorKind::kTimeout);
  EXPECT_EQ(Get(*transport).value(), "hello");
  EXPECT_EQ(server.connections(), 2);
}

TEST(CurlTransportTest, HandsOverEachPieceBeforeTheNextIsSent) {
  std::counting_semaphore<8> read(0);
  RawHttpServer server([&read](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    for (const char* piece : {"one", "two", "three"}) {
      peer.Send(Chunk(piece));
      read.acquire();
    }
    peer.Send(Chunk(""));
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  std::string chunk;
  for (const char* piece : {"one", "two", "three"}) {
    ASSERT_TRUE(response->Read(chunk, {}).value());
    EXPECT_EQ(chunk, piece);
    read.release();
  }
  EXPECT_FALSE(response->Read(chunk, {}).value());
  EXPECT_TRUE(chunk.empty());
}

TEST(CurlTransportTest, ASlowReaderPausesTheSender) {
  // Far more than all buffers between the two ends take.
  constexpr std::size_t kTotal = std::size_t{256} << 20;
  const std::string piece(std::size_t{1} << 20, 'x');
  std::atomic<std::size_t> sent{0};
  RawHttpServer server([&](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kTotal) + "\r\n\r\n");
    while (sent < kTotal && peer.Send(piece)) sent += piece.size();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  std::string chunk;
  std::size_t received = 0;
  while (response->Read(chunk, {}).value()) {
    received += chunk.size();
    // At no time is the sender ahead by more than the sockets' buffers and ours.
    EXPECT_LT(sent.load(), received + (std::size_t{64} << 20));
    EXPECT_LE(chunk.size(), std::size_t{2} << 20);
  }
  EXPECT_EQ(received, kTotal);
}

TEST(CurlTransportTest, AnAnswerThatNobodyReadsDoesNotHoldUpOthers) {
  const std::string much(std::size_t{64} << 20, 'x');
  RawHttpServer server([&much](RawConnection& peer) {
    while (true) {
      const auto request = peer.ReadRequest();
      if (request.empty() || !peer.Answer(request.starts_with("GET /much") ? much : "little"))
        return;
    }
  });
  auto transport = TransportTo(server.url());
  auto unread = transport->RoundTrip({.target = "/much"}, {}).value();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Get(*transport, "/little").value(), "little");
  EXPECT_EQ(ReadAll(*unread).value().size(), much.size());
}

TEST(CurlTransportTest, DroppingAnAnswerEndsItsConnection) {
  std::binary_semaphore closed(0);
  RawHttpServer server([&closed](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    peer.Send(Chunk("start"));
    peer.AwaitClose();
    closed.release();
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  response.reset();
  closed.acquire();
}

TEST(CurlTransportTest, AnAnswerOutlivesItsTransport) {
  std::binary_semaphore dropped(0);
  RawHttpServer server([&dropped](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    dropped.acquire();
    peer.Send(Chunk("late") + Chunk(""));
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  transport.reset();
  dropped.release();
  EXPECT_EQ(ReadAll(*response).value(), "late");
}

TEST(CurlTransportTest, DecodesSeveralGzipMembersAndFlushesWithin) {
  const std::string first = GzipMember({"{\"a\":1}\n", "{\"b\":2}\n"});
  const std::string second = GzipMember({"{\"c\":3}\n"});
  RawHttpServer server([&](RawConnection& peer) {
    const auto request = peer.ReadRequest();
    EXPECT_NE(request.find("Accept-Encoding: gzip"), std::string::npos);
    peer.Send(kGzipChunked);
    peer.Send(Chunk(first) + Chunk(second) + Chunk(""));
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).value(), "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n");
}

TEST(CurlTransportTest, DecodesWhatWasFlushedBeforeTheMemberEnds) {
  const std::string member = GzipMember({"first", "second"});
  std::binary_semaphore read(0);
  // The first part ends with the marker that every flush leaves: 00 00 ff ff.
  const auto flushed = member.find(std::string("\0\0\xff\xff", 4)) + 4;
  RawHttpServer server([&](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kGzipChunked);
    peer.Send(Chunk(member.substr(0, flushed)));
    read.acquire();
    peer.Send(Chunk(member.substr(flushed)) + Chunk(""));
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  std::string chunk;
  ASSERT_TRUE(response->Read(chunk, {}).value());
  EXPECT_EQ(chunk, "first");
  read.release();
  EXPECT_EQ(ReadAll(*response).value(), "second");
}

TEST(CurlTransportTest, DecodesGzipByteByByteAndMuchOfIt) {
  const std::string much(std::size_t{5} << 20, 'z');
  const std::string body = GzipMember({much}) + GzipMember({"end"});
  RawHttpServer server([&](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kGzipChunked);
    for (const char c : body) peer.Send(Chunk(std::string(1, c)));
    peer.Send(Chunk(""));
  });
  auto transport = TransportTo(server.url());
  EXPECT_TRUE(Get(*transport).value() == much + "end");
}

TEST(CurlTransportTest, RefusesGzipThatIsNone) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Answer("{\"kind\":\"Pod\"}", "Content-Encoding: gzip\r\n");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kProtocol);
}

TEST(CurlTransportTest, RefusesUnknownEncodings) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Answer("x", "Content-Encoding: br\r\n");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kProtocol);
}

TEST(CurlTransportTest, GzipThatBreaksOffIsALostConnection) {
  const std::string member = GzipMember({"some text"});
  RawHttpServer server([&](RawConnection& peer) {
    peer.ReadRequest();
    peer.Answer(member.substr(0, member.size() - 6), "Content-Encoding: gzip\r\n");
  });
  auto transport = TransportTo(server.url());
  EXPECT_EQ(Get(*transport).error().kind, ErrorKind::kConnectionLost);
}

TEST(CurlTransportTest, AsksForNoCompressionWhenItIsDisabled) {
  RawHttpServer server([](RawConnection& peer) { peer.Answer(peer.ReadRequest()); });
  auto transport =
      rest::CurlTransport::New({.host = server.url(), .disableCompression = true}).value();
  EXPECT_EQ(Get(*transport).value().find("Accept-Encoding"), std::string::npos);
}

TEST(CurlTransportTest, SendsMethodBodyAndHeaders) {
  RawHttpServer server([](RawConnection& peer) {
    while (true) {
      const auto request = peer.ReadRequest();
      if (request.empty() || !peer.Answer(request)) return;
    }
  });
  auto transport = TransportTo(server.url() + "/prefix");
  const std::string body(std::size_t{3} << 20, 'b');
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    SCOPED_TRACE(method);
    auto response = transport
                        ->RoundTrip({.method = method,
                                     .target = "/x",
                                     .headers = {{"Content-Type", "application/json"}},
                                     .body = body},
                                    {})
                        .value();
    const auto echo = ReadAll(*response).value();
    EXPECT_TRUE(echo.starts_with(std::string(method) + " /prefix/x HTTP/1.1\r\n"));
    EXPECT_NE(echo.find("Content-Type: application/json\r\n"), std::string::npos);
    EXPECT_EQ(echo.find("Expect:"), std::string::npos);
    EXPECT_TRUE(echo.ends_with("\r\n\r\n" + body));
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST(CurlTransportTest, RefusesHeadersWithLineBreaks) {
  RawHttpServer server([](RawConnection& peer) { peer.ReadRequest(); });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.headers = {{"X", "a\r\nY: b"}}}, {});
  ASSERT_FALSE(response);
  EXPECT_EQ(response.error().kind, ErrorKind::kInvalidArgument);
  EXPECT_EQ(server.connections(), 0);
}

TEST(CurlTransportTest, SkipsInterimAnswers) {
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send("HTTP/1.1 103 Early Hints\r\nX: early\r\n\r\n");
    peer.Answer("real");
  });
  auto transport = TransportTo(server.url());
  auto response = transport->RoundTrip({.target = "/"}, {}).value();
  EXPECT_EQ(response->status(), 200);
  EXPECT_EQ(response->header("X"), "");
  EXPECT_EQ(ReadAll(*response).value(), "real");
}

TEST(CurlTransportTest, ServesManyThreadsAtOnce) {
  RawHttpServer server([](RawConnection& peer) {
    while (!peer.ReadRequest().empty()) peer.Answer("hello");
  });
  auto transport = TransportTo(server.url());
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 50; ++j) good += Get(*transport).value() == "hello" ? 1 : 0;
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(good, 400);
}

TEST(CurlTransportTest, OpensAsManyConnectionsAsThereAreWatches) {
  constexpr int kWatches = 120;
  RawHttpServer server([](RawConnection& peer) {
    peer.ReadRequest();
    peer.Send(kChunked);
    peer.AwaitClose();
  });
  auto transport = TransportTo(server.url());
  std::vector<std::unique_ptr<rest::HttpResponse>> watches;
  for (int i = 0; i < kWatches; ++i) {
    watches.push_back(transport->RoundTrip({.target = "/"}, {}).value());
  }
  EXPECT_EQ(server.connections(), kWatches);
}

}  // namespace
}  // namespace k8s::test
