#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "informer_fixture.hpp"

namespace k8s::cache {
namespace {

using namespace std::chrono_literals;
using test::Item;
using testing::HasSubstr;

class WaitForResourceVersionTest : public test::InformerFixture {
 protected:
  [[nodiscard]] Result<void> Wait(const std::string& version,
                                  Clock::Duration timeout = 1min) const {
    return informer_.WaitForResourceVersion(version, timeout, {});
  }
};

TEST_F(WaitForResourceVersionTest, AfterwardsTheStoreShowsTheWrite) {
  StartAndSync();
  for (int i = 0; i < 200; ++i) {
    const std::string name = std::to_string(i % 10);
    const auto written = i < 10 ? source_->Add({.name = name})
                                : source_->Modify({.name = name, .value = std::to_string(i)});
    ASSERT_TRUE(Wait(written->resourceVersion).has_value());
    const auto read = informer_.GetIndexer().GetByKey("default/" + name);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->value, written->value);
  }
  const auto deleted = source_->Delete({.name = "3"});
  ASSERT_TRUE(Wait(deleted->resourceVersion).has_value());
  EXPECT_FALSE(informer_.GetIndexer().GetByKey("default/3"));
}

TEST_F(WaitForResourceVersionTest, ACompleteStateCounts) {
  const auto written = source_->Add({.name = "a"});
  std::atomic<bool> waited = false;
  std::jthread waiting([&] {
    EXPECT_TRUE(Wait(written->resourceVersion).has_value());
    waited = true;
  });
  StartAndSync();
  waiting.join();
  EXPECT_TRUE(waited);
}

TEST_F(WaitForResourceVersionTest, ManyMayWaitForDifferentVersions) {
  StartAndSync();
  const auto first = source_->Add({.name = "a"});
  const auto base = std::stoi(first->resourceVersion);
  std::vector<std::jthread> waiting;
  for (int i = 1; i <= 8; ++i) {
    waiting.emplace_back([&, i] { EXPECT_TRUE(Wait(std::to_string(base + i)).has_value()); });
  }
  for (int i = 1; i <= 8; ++i) source_->Modify({.name = "a"});
}

TEST_F(WaitForResourceVersionTest, OpaqueVersionsAreRefused) {
  StartAndSync();
  for (const char* version : {"", "0", "012", "abc", "12x", "-1"}) {
    SCOPED_TRACE(version);
    const auto waited = Wait(version);
    ASSERT_FALSE(waited.has_value());
    EXPECT_EQ(waited.error().kind, ErrorKind::kInvalidArgument);
    EXPECT_THAT(waited.error().message, HasSubstr("\"" + std::string(version) + "\""));
  }
}

TEST_F(WaitForResourceVersionTest, ATimeoutNamesResourceAndVersions) {
  const auto there = source_->Add({.name = "a"});
  StartAndSync();
  const auto waited = Wait("999999", 0ms);
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::kTimeout);
  EXPECT_EQ(waited.error().resource, "items");
  EXPECT_EQ(waited.error().group, "test.example");
  EXPECT_EQ(waited.error().message,
            "items.test.example: resource version 999999 was not applied; the store is at \"" +
                there->resourceVersion + "\" after 0 s");
  EXPECT_TRUE(Wait(there->resourceVersion, 0ms).has_value()) << "asks without waiting";
}

TEST_F(WaitForResourceVersionTest, ATimeoutTellsTheLastFailure) {
  source_->FailLists(1 << 20, {.kind = ErrorKind::kStatus, .code = 403, .message = "forbidden"});
  Start();
  while (!informer_.Status().lastError) std::this_thread::yield();
  const auto waited = Wait("5", 0ms);
  ASSERT_FALSE(waited.has_value());
  EXPECT_THAT(waited.error().message, HasSubstr("; list: forbidden"));
}

TEST_F(WaitForResourceVersionTest, AStopOfTheCallerEndsIt) {
  StartAndSync();
  std::stop_source stop;
  std::jthread stopping([&] { stop.request_stop(); });
  const auto waited =
      informer_.WaitForResourceVersion("999999", Clock::Duration::max(), stop.get_token());
  ASSERT_FALSE(waited.has_value());
  EXPECT_EQ(waited.error().kind, ErrorKind::kCancelled);
}

TEST_F(WaitForResourceVersionTest, TheEndOfTheInformerEndsIt) {
  const auto there = source_->Add({.name = "a"});
  StartAndSync();
  std::jthread waiting([&] {
    const auto waited = informer_.WaitForResourceVersion("999999", Clock::Duration::max(), {});
    ASSERT_FALSE(waited.has_value());
    EXPECT_EQ(waited.error().kind, ErrorKind::kClosed);
  });
  Stop();
  waiting.join();
  EXPECT_TRUE(Wait(there->resourceVersion).has_value()) << "the store still has it";
}

TEST_F(WaitForResourceVersionTest, AHandlerMayWaitForItsOwnInformer) {
  Result<void> waited = Cancelled("not called");
  test::Gate done;
  ASSERT_TRUE(informer_
                  .AddEventHandler({.onAdd =
                                        [&](const ObjectPtr<Item>& item, bool) {
                                          if (item->name != "a") return;
                                          const auto next = source_->Add({.name = "b"});
                                          waited = Wait(next->resourceVersion);
                                          done.Open();
                                        }})
                  .has_value());
  StartAndSync();
  source_->Add({.name = "a"});
  done.Wait();
  EXPECT_TRUE(waited.has_value());
  Stop();
}

}  // namespace
}  // namespace k8s::cache
