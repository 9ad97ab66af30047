// Each fault that a server or a network can have, once, over sockets: an informer shows what was
// written after it, and lists again only where there is no other way.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <tuple>
#include <utility>

#include "support/event_recorder.hpp"
#include "support/raw_http_server.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using testing::FakeApiServer;
using testing::FaultKind;

std::string ConfigMapJson(const std::string& name, const std::string& value = {}) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"d","name":")" + name +
         R"("},"data":{"value":")" + value + R"("}})";
}

/// An informer of config maps with waits that are next to nothing.
class RunningInformer {
 public:
  RunningInformer(const rest::Config& config, bool streaming,
                  std::chrono::milliseconds idle = 300ms) {
    cache::SharedInformerOptions options;
    options.reflector.useWatchList = streaming;
    options.reflector.backoff = {.initial = 1ms, .max = 1ms};
    options.reflector.watchIdleTimeout = idle;
    options.reflector.listPageSize = 2;
    const auto client = kubernetes::Clientset::New(config).value();
    informer_.emplace(cache::SharedIndexInformer<ConfigMap>::New(
        cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()), options));
    informer_->AddEventHandler(seen_.Handlers()).value();
    running_ =
        std::jthread([this](std::stop_token stop) { (void)informer_->Run(std::move(stop)); });
  }

  EventRecorder<ConfigMap>& seen() { return seen_; }
  [[nodiscard]] cache::InformerStatus Status() const { return informer_->Status(); }

 private:
  EventRecorder<ConfigMap> seen_;
  std::optional<cache::SharedIndexInformer<ConfigMap>> informer_;
  std::jthread running_;
};

struct Recovery {
  const char* name;
  std::function<void(FakeApiServer&)> fault;
  bool relists = false;
};

void PrintTo(const Recovery& row, std::ostream* out) { *out << row.name; }

/// The next requests of `verb` meet `fault`, and the open watch ends so that there are some.
std::function<void(FakeApiServer&)> AtOpening(testing::Fault fault,
                                              const std::string& verb = "watch") {
  fault.match.verb = verb;
  return [fault](FakeApiServer& server) {
    server.InjectFault(fault);
    server.EndWatches();
  };
}

std::string ErrorEvent(int code, const std::string& reason) {
  return R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","status":"Failure","reason":")" +
         reason + R"(","code":)" + std::to_string(code) + "}}\n";
}

/// The open watch shows these bytes and ends.
std::function<void(FakeApiServer&)> InTheStream(const std::string& bytes) {
  return [bytes](FakeApiServer& server) {
    server.SendRaw({}, bytes);
    server.EndWatches();
  };
}

const std::string kHtml = "<html><body>Bad Gateway</body></html>";
const std::string kHalfEvent = R"({"type":"ADDED","object":{"kind":"ConfigMap","meta)";

const Recovery kRecoveries[] = {
    {"Status410", AtOpening({.status = 410}), true},
    {"Event410Expired", InTheStream(ErrorEvent(410, "Expired")), true},
    {"Event410Gone", InTheStream(ErrorEvent(410, "Gone")), true},
    {"TooLargeResourceVersion",
     [](FakeApiServer& server) {
       AtOpening({.status = 410})(server);
       // Of the list or stream that follows; the version is left out then.
       server.InjectFault({.match = {.resource = "configmaps"},
                           .status = 504,
                           .reason = "Timeout",
                           .message = "Too large resource version: 9, current: 3"});
     },
     true},
    {"Status429", AtOpening({.times = 2, .status = 429})},
    {"Status429WithRetryAfter", AtOpening({.status = 429, .retryAfter = 1})},
    {"Event429", InTheStream(ErrorEvent(429, "TooManyRequests"))},
    {"Status500", AtOpening({.times = 2, .status = 500}), true},
    {"Status503", AtOpening({.status = 503}), true},
    {"Status504", AtOpening({.status = 504}), true},
    {"Event500", InTheStream(ErrorEvent(500, "InternalError")), true},
    {"Refused",
     [](FakeApiServer& server) {
       server.Kill();
       server.Restart();
     }},
    {"OrderlyStop",
     [](FakeApiServer& server) {
       server.Stop();
       server.Restart();
     }},
    {"ResetInTheStream", [](FakeApiServer& server) { server.ResetWatches(); }},
    {"ResetAtOpening", AtOpening({.kind = FaultKind::kDropConnection, .times = 2})},
    {"ClosedAtOpening", AtOpening({.kind = FaultKind::kCloseConnection, .times = 2})},
    {"EndInsideAnEvent", InTheStream(kHalfEvent)},
    {"ResetInsideAnEvent",
     [](FakeApiServer& server) {
       server.SendRaw({}, kHalfEvent);
       server.ResetWatches();
     }},
    {"SilenceInsideAnEvent", [](FakeApiServer& server) { server.SendRaw({}, kHalfEvent); }},
    {"UndecodableEvent", InTheStream("{\"type\":\"ADDED\",,}\n"), true},
    {"UndecodableObject",
     InTheStream(R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":)"
                 R"({"name":"bad","namespace":"d"},"data":7}})"
                 "\n")},
    {"HtmlBody",
     AtOpening(
         {.kind = FaultKind::kRawAnswer, .status = 200, .body = kHtml, .contentType = "text/html"}),
     true},
    {"HtmlError",
     AtOpening(
         {.kind = FaultKind::kRawAnswer, .status = 502, .body = kHtml, .contentType = "text/html"}),
     true},
    {"SilentStream", [](FakeApiServer& server) { server.StallWatches(); }},
    {"SilentAtOpening", AtOpening({.kind = FaultKind::kStallStream})},
    {"GzipMembers", AtOpening({.kind = FaultKind::kGzip, .times = -1})},
    {"ByteByByte", AtOpening({.kind = FaultKind::kTrickle})},
    {"Compaction",
     [](FakeApiServer& server) {
       server.Kill();
       server.Add(ConfigMapJson("meanwhile"));
       server.Compact();
       server.Restart();
     },
     true},
};

class RecoveryTest : public ::testing::TestWithParam<std::tuple<bool, Recovery>> {
 protected:
  FakeApiServer server_;
};

TEST_P(RecoveryTest, ShowsWhatWasWrittenAfterTheFault) {
  const auto& [streaming, row] = GetParam();
  for (const char* name : {"a", "b", "c"}) server_.Add(ConfigMapJson(name));
  RunningInformer informer(server_.config(), streaming);
  ASSERT_TRUE(server_.WaitForOpenWatches({}, 1));
  server_.Add(ConfigMapJson("before"));
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/before"));
  row.fault(server_);
  server_.Add(ConfigMapJson("after"));
  server_.Delete(ConfigMapJson("a"));
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/after"));
  ASSERT_TRUE(informer.seen().WaitForEvent("delete d/a"));
  EXPECT_TRUE(informer.seen().WaitForCount(server_.Count({"", "configmaps"})));
  EXPECT_EQ(informer.seen().Faults(), std::vector<std::string>());
  if (row.relists) {
    EXPECT_GT(informer.Status().relists, 1u);
  } else {
    EXPECT_EQ(informer.Status().relists, 1u);
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, RecoveryTest,
                         ::testing::Combine(::testing::Bool(), ::testing::ValuesIn(kRecoveries)),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) +
                                  (std::get<0>(test.param) ? "Streaming" : "Listing");
                         });

// Faults of the first state, before anything is known.
const Recovery kStarts[] = {
    {"ExpiredInTheMiddleOfPaging", AtOpening({.times = 1, .skip = 1, .status = 410}, "list")},
    {"Status429WithRetryAfter", AtOpening({.status = 429, .retryAfter = 1}, "")},
    {"Status500", AtOpening({.times = 3, .status = 500}, "")},
    {"CutBody", AtOpening({.kind = FaultKind::kCutStream, .times = 2}, "")},
    {"Reset", AtOpening({.kind = FaultKind::kDropConnection, .times = 2}, "")},
    {"HtmlBody", AtOpening({.kind = FaultKind::kRawAnswer,
                            .times = 2,
                            .status = 200,
                            .body = kHtml,
                            .contentType = "text/html"},
                           "")},
    {"Gzip", AtOpening({.kind = FaultKind::kGzip, .times = -1}, "")},
};

class StartTest : public ::testing::TestWithParam<std::tuple<bool, Recovery>> {
 protected:
  FakeApiServer server_;
};

TEST_P(StartTest, EndsWithTheWholeState) {
  const auto& [streaming, row] = GetParam();
  for (int i = 0; i < 5; ++i) server_.Add(ConfigMapJson("c" + std::to_string(i)));
  row.fault(server_);
  RunningInformer informer(server_.config(), streaming);
  EXPECT_TRUE(informer.seen().WaitForCount(5));
  EXPECT_EQ(informer.seen().Faults(), std::vector<std::string>());
}

INSTANTIATE_TEST_SUITE_P(Faults, StartTest,
                         ::testing::Combine(::testing::Bool(), ::testing::ValuesIn(kStarts)),
                         [](const auto& test) {
                           return std::string(std::get<1>(test.param).name) +
                                  (std::get<0>(test.param) ? "Streaming" : "Listing");
                         });

class LargeObjectTest : public ::testing::TestWithParam<bool> {};

// An event must be below 16 MiB as a whole; etcd's limit for an object is a tenth of that.
TEST_P(LargeObjectTest, ComesWithTheFirstStateAndAsAnEvent) {
  const std::string value((std::size_t{16} << 20) - 1024, 'x');
  FakeApiServer server;
  server.Add(ConfigMapJson("first", value));
  // The server may take its time for such an event.
  RunningInformer informer(server.config(), GetParam(), 1h);
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/first"));
  server.Add(ConfigMapJson("second", value));
  ASSERT_TRUE(informer.seen().WaitForEvent("add d/second"));
  for (const auto& [key, object] : informer.seen().State()) {
    EXPECT_TRUE(object->data.at("value") == value) << key;
  }
  EXPECT_EQ(informer.Status().unreadableObjects, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, LargeObjectTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Streaming" : "Listing"; });

// An event that goes on for ever is given up at its limit instead of filling the memory.
TEST(EndlessBodyTest, IsGivenUpAndTheInformerListsAgain) {
  RawHttpServer server([](RawConnection& connection) {
    const std::string chunk = Chunk(std::string(std::size_t{1} << 20, 'x'));
    for (auto request = connection.ReadRequest(); !request.empty();
         request = connection.ReadRequest()) {
      if (request.find("watch=") == std::string::npos) {
        connection.Answer(R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":)"
                          R"({"resourceVersion":"5"},"items":[]})",
                          "Content-Type: application/json\r\n");
        continue;
      }
      connection.Send(
          "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
          "Transfer-Encoding: chunked\r\n\r\n");
      connection.Send(Chunk(R"({"type":"ADDED","object":{"kind":")"));
      while (connection.Send(chunk)) {
      }
      return;
    }
  });
  cache::SharedInformerOptions options;
  options.reflector.useWatchList = false;
  options.reflector.backoff = {.initial = 1ms, .max = 1ms};
  const auto client = kubernetes::Clientset::New({.host = server.url()}).value();
  const auto informer = cache::SharedIndexInformer<ConfigMap>::New(
      cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("").core()), options);
  std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });
  while (informer.Status().relists < 2) std::this_thread::yield();
}

}  // namespace
}  // namespace k8s::test
