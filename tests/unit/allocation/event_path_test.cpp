// What an event of an open watch costs in a reflector that nobody measures. A program of its own:
// it replaces operator new.

#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/reflector.hpp>
#include <k8s/cache/reflector_store.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/recording_metrics.hpp"
#include "support/scripted_list_watch.hpp"

namespace {
thread_local std::uint64_t allocations = 0;
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }

namespace k8s::test {
namespace {

constexpr std::uint64_t kWarmUp = 100;
constexpr std::uint64_t kEvents = 1000;

class NoStore final : public cache::ReflectorStore {
 public:
  Result<void> Add(runtime::AnyPtr) override { return {}; }
  Result<void> Update(runtime::AnyPtr) override { return {}; }
  Result<void> Delete(runtime::AnyPtr) override { return {}; }
  Result<void> Replace(std::vector<runtime::AnyPtr>, std::string_view) override { return {}; }
  Result<void> Resync() override { return {}; }
  Result<void> Bookmark(std::string_view) override { return {}; }
  [[nodiscard]] runtime::AnyPtr Known(std::string_view) const override { return nullptr; }
};

/// One watch of updates and bookmarks that counts what is allocated between them.
class CountingWatch final : public watch::Interface {
 public:
  CountingWatch(std::stop_source& stop, std::uint64_t& counted) : stop_(stop), counted_(counted) {}

  Result<std::optional<watch::Event>> Next(std::stop_token) override {
    if (next_ == kWarmUp) counted_ = allocations;
    if (next_ == kWarmUp + kEvents) {
      counted_ = allocations - counted_;
      stop_.request_stop();
      return Cancelled("watch");
    }
    ++next_;
    const bool bookmark = next_ % 10 == 0;
    return watch::Event{
        .type = bookmark ? watch::EventType::kBookmark : watch::EventType::kModified,
        .object = bookmark ? nullptr : object_,
        .resourceVersion = "11"};
  }

 private:
  const runtime::AnyPtr object_ = MakeThing("a", "11");
  std::stop_source& stop_;
  std::uint64_t& counted_;
  std::uint64_t next_ = 0;
};

std::uint64_t AllocationsOfEvents(std::shared_ptr<cache::InformerMetrics> metrics) {
  std::stop_source stop;
  std::uint64_t counted = 0;
  const auto source = std::make_shared<cache::ListWatch>(
      [](const auto&, const auto&, auto) { return cache::ListResult{.resourceVersion = "10"}; },
      [&](const auto&, auto) -> Result<std::unique_ptr<watch::Interface>> {
        return std::unique_ptr<watch::Interface>(std::make_unique<CountingWatch>(stop, counted));
      });
  NoStore store;
  cache::ReflectorOptions options{.useWatchList = false};
  options.metrics = std::move(metrics);
  cache::Reflector(ThingType(), source, store, options).Run(stop.get_token());
  return counted;
}

TEST(EventPathTest, AllocatesNothingWithoutMetrics) { EXPECT_EQ(AllocationsOfEvents(nullptr), 0u); }

TEST(EventPathTest, AllocationsOfMetricsWouldBeSeen) {
  EXPECT_GE(AllocationsOfEvents(std::make_shared<RecordingMetrics>()), kEvents);
}

}  // namespace
}  // namespace k8s::test
