#pragma once

#include <k8s/cache/shared_informer.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace k8s::test {

/// What a handler was told, as text: "add ns/name", "update ns/name", "delete ns/name"; and the
/// state that follows from it. A wrong order (an add of a known key, an update or delete of an
/// unknown one) is kept in `faults`.
///
/// Thread safety. All members may be called from any thread.
template <class T>
class EventRecorder {
 public:
  /// Handlers that tell this recorder, which must outlive them.
  cache::ResourceEventHandlerFuncs<T> Handlers() {
    return {.onAdd = [this](const ObjectPtr<T>& object, bool) { Set("add", object, false); },
            .onUpdate =
                [this](const ObjectPtr<T>& before, const ObjectPtr<T>& after) {
                  if (before != after) Set("update", after, true);
                },
            .onDelete = [this](const cache::DeletedObject<T>& gone) { Remove(gone.key); }};
  }

  /// Waits until `done` holds of the events and the state. Returns false after `timeout`, which is
  /// there for broken programs only.
  bool WaitFor(const std::function<bool(const EventRecorder&)>& done,
               std::chrono::seconds timeout = std::chrono::seconds(60)) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return done(*this); });
  }
  bool WaitForEvent(const std::string& event) {
    return WaitFor([&](const EventRecorder& seen) { return seen.Saw(event); });
  }
  bool WaitForCount(std::size_t count) {
    return WaitFor([&](const EventRecorder& seen) { return seen.state_.size() == count; });
  }

  // Without a lock, for `done` alone.
  [[nodiscard]] bool Saw(const std::string& event) const {
    for (const auto& seen : events_) {
      if (seen == event) return true;
    }
    return false;
  }
  [[nodiscard]] ObjectPtr<T> Find(const std::string& key) const {
    const auto found = state_.find(key);
    return found == state_.end() ? nullptr : found->second;
  }

  [[nodiscard]] std::vector<std::string> Events() {
    const std::lock_guard lock(mutex_);
    return events_;
  }
  [[nodiscard]] std::map<std::string, ObjectPtr<T>> State() {
    const std::lock_guard lock(mutex_);
    return state_;
  }
  [[nodiscard]] std::vector<std::string> Faults() {
    const std::lock_guard lock(mutex_);
    return faults_;
  }

 private:
  void Set(const char* what, const ObjectPtr<T>& object, bool known) {
    const auto& metadata = object->metadata;
    const std::string key =
        metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
    const std::lock_guard lock(mutex_);
    if (state_.contains(key) != known) faults_.push_back(std::string(what) + " " + key);
    state_[key] = object;
    events_.push_back(std::string(what) + " " + key);
    changed_.notify_all();
  }
  void Remove(const std::string& key) {
    const std::lock_guard lock(mutex_);
    if (state_.erase(key) == 0) faults_.push_back("delete " + key);
    events_.push_back("delete " + key);
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> events_;
  std::map<std::string, ObjectPtr<T>> state_;
  std::vector<std::string> faults_;
};

}  // namespace k8s::test
