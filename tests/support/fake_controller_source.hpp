#pragma once

#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/error.hpp>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "support/item.hpp"

namespace k8s::test {

/// A server of Items in memory: lists and watches like an API server, without one. The verbs set
/// resourceVersion, and uid for new objects. Mirrors framework.FakeControllerSource.
///
/// Thread safety. All members may be called from any thread.
class FakeControllerSource final : public cache::ListerWatcher {
 public:
  // The verbs return the object as it is on the server from now on.
  ObjectPtr<Item> Add(Item item) { return Change(watch::EventType::kAdded, std::move(item), true); }
  ObjectPtr<Item> Modify(Item item) {
    return Change(watch::EventType::kModified, std::move(item), true);
  }
  ObjectPtr<Item> Delete(Item item) {
    return Change(watch::EventType::kDeleted, std::move(item), true);
  }

  // The same, lost on the way to watchers: only a new list shows it.
  void AddDropWatch(Item item) { Change(watch::EventType::kAdded, std::move(item), false); }
  void ModifyDropWatch(Item item) { Change(watch::EventType::kModified, std::move(item), false); }
  void DeleteDropWatch(Item item) { Change(watch::EventType::kDeleted, std::move(item), false); }

  /// Ends all watches; what happened until now can only be listed.
  void ResetWatch() {
    const std::lock_guard lock(mutex_);
    compacted_ = ++version_;
    history_.clear();
    ++generation_;
    changed_.notify_all();
  }
  /// Ends all watches in an orderly way.
  void CloseWatches() {
    const std::lock_guard lock(mutex_);
    ++generation_;
    changed_.notify_all();
  }
  /// The next `times` lists fail.
  void FailLists(int times, Error error) {
    const std::lock_guard lock(mutex_);
    list_failures_ = times;
    list_error_ = std::move(error);
  }
  /// Lists wait until `ReleaseLists`.
  void HoldLists() {
    const std::lock_guard lock(mutex_);
    hold_lists_ = true;
  }
  void ReleaseLists() {
    const std::lock_guard lock(mutex_);
    hold_lists_ = false;
    changed_.notify_all();
  }
  /// Waits until a watch is open that has read everything.
  void WaitForWatcher() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return idle_watches_ > 0; });
  }
  [[nodiscard]] std::map<std::string, ObjectPtr<Item>> Objects() const {
    const std::lock_guard lock(mutex_);
    return objects_;
  }

  Result<cache::ListResult> List(const metav1::ListOptions&, const cache::VisitFunc& visit,
                                 std::stop_token stop) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return !hold_lists_; });
    if (stop.stop_requested()) return Cancelled("list");
    if (list_failures_ > 0) {
      --list_failures_;
      return list_error_;
    }
    const auto objects = objects_;
    const std::uint64_t version = version_;
    lock.unlock();
    for (const auto& [key, object] : objects) visit(std::make_shared<Item>(*object));
    return cache::ListResult{.resourceVersion = std::to_string(version)};
  }

  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token) override {
    const std::lock_guard lock(mutex_);
    const std::uint64_t from = std::stoull(options.resourceVersion);
    if (from < compacted_) {
      return Error{
          .kind = ErrorKind::kStatus, .code = 410, .reason = "Expired", .message = "too old"};
    }
    return std::make_unique<OpenWatch>(*this, from, generation_);
  }

  [[nodiscard]] bool SupportsWatchList() const override { return false; }

 private:
  class OpenWatch final : public watch::Interface {
   public:
    OpenWatch(FakeControllerSource& source, std::uint64_t seen, std::uint64_t generation)
        : source_(source), seen_(seen), generation_(generation) {}

    Result<std::optional<watch::Event>> Next(std::stop_token stop) override {
      std::unique_lock lock(source_.mutex_);
      const auto next = [&] { return source_.history_.upper_bound(seen_); };
      const auto ended = [&] { return generation_ != source_.generation_; };
      if (next() == source_.history_.end()) {
        ++source_.idle_watches_;
        source_.changed_.notify_all();
        source_.changed_.wait(lock, stop,
                              [&] { return ended() || next() != source_.history_.end(); });
        --source_.idle_watches_;
      }
      if (stop.stop_requested()) return Cancelled("watch");
      if (ended()) return std::optional<watch::Event>();
      const auto& [version, event] = *next();
      seen_ = version;
      return std::optional(event);
    }

   private:
    FakeControllerSource& source_;
    std::uint64_t seen_;
    const std::uint64_t generation_;
  };

  ObjectPtr<Item> Change(watch::EventType type, Item item, bool tell) {
    const std::lock_guard lock(mutex_);
    const std::string key = KeyOf(item);
    const std::string version = std::to_string(++version_);
    if (const auto known = objects_.find(key); item.uid.empty()) {
      item.uid = known != objects_.end() ? known->second->uid : "uid-" + version;
    }
    item.resourceVersion = version;
    auto object = MakeItem(std::move(item));
    if (type == watch::EventType::kDeleted) {
      objects_.erase(key);
    } else {
      objects_[key] = object;
    }
    if (tell) {
      // Watchers decode an object of their own.
      history_.emplace(version_, watch::Event{.type = type,
                                              .object = std::make_shared<Item>(*object),
                                              .resourceVersion = version});
      changed_.notify_all();
    }
    return object;
  }

  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::map<std::string, ObjectPtr<Item>> objects_;
  std::map<std::uint64_t, watch::Event> history_;
  std::uint64_t version_ = 1;
  std::uint64_t compacted_ = 0;
  std::uint64_t generation_ = 0;
  int idle_watches_ = 0;
  int list_failures_ = 0;
  Error list_error_;
  bool hold_lists_ = false;
};

}  // namespace k8s::test
