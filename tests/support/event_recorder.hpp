#pragma once

#include <k8s/cache/shared_informer.hpp>
#include <k8s/runtime/object_type.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace k8s::test {

/// What a handler was told, as text: "add ns/name", "update ns/name", "delete ns/name"; and the
/// state that follows from it. A wrong order (an add of a known key, an update or delete of an
/// unknown one) is kept in `faults`.
///
/// Thread safety. Guarded by `mutex`; `Set` and `Remove` take it.
template <class T>
struct EventRecord {
  void Set(const char* what, const ObjectPtr<T>& object, bool known) {
    const auto& metadata = object->metadata;
    const std::string key =
        metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
    const std::lock_guard lock(mutex);
    if (state.contains(key) != known) faults.push_back(std::string(what) + " " + key);
    state[key] = object;
    events.push_back(std::string(what) + " " + key);
    changed.notify_all();
  }
  void Remove(const std::string& key) {
    const std::lock_guard lock(mutex);
    if (state.erase(key) == 0) faults.push_back("delete " + key);
    events.push_back("delete " + key);
    changed.notify_all();
  }
  [[nodiscard]] bool Saw(const std::string& event) const {
    return std::find(events.begin(), events.end(), event) != events.end();
  }
  [[nodiscard]] ObjectPtr<T> Find(const std::string& key) const {
    const auto found = state.find(key);
    return found == state.end() ? nullptr : found->second;
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::string> events;
  std::map<std::string, ObjectPtr<T>> state;
  std::vector<std::string> faults;
};

/// Records what its handlers are told. They share the record, so that an informer may outlive the
/// recorder.
///
/// Thread safety. All members may be called from any thread.
template <class T>
class EventRecorder {
 public:
  cache::ResourceEventHandlerFuncs<T> Handlers() {
    return {.onAdd = [record = record_](const ObjectPtr<T>& object,
                                        bool) { record->Set("add", object, false); },
            .onUpdate =
                [record = record_](const ObjectPtr<T>& before, const ObjectPtr<T>& after) {
                  if (before != after) record->Set("update", after, true);
                },
            .onDelete = [record = record_](
                            const cache::DeletedObject<T>& gone) { record->Remove(gone.key); }};
  }

  /// Waits until `done` holds of the record, which is locked then. Returns false after `timeout`,
  /// which is there for broken programs only.
  bool WaitFor(const std::function<bool(const EventRecord<T>&)>& done,
               std::chrono::seconds timeout = std::chrono::seconds(60)) {
    std::unique_lock lock(record_->mutex);
    return record_->changed.wait_for(lock, timeout, [&] { return done(*record_); });
  }
  bool WaitForEvent(const std::string& event) {
    return WaitFor([&](const EventRecord<T>& seen) { return seen.Saw(event); });
  }
  bool WaitForCount(std::size_t count) {
    return WaitFor([&](const EventRecord<T>& seen) { return seen.state.size() == count; });
  }

  [[nodiscard]] std::vector<std::string> Events() const { return Copy(record_->events); }
  [[nodiscard]] std::map<std::string, ObjectPtr<T>> State() const { return Copy(record_->state); }
  [[nodiscard]] std::vector<std::string> Faults() const { return Copy(record_->faults); }

 private:
  template <class Part>
  Part Copy(const Part& part) const {
    const std::lock_guard lock(record_->mutex);
    return part;
  }

  const std::shared_ptr<EventRecord<T>> record_ = std::make_shared<EventRecord<T>>();
};

}  // namespace k8s::test
