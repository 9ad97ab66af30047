// What an informer makes of the watch streams of cases/json: which events it delivers, and whether
// it goes on from the last version or lists again.

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "support/case_file.hpp"
#include "support/event_recorder.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using testing::FakeApiServer;
using testing::FaultKind;

struct StreamCase {
  const char* file;
  std::vector<std::string> events;
  /// The version from which the next watch starts; "list": it lists first.
  std::string next;
};

void PrintTo(const StreamCase& row, std::ostream* out) { *out << row.file; }

const std::vector<std::string> kAddA{"add d/a"};
const std::vector<std::string> kAddUpdateA{"add d/a", "update d/a"};

const StreamCase kStreams[] = {
    {"basic", {"add d/a", "update d/a", "delete d/a"}, "13"},
    {"blank-lines", kAddUpdateA, "12"},
    {"bookmark-initial-events-end", kAddA, "20"},
    {"bookmark", {}, "20"},
    {"braces-in-strings", kAddUpdateA, "12"},
    {"crlf", kAddUpdateA, "12"},
    {"empty-body", {}, "list"},  // An end within a second and without an event.
    {"error-empty-object", {}, "list"},
    {"error-expired-410", kAddA, "list"},
    {"error-gone-410", {}, "list"},
    {"error-internal-500", {}, "list"},
    {"error-object-not-status", {}, "list"},
    {"error-too-many-429", {}, "5"},
    {"extra-fields", kAddA, "11"},
    {"html-body", {}, "list"},
    {"list-instead-of-events", {}, "list"},
    {"lowercase-type", {}, "list"},
    {"missing-object", {}, "list"},
    {"missing-type", {}, "list"},
    {"multibyte", kAddA, "11"},
    {"no-final-newline", kAddUpdateA, "12"},
    {"no-resource-version", kAddA, "5"},
    {"null-object", {}, "list"},
    {"object-before-type", kAddA, "11"},
    {"object-other-kind", {"add d/c"}, "13"},
    {"object-without-kind", {"add d/a", "add d/c"}, "13"},
    {"opaque-resource-version", kAddA, "abc/\xC3\xBC"},
    {"pretty-printed", kAddUpdateA, "12"},
    {"status-body-without-envelope", {}, "list"},
    {"truncated", kAddA, "11"},
    {"two-on-one-line", kAddUpdateA, "12"},
    {"unknown-type", kAddA, "list"},
};

class InformerStreamTest : public ::testing::TestWithParam<StreamCase> {
 protected:
  InformerStreamTest() {
    // The first list is of version 5; a second one may ask for the versions of the stream.
    server_.SetResourceVersion(100);
    server_.InjectFault({.kind = FaultKind::kRawAnswer,
                         .match = {.verb = "list"},
                         .status = 200,
                         .body = R"({"kind":"ConfigMapList","apiVersion":"v1",)"
                                 R"("metadata":{"resourceVersion":"5"},"items":[]})"});
    // The first watch gets the bytes; later ones are only looked at.
    server_.InjectFault({.kind = FaultKind::kRawAnswer,
                         .match = {.verb = "watch"},
                         .status = 200,
                         .body = testing::ReadTestData("cases/json/watch-configmaps-" +
                                                       std::string(GetParam().file) + ".txt")});
    server_.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}, .times = -1});
  }

  FakeApiServer server_;
};

TEST_P(InformerStreamTest, DeliversTheGoodEventsAndGoesOnRightly) {
  const auto client = kubernetes::Clientset::New(server_.config()).value();
  cache::SharedInformerOptions options;
  options.reflector.useWatchList = false;
  options.reflector.backoff = {.initial = 1ms, .max = 1ms};
  const auto informer = cache::SharedIndexInformer<corev1::ConfigMap>::New(
      cache::NewListWatchFromClient(client.CoreV1().ConfigMaps("d").core()), options);
  EventRecorder<corev1::ConfigMap> seen;
  ASSERT_TRUE(informer.AddEventHandler(seen.Handlers()));
  std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });

  ASSERT_TRUE(server_.WaitForRequests({.verb = "watch"}, 2));
  const auto& row = GetParam();
  EXPECT_TRUE(seen.WaitFor([&](const auto& so_far) {
    return std::all_of(row.events.begin(), row.events.end(),
                       [&](const auto& event) { return so_far.Saw(event); });
  }));
  std::vector<std::string> events = seen.Events();
  // What a list takes away again is another story.
  if (events.size() > row.events.size()) events.resize(row.events.size());
  EXPECT_EQ(events, row.events);

  const bool lists = row.next == "list";
  EXPECT_EQ(server_.RequestCount({.verb = "list"}), lists ? 2u : 1u);
  if (!lists) {
    EXPECT_EQ(server_.Requests({.verb = "watch"})[1].Param("resourceVersion"), row.next);
  }
}

INSTANTIATE_TEST_SUITE_P(Streams, InformerStreamTest, ::testing::ValuesIn(kStreams),
                         [](const auto& test) {
                           std::string name = test.param.file;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(InformerStreamsTest, TheTableHasEveryStream) {
  std::set<std::string> in_table;
  for (const auto& row : kStreams) {
    in_table.insert("watch-configmaps-" + std::string(row.file) + ".txt");
  }
  std::set<std::string> files;
  for (const auto& file : std::filesystem::directory_iterator(CLIENT_CPP_TEST_DATA "/cases/json")) {
    const std::string name = file.path().filename();
    if (name.starts_with("watch-configmaps-")) files.insert(name);
  }
  EXPECT_EQ(files, in_table);
}

/// Runs an informer whose first watch gets `file`, until its second watch is there and `handled`
/// events have reached `seen`: an informer that ends drops what its handlers have not had yet.
template <class T, class Client>
void RunUntilSecondWatch(FakeApiServer& server, const Client& resource, const std::string& file,
                         std::size_t handled, EventRecorder<T>& seen, std::vector<Error>& errors) {
  server.InjectFault({.kind = FaultKind::kRawAnswer,
                      .match = {.verb = "watch"},
                      .status = 200,
                      .body = testing::ReadTestData("cases/json/" + file)});
  server.InjectFault({.kind = FaultKind::kStall, .match = {.verb = "watch"}, .times = -1});
  cache::SharedInformerOptions options;
  options.reflector.useWatchList = false;
  options.reflector.watchErrorHandler = [&](const Error& error) { errors.push_back(error); };
  const auto informer =
      cache::SharedIndexInformer<T>::New(cache::NewListWatchFromClient(resource.core()), options);
  ASSERT_TRUE(informer.AddEventHandler(seen.Handlers()));
  std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });
  EXPECT_TRUE(server.WaitForRequests({.verb = "watch"}, 2));
  EXPECT_TRUE(seen.WaitForCount(handled));
}

TEST(InformerStreamsTest, ABadObjectIsReportedAndDoesNotEndTheStream) {
  FakeApiServer server;
  const auto client = kubernetes::Clientset::New(server.config()).value();
  EventRecorder<corev1::Secret> seen;
  std::vector<Error> errors;
  RunUntilSecondWatch(server, client.CoreV1().Secrets("d"), "watch-secrets-one-bad-event.txt", 1,
                      seen, errors);
  EXPECT_EQ(seen.Events(), std::vector<std::string>{"add d/b"});
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].reason, cache::kReasonObjectDecode);
  EXPECT_EQ(errors[0].name, "d/a");
}

TEST(InformerStreamsTest, ABookmarkNeedNotBeAWholeObject) {
  FakeApiServer server;
  const auto client = kubernetes::Clientset::New(server.config()).value();
  EventRecorder<corev1::Pod> seen;
  std::vector<Error> errors;
  RunUntilSecondWatch(server, client.CoreV1().Pods(""), "watch-pods-bookmark-null-containers.txt",
                      0, seen, errors);
  EXPECT_TRUE(errors.empty());
  EXPECT_EQ(server.Requests({.verb = "watch"})[1].Param("resourceVersion"), "20");
}

// An item of a list that cannot be read is reported; the others are there.
TEST(InformerStreamsTest, ABadItemOfAListIsReportedAndLeftOut) {
  FakeApiServer server;
  server.InjectFault({.kind = FaultKind::kRawAnswer,
                      .match = {.verb = "list"},
                      .status = 200,
                      .body = testing::ReadTestData("cases/json/list-secrets-one-bad-item.json")});
  const auto client = kubernetes::Clientset::New(server.config()).value();
  EventRecorder<corev1::Secret> seen;
  std::vector<Error> errors;
  RunUntilSecondWatch(server, client.CoreV1().Secrets("d"), "watch-configmaps-bookmark.txt", 2,
                      seen, errors);
  EXPECT_EQ(seen.Events(), (std::vector<std::string>{"add a", "add c"}));
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].name, "b");
}

}  // namespace
}  // namespace k8s::test
