#pragma once

#include <k8s/cache/shared_informer.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/fake_controller_source.hpp"
#include "support/item.hpp"

namespace k8s::test {

/// What a handler was told, as text: "initial a=1", "add a=1", "update a=1 to 2", "sync a=1" (an
/// update from and to one object), "delete a=1", "lost a=1" (final state unknown).
/// Handlers own what they write to: a fixture's informer outlives the recorders of its tests.
class Recorder {
 public:
  cache::ResourceEventHandlerFuncs<Item> Handler() {
    return {.onAdd =
                [log = log_](const ObjectPtr<Item>& item, bool initial) {
                  log->Write((initial ? "initial " : "add ") + item->name + "=" + item->value);
                },
            .onUpdate =
                [log = log_](const ObjectPtr<Item>& before, const ObjectPtr<Item>& after) {
                  log->Write(before == after ? "sync " + after->name + "=" + after->value
                                             : "update " + after->name + "=" + before->value +
                                                   " to " + after->value);
                },
            .onDelete =
                [log = log_](const cache::DeletedObject<Item>& gone) {
                  log->Write((gone.finalStateUnknown ? "lost " : "delete ") + gone.object->name +
                             "=" + gone.object->value);
                }};
  }

  void Write(std::string event) { log_->Write(std::move(event)); }
  [[nodiscard]] std::vector<std::string> Events() const {
    const std::lock_guard lock(log_->mutex);
    return log_->events;
  }
  /// The events so far, forgotten here.
  std::vector<std::string> Take() {
    const std::lock_guard lock(log_->mutex);
    return std::exchange(log_->events, {});
  }
  /// Waits until `event` has come so many times. Fails the test after a time that is there for
  /// broken programs only.
  void WaitFor(const std::string& event, std::ptrdiff_t times = 1) {
    const auto& events = log_->events;
    std::unique_lock lock(log_->mutex);
    EXPECT_TRUE(log_->changed.wait_for(
        lock, std::chrono::seconds(60),
        [&] { return std::count(events.begin(), events.end(), event) >= times; }))
        << event << " has not come " << times << " times, but " << ::testing::PrintToString(events);
  }

 private:
  struct Log {
    void Write(std::string event) {
      const std::lock_guard lock(mutex);
      events.push_back(std::move(event));
      changed.notify_all();
    }
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::string> events;
  };
  const std::shared_ptr<Log> log_ = std::make_shared<Log>();
};

/// Opened once; whoever waits goes on.
class Gate {
 public:
  void Open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

/// An informer of Items over a fake source, which a test starts and stops.
class InformerFixture : public ::testing::Test {
 protected:
  explicit InformerFixture(cache::SharedInformerOptions options = {})
      : informer_(cache::SharedIndexInformer<Item>::New(source_, Fast(std::move(options)))) {}

  static cache::SharedInformerOptions Fast(cache::SharedInformerOptions options) {
    options.reflector.backoff = {
        .initial = std::chrono::milliseconds(1), .max = std::chrono::milliseconds(1), .jitter = 0};
    if (!options.reflector.watchErrorHandler) options.reflector.watchErrorHandler = [](auto&) {};
    return options;
  }

  void Start() {
    running_ = std::jthread([informer = informer_](std::stop_token stop) {
      EXPECT_TRUE(informer.Run(std::move(stop)).has_value());
    });
  }
  void StartAndSync() {
    Start();
    EXPECT_TRUE(informer_.core()->WaitForSync({}));
  }
  void Stop() { running_ = {}; }

  cache::ResourceEventHandlerRegistration Register(Recorder& recorder,
                                                   cache::HandlerOptions options = {}) {
    return informer_.AddEventHandler(recorder.Handler(), options).value();
  }

  /// Returns when all recorders have been told all that has happened at the source.
  void Settle(std::vector<Recorder*> recorders) {
    const std::string name = "settled-" + std::to_string(++settled_);
    source_->Add({.name = name});
    for (Recorder* recorder : recorders) recorder->WaitFor("add " + name + "=");
  }
  /// The events without those of Settle.
  static std::vector<std::string> Take(Recorder& recorder) {
    auto events = recorder.Take();
    std::erase_if(events, [](const auto& event) { return event.find("settled-") != event.npos; });
    return events;
  }

  const std::shared_ptr<FakeControllerSource> source_ = std::make_shared<FakeControllerSource>();
  const cache::SharedIndexInformer<Item> informer_;

 private:
  int settled_ = 0;
  std::jthread running_;
};

}  // namespace k8s::test
