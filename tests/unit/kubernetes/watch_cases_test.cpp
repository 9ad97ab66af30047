#include <gtest/gtest.h>
#include <k8s/apis/core/v1.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/case_file.hpp"
#include "support/fake_transport.hpp"

/// The streams of cases/json through both kinds of clients: the events of the table, in its words.
namespace k8s::test {
namespace {

using kubernetes::ResourceClientCore;
using watch::EventType;

std::string Name(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
    case EventType::kBookmark:
      return "BOOKMARK";
    case EventType::kError:
      return "ERROR";
  }
  return {};
}

std::string Describe(const runtime::ObjectType& type, const watch::Event& event) {
  auto text = Name(event.type);
  if (event.type == EventType::kError) {
    if (event.status.code == 0) return text;
    return text + " code " + std::to_string(event.status.code) + " reason " + event.status.reason;
  }
  const auto name = event.object ? type.meta(event.object.get()).name : "(no name)";
  return text + " " + std::string(name) +
         " rv=" + (event.resourceVersion.empty() ? "(none)" : event.resourceVersion);
}

/// The events up to the first decode error or the end.
std::vector<std::string> Run(const std::shared_ptr<const runtime::ObjectType>& type,
                             std::vector<std::string> chunks) {
  auto transport = std::make_shared<FakeTransport>();
  transport->Add({.chunks = std::move(chunks)});
  const ResourceClientCore core(rest::Client::New({.qps = -1}, transport), type, "");
  auto watch = core.Watch({}, {}).value();
  std::vector<std::string> events;
  while (true) {
    auto event = watch->Next({});
    // A cut last event is dropped: an informer opens the watch again in both cases.
    const bool cut = !event && event.error().kind == ErrorKind::kConnectionLost;
    if (cut || (event && !*event)) {
      events.emplace_back("end");
      return events;
    }
    if (!event) {
      events.emplace_back("decode error");
      return events;
    }
    events.push_back(Describe(*type, **event));
  }
}

/// The words of a cell without kinds: "ADDED Secret s rv=11" is compared as "ADDED s rv=11".
std::vector<std::string> Words(std::string cell) {
  for (const char* kind : {"Secret ", "Pod ", "ConfigMap "}) {
    for (auto at = cell.find(kind); at != std::string::npos; at = cell.find(kind)) {
      cell.erase(at, std::string_view(kind).size());
    }
  }
  constexpr std::string_view kArrow = " \xe2\x86\x92 ";
  std::vector<std::string> words;
  for (std::size_t at = 0; at != std::string::npos;) {
    const auto end = cell.find(kArrow, at);
    words.push_back(cell.substr(at, end - at));
    if (words.back() == "decode error") break;
    at = end == std::string::npos ? end : end + kArrow.size();
  }
  return words;
}

std::vector<std::string> Bytes(const std::string& text) {
  std::vector<std::string> bytes;
  for (const char c : text) bytes.emplace_back(1, c);
  return bytes;
}

// Where the table's notes allow, or prefer, something else than client-go does.
const std::map<std::string, std::string> kTypedDeviations = {
    {"watch-configmaps-object-other-kind.txt", "decode error"},
    {"watch-configmaps-object-without-kind.txt",
     "ADDED a rv=11 \xe2\x86\x92 ADDED c rv=13 \xe2\x86\x92 end"},
    {"watch-configmaps-error-object-not-status.txt", "ERROR \xe2\x86\x92 end"},
};
const std::map<std::string, std::string> kDynamicDeviations = {
    {"watch-configmaps-error-object-not-status.txt", "ERROR \xe2\x86\x92 end"},
};

std::shared_ptr<const runtime::ObjectType> TypedFor(const std::string& file) {
  if (file.starts_with("watch-pods")) return kubernetes::StaticObjectType<corev1::Pod>();
  if (file.starts_with("watch-secrets")) return kubernetes::StaticObjectType<corev1::Secret>();
  return kubernetes::StaticObjectType<corev1::ConfigMap>();
}

void Check(const std::shared_ptr<const runtime::ObjectType>& type, const std::string& file,
           const std::string& cell, const std::map<std::string, std::string>& deviations) {
  const auto deviation = deviations.find(file);
  const auto expected = Words(deviation == deviations.end() ? cell : deviation->second);
  const auto body = testing::ReadTestData("cases/json/" + file);
  EXPECT_EQ(Run(type, {body}), expected);
  EXPECT_EQ(Run(type, Bytes(body)), expected) << "byte by byte";
}

TEST(WatchCasesTest, BothClientsSeeTheEventsOfTheTable) {
  int seen = 0;
  for (const auto& row : testing::ReadMarkdownTables("cases/json/EXPECTED.md")) {
    const auto file = row.column(0);
    if (!file.starts_with("watch-")) continue;
    SCOPED_TRACE(file);
    ++seen;
    Check(TypedFor(file), file, row.column(1), kTypedDeviations);
    const auto& dynamic = row.column(2) == "same" ? row.column(1) : row.column(2);
    Check(runtime::UnstructuredType({.version = "v1", .kind = {}, .plural = "configmaps"}), file,
          dynamic, kDynamicDeviations);
  }
  EXPECT_GT(seen, 25);
}

}  // namespace
}  // namespace k8s::test
