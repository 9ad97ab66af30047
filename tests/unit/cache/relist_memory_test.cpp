// A relist must not hold a second full set of decoded objects.

#include <k8s/cache/shared_informer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "support/item.hpp"
#include "support/scripted_list_watch.hpp"

namespace k8s::cache {
namespace {

using test::Item;

constexpr int kObjects = 1000;

/// Objects that are alive, and the most there were since `Reset`.
struct Census {
  std::atomic<int> alive = 0;
  std::atomic<int> most = 0;
  void Reset() { most = alive.load(); }

  runtime::AnyPtr Born(Item item) {
    most = std::max(most.load(), ++alive);
    return {new Item(std::move(item)), [this](const Item* dead) {
              --alive;
              delete dead;
            }};
  }
};

/// Lists `kObjects` objects each time anew; the first `changed` of them in another version than the
/// time before. Watches end with "expired", but for the last one. As pages, or as a stream.
class CountingSource final : public ListerWatcher {
 public:
  CountingSource(Census& census, int changed, bool streaming)
      : census_(census), changed_(changed), streaming_(streaming) {}

  Result<ListResult> List(const metav1::ListOptions&, const VisitFunc& visit,
                          std::stop_token) override {
    Begin();
    for (int i = 0; i < kObjects; ++i) visit(Object(i));
    return ListResult{.resourceVersion = Version()};
  }
  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token) override {
    if (options.sendInitialEvents.value_or(false)) Begin();
    return std::unique_ptr<watch::Interface>(
        std::make_unique<Stream>(*this, options.sendInitialEvents.value_or(false)));
  }
  [[nodiscard]] bool SupportsWatchList() const override { return streaming_; }

  std::atomic<int> states = 0;

 private:
  class Stream final : public watch::Interface {
   public:
    Stream(CountingSource& source, bool initial) : source_(source), next_(initial ? 0 : kObjects) {}
    Result<std::optional<watch::Event>> Next(std::stop_token stop) override {
      if (next_ < kObjects) {
        return watch::Event{.type = watch::EventType::kAdded,
                            .object = source_.Object(next_++),
                            .resourceVersion = source_.Version()};
      }
      if (next_++ == kObjects && source_.streaming_) {
        return watch::Event{.type = watch::EventType::kBookmark,
                            .resourceVersion = source_.Version(),
                            .initialEventsEnd = true};
      }
      if (source_.states > 1) return test::Hang()(stop).value();
      return watch::Event{.type = watch::EventType::kError,
                          .status = test::StatusError(410, "Expired")};
    }

   private:
    CountingSource& source_;
    int next_;
  };

  void Begin() {
    census_.Reset();
    ++states;
  }
  [[nodiscard]] std::string Version() const { return std::to_string(100 + states); }
  runtime::AnyPtr Object(int i) {
    return census_.Born({.name = std::to_string(i),
                         .uid = "u" + std::to_string(i),
                         .resourceVersion = std::to_string(i < changed_ ? 10 + states : 1)});
  }

  Census& census_;
  const int changed_;
  const bool streaming_;
};

class RelistMemoryTest : public ::testing::TestWithParam<bool> {
 protected:
  void RunUntilRelisted(int changed) {
    const auto source = std::make_shared<CountingSource>(census_, changed, GetParam());
    SharedInformerOptions options;
    options.reflector.useWatchList = GetParam();
    options.reflector.backoff = {
        .initial = std::chrono::milliseconds(1), .max = std::chrono::milliseconds(1), .jitter = 0};
    options.reflector.watchErrorHandler = [](const Error&) {};
    const auto informer = SharedIndexInformer<Item>::New(source, options);
    std::atomic<int> updates = 0;
    const auto registration =
        informer
            .AddEventHandler(
                {.onAdd = [&](const ObjectPtr<Item>&, bool) {},
                 .onUpdate = [&](const ObjectPtr<Item>&, const ObjectPtr<Item>&) { ++updates; }})
            .value();
    std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });
    ASSERT_TRUE(registration.WaitForSync(std::chrono::minutes(1), {}));
    const auto before = informer.GetIndexer().GetByKey("default/999");
    while (informer.Status().relists < 2 || informer.LastStoreSyncResourceVersion() != "102" ||
           registration.Stats().pending > 0) {
      std::this_thread::yield();
    }
    EXPECT_EQ(updates, changed);
    EXPECT_EQ(informer.GetIndexer().GetByKey("default/999"), before) << "keeps its pointer";
    EXPECT_EQ(informer.GetIndexer().size(), static_cast<std::size_t>(kObjects));
    most_ = census_.most;
  }

  Census census_;
  int most_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ways, RelistMemoryTest, ::testing::Bool(), [](const auto& test) {
  return test.param ? std::string("Streaming") : std::string("List");
});

TEST_P(RelistMemoryTest, UnchangedObjectsAreNeverThereTwice) {
  RunUntilRelisted(0);
  EXPECT_LE(most_, kObjects + 2);
}

TEST_P(RelistMemoryTest, OnlyChangedObjectsAreThereTwice) {
  RunUntilRelisted(100);
  EXPECT_LE(most_, kObjects + 100 + 2);
}

}  // namespace
}  // namespace k8s::cache
