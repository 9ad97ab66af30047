#include <k8s/cache/shared_informer.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_controller_source.hpp"
#include "support/item.hpp"

namespace k8s::cache {
namespace {

using test::FakeControllerSource;
using test::Item;

/// A handler that follows the store by its events alone, and finds fault with any event that does
/// not fit what came before.
class Follower {
 public:
  /// `pause` is called in each callback.
  ResourceEventHandlerFuncs<Item> Handler(std::function<void()> pause = [] {}) {
    return {.onAdd =
                [this, pause](const ObjectPtr<Item>& item, bool) {
                  pause();
                  Change(nullptr, item);
                },
            .onUpdate = [this](const ObjectPtr<Item>& before,
                               const ObjectPtr<Item>& after) { Change(before, after); },
            .onDelete =
                [this](const DeletedObject<Item>& gone) {
                  const std::lock_guard lock(mutex_);
                  Check(state_.erase(gone.key) == 1, "delete of an unknown " + gone.key);
                }};
  }

  /// After `informer` has removed it.
  void Removed() {
    const std::lock_guard lock(mutex_);
    removed_ = true;
  }
  /// After the informer has dropped it.
  void Dropped() {
    const std::lock_guard lock(mutex_);
    removed_ = dropped_ = true;
    changed_.notify_all();
  }
  /// Waits until it knows exactly these versions, or was dropped; the order within a list is
  /// arbitrary.
  [[nodiscard]] bool WaitFor(const std::map<std::string, std::string>& versions) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120),
                             [&] { return dropped_ || Versions() == versions; });
  }
  [[nodiscard]] bool IsDropped() const {
    const std::lock_guard lock(mutex_);
    return dropped_;
  }
  [[nodiscard]] bool WaitForKey(const std::string& key) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(120), [&] { return state_.contains(key); });
  }
  /// Requires: mutex_, or nobody calls the handler any more.
  [[nodiscard]] std::map<std::string, std::string> Versions() const {
    std::map<std::string, std::string> versions;
    for (const auto& [key, item] : state_) versions[key] = item->resourceVersion;
    return versions;
  }
  [[nodiscard]] std::vector<std::string> Faults() const {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

 private:
  void Change(const ObjectPtr<Item>& before, const ObjectPtr<Item>& after) {
    const std::lock_guard lock(mutex_);
    const std::string key = KeyOf(*after);
    const auto known = state_.find(key);
    if (before) {
      Check(known != state_.end() && known->second == before, "update of another " + key);
    } else {
      Check(known == state_.end(), "add of a known " + key);
    }
    state_[key] = after;
    changed_.notify_all();
  }
  void Check(bool fine, const std::string& fault) {
    if (!fine) faults_.push_back(fault);
    if (removed_) faults_.push_back("called after its removal");
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, ObjectPtr<Item>> state_;
  std::vector<std::string> faults_;
  bool removed_ = false;
  bool dropped_ = false;
};

struct Handler {
  std::unique_ptr<Follower> follower = std::make_unique<Follower>();
  HandlerOptions options;
  ResourceEventHandlerRegistration registration;
};

/// One informer, one source, and whatever a seed makes happen to them.
class Round {
 public:
  explicit Round(unsigned seed)
      : random_(seed), running_([this](std::stop_token stop) {
          Shake();
          EXPECT_TRUE(informer_.Run(std::move(stop)).has_value());
        }) {}

  void Play(int steps) {
    for (int step = 0; step < steps; ++step) {
      Act();
      Shake();
    }
  }

  // All that happened must have reached the store and every handler that is left.
  void ExpectSettled() {
    source_->ResetWatch();  // Only a list shows what was lost on the way.
    source_->Add({.name = "end"});
    std::map<std::string, std::string> expected;
    for (const auto& [key, item] : source_->Objects()) expected[key] = item->resourceVersion;
    Add(HandlerOptions());  // One that is not dropped: when it knows all, the store does.
    for (const Handler& handler : handlers_) {
      ASSERT_TRUE(handler.follower->WaitFor(expected));
      if (handler.follower->IsDropped()) continue;
      EXPECT_TRUE(handler.registration.WaitForSync(std::chrono::minutes(2), {}));
    }
    std::map<std::string, std::string> stored;
    for (const auto& item : informer_.GetIndexer().List()) {
      stored[KeyOf(*item)] = item->resourceVersion;
    }
    EXPECT_EQ(stored, expected);
  }

  void Stop() {
    running_ = {};
    for (Handler& handler : handlers_) handler.follower->Removed();
  }

  void ExpectNoFaults() const {
    for (const auto* handlers : {&handlers_, &removed_}) {
      for (const Handler& handler : *handlers) {
        EXPECT_EQ(handler.follower->Faults(), std::vector<std::string>());
        ExpectBounds(handler);
      }
    }
  }

  [[nodiscard]] unsigned Pick(unsigned n) { return random_() % n; }

 private:
  void Act() {
    const Item item{.name = "n" + std::to_string(Pick(6)), .value = std::to_string(Pick(100))};
    const bool known = source_->Objects().contains(KeyOf(item));
    switch (Pick(12)) {
      case 0:
        return Add();
      case 1:
        return Remove();
      case 2:
        return source_->ResetWatch();
      case 3:
        return source_->CloseWatches();
      case 4:
        return known ? source_->DeleteDropWatch(item) : source_->AddDropWatch(item);
      case 5:
        if (known) source_->ModifyDropWatch(item);
        return source_->ResetWatch();
      case 6:
      case 7:
        if (known) source_->Delete(item);
        return;
      default:
        known ? source_->Modify(item) : source_->Add(item);
    }
  }

  void Add(std::optional<HandlerOptions> options = std::nullopt) {
    Handler handler;
    handler.options = options ? *options : RandomOptions(*handler.follower);
    auto added = informer_.AddEventHandler(handler.follower->Handler(&Shake), handler.options);
    if (!added) return;
    handler.registration = *added;
    handlers_.push_back(std::move(handler));
  }

  void Remove() {
    if (handlers_.empty()) return;
    const auto at = handlers_.begin() + static_cast<std::ptrdiff_t>(Pick(handlers_.size()));
    informer_.RemoveEventHandler(at->registration);
    at->follower->Removed();
    removed_.push_back(std::move(*at));
    handlers_.erase(at);
  }

  HandlerOptions RandomOptions(Follower& follower) {
    constexpr PendingPolicy kPolicies[] = {PendingPolicy::kUnbounded, PendingPolicy::kBlock,
                                           PendingPolicy::kCoalesce, PendingPolicy::kDrop};
    return {.pending = kPolicies[Pick(4)],
            .maxPending = 1 + Pick(8),
            .onDropped = [&follower](const HandlerStats&) { follower.Dropped(); }};
  }

  static void ExpectBounds(const Handler& handler) {
    const auto stats = handler.registration.Stats();
    const auto policy = handler.options.pending;
    EXPECT_EQ(stats.pending, 0u) << "after the stop";
    EXPECT_EQ(stats.overflowed, handler.follower->IsDropped());
    EXPECT_TRUE(policy == PendingPolicy::kDrop || !stats.overflowed);
    EXPECT_TRUE(policy == PendingPolicy::kCoalesce || stats.coalesced == 0);
  }

  // Lets other threads go first, now and then.
  static void Shake() {
    thread_local std::minstd_rand random(
        static_cast<unsigned>(std::hash<std::thread::id>()(std::this_thread::get_id())));
    for (auto n = random() % 3; n > 0; --n) std::this_thread::yield();
  }

  static SharedInformerOptions Options() {
    SharedInformerOptions options;
    options.reflector.backoff = {.initial = std::chrono::microseconds(10),
                                 .max = std::chrono::microseconds(10),
                                 .jitter = 0};
    options.reflector.watchErrorHandler = [](const Error&) {};
    return options;
  }

  std::mt19937 random_;
  const std::shared_ptr<FakeControllerSource> source_ = std::make_shared<FakeControllerSource>();
  const SharedIndexInformer<Item> informer_ = SharedIndexInformer<Item>::New(source_, Options());
  std::vector<Handler> handlers_;
  std::vector<Handler> removed_;
  std::jthread running_;
};

// Every handler has a policy of its own, so that a blocking one stands beside one that is dropped.
// client-go: TestSharedInformerInitializationRace, TestSharedInformerStartRace,
// TestSharedInformerHandlerAbuse, TestHammerController
TEST(SharedInformerStressTest, EveryHandlerFollowsTheSourceThroughRandomInterleavings) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Round round(seed);
    round.Play(static_cast<int>(round.Pick(40)));
    round.ExpectSettled();
    round.Stop();
    round.ExpectNoFaults();
    if (testing::Test::HasFailure()) break;
  }
}

TEST(SharedInformerStressTest, AStopAtAnyTimeEndsAllCalls) {
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    Round round(seed);
    round.Play(static_cast<int>(round.Pick(20)));
    round.Stop();
    round.Play(5);
    round.ExpectNoFaults();
    if (testing::Test::HasFailure()) break;
  }
}

// Handlers that add and remove handlers, themselves too, while others do the same from outside.
TEST(SharedInformerStressTest, HandlersMayAddAndRemoveHandlersAtAnyTime) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    const auto source = std::make_shared<FakeControllerSource>();
    const auto informer = SharedIndexInformer<Item>::New(source);
    std::mutex mutex;
    std::vector<ResourceEventHandlerRegistration> registrations;
    const auto take_one = [&](std::size_t n) -> std::optional<ResourceEventHandlerRegistration> {
      const std::lock_guard lock(mutex);
      if (registrations.empty()) return std::nullopt;
      return registrations[n % registrations.size()];
    };
    ResourceEventHandlerFuncs<Item> handler;
    std::atomic<int> budget = 20;
    std::atomic<unsigned> calls = 0;
    handler.onAdd = [&](const ObjectPtr<Item>&, bool) {
      const unsigned n = seed + ++calls;
      if (const auto one = take_one(n)) informer.RemoveEventHandler(*one);
      if (--budget < 0) return;
      if (auto added = informer.AddEventHandler(handler)) {
        const std::lock_guard lock(mutex);
        registrations.push_back(*added);
      }
    };
    std::jthread running(
        [&](std::stop_token stop) { EXPECT_TRUE(informer.Run(std::move(stop)).has_value()); });
    for (int i = 0; i < 5; ++i) {
      auto added = informer.AddEventHandler(handler);
      ASSERT_TRUE(added.has_value());
      source->Add({.name = std::to_string(i)});
      if (i % 2 == 0) informer.RemoveEventHandler(*added);
    }
    Follower follower;
    ASSERT_TRUE(informer.AddEventHandler(follower.Handler()).has_value());
    EXPECT_TRUE(follower.WaitForKey("default/4"));
    running = {};
    EXPECT_EQ(follower.Faults(), std::vector<std::string>());
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace k8s::cache
