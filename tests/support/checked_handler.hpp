#pragma once

#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::test {

/// A notification as a value. Resyncs are none.
struct Told {
  enum class Kind { kInitialAdd, kAdd, kUpdate, kDelete, kLost };
  Kind kind = Kind::kAdd;  ///< kLost: a delete whose final state is unknown.
  std::string key = {};
  std::string uid = {};
  std::uint64_t version = 0;  ///< After an update; of the last state that is known of a delete.

  friend bool operator==(const Told&, const Told&) = default;
};

/// "update ns/a uid-3@17".
inline std::string ToString(const Told& told) {
  constexpr const char* kKinds[] = {"initial add ", "add ", "update ", "delete ", "lost "};
  return kKinds[static_cast<int>(told.kind)] + told.key + " " + told.uid + "@" +
         std::to_string(told.version);
}

/// A handler that follows an informer by its notifications alone and finds fault with every one
/// that does not fit those before: an add of what is known, an update from another state than the
/// last one told, a call after the end, a state told twice. Versions must be numbers.
///
/// Thread safety. All members may be called from any thread.
/// Lifetime. The functions own what they write to: an informer may outlive the handler.
template <class T>
class CheckedHandler {
 public:
  using State = std::map<std::string, ObjectPtr<T>>;

  /// What holds of the versions of one key.
  enum class Versions { kOnlyGrow, kMayGoBack };

  /// `afterwards` is called at the end of each call, without a lock.
  explicit CheckedHandler(Versions versions = Versions::kOnlyGrow,
                          std::function<void()> afterwards = {})
      : record_(std::make_shared<Record>(versions, std::move(afterwards))) {}

  [[nodiscard]] cache::ResourceEventHandlerFuncs<T> Functions() const {
    return {.onAdd = [record = record_](const ObjectPtr<T>& object,
                                        bool initial) { record->Add(object, initial); },
            .onUpdate = [record = record_](
                            const ObjectPtr<T>& before,
                            const ObjectPtr<T>& after) { record->Update(before, after); },
            .onDelete =
                [record = record_](const cache::DeletedObject<T>& gone) { record->Delete(gone); }};
  }

  /// No call may begin from now on.
  void End() {
    const std::lock_guard lock(record_->mutex);
    record_->ended = true;
  }
  /// Waits until it was told so much in all. Returns false after a time that is there for broken
  /// programs only.
  [[nodiscard]] bool WaitForTold(std::size_t total) const {
    std::unique_lock lock(record_->mutex);
    return record_->changed.wait_for(lock, kPatience, [&] { return record_->told >= total; });
  }
  /// Waits until `done` holds of the state that its notifications lead to. Returns as WaitForTold.
  [[nodiscard]] bool WaitForState(const std::function<bool(const State&)>& done) const {
    std::unique_lock lock(record_->mutex);
    return record_->changed.wait_for(lock, kPatience, [&] { return done(record_->state); });
  }

  /// What it was told since the last call, in order.
  [[nodiscard]] std::vector<Told> TakeLog() const {
    const std::lock_guard lock(record_->mutex);
    return std::exchange(record_->log, {});
  }
  [[nodiscard]] State state() const {
    const std::lock_guard lock(record_->mutex);
    return record_->state;
  }
  [[nodiscard]] std::vector<std::string> Faults() const {
    const std::lock_guard lock(record_->mutex);
    return record_->faults;
  }
  [[nodiscard]] std::size_t Resyncs() const {
    const std::lock_guard lock(record_->mutex);
    return record_->resyncs;
  }

 private:
  static constexpr std::chrono::seconds kPatience{60};

  struct Record {
    Record(Versions how, std::function<void()> then) : versions(how), afterwards(std::move(then)) {}

    void Add(const ObjectPtr<T>& object, bool initial) {
      {
        const std::lock_guard lock(mutex);
        Told add = Describe(initial ? Told::Kind::kInitialAdd : Told::Kind::kAdd, *object);
        Check(!state.contains(add.key), "add of what is known: ", add);
        Check(!initial || !live, "an initial add behind others: ", add);
        live |= !initial;
        Advance(add);
        state[add.key] = object;
        Write(std::move(add));
      }
      if (afterwards) afterwards();
    }
    void Update(const ObjectPtr<T>& before, const ObjectPtr<T>& after) {
      {
        const std::lock_guard lock(mutex);
        Told update = Describe(Told::Kind::kUpdate, *after);
        auto& known = state[update.key];
        Check(known == before, "update from another state than the last: ", update);
        if (before == after) {
          Check(!ended, "resync after the end: ", update);
          ++resyncs;
        } else {
          Check(!known || Meta(*known).uid == update.uid, "update to another uid: ", update);
          Advance(update);
          known = after;
          live = true;
          Write(std::move(update));
        }
      }
      if (afterwards) afterwards();
    }
    void Delete(const cache::DeletedObject<T>& gone) {
      {
        const std::lock_guard lock(mutex);
        Told removal = Describe(gone.finalStateUnknown ? Told::Kind::kLost : Told::Kind::kDelete,
                                *gone.object);
        Check(removal.key == gone.key, "delete under another key: ", removal);
        const auto known = state.find(gone.key);
        if (known == state.end()) {
          Check(false, "delete of what is not known: ", removal);
        } else {
          const Told last = Describe(Told::Kind::kUpdate, *known->second);
          Check(last.uid == removal.uid, "delete of another uid: ", removal);
          Check(gone.finalStateUnknown ? known->second == gone.object
                                       : last.version <= removal.version,
                "delete with another state: ", removal);
          state.erase(known);
        }
        live = true;
        Write(std::move(removal));
      }
      if (afterwards) afterwards();
    }

    static runtime::ObjectMetaView Meta(const T& object) {
      return runtime::ObjectTypeOf<T>().meta(&object);
    }
    static Told Describe(Told::Kind kind, const T& object) {
      const auto meta = Meta(object);
      return {.kind = kind,
              .key = cache::MetaNamespaceKey(meta),
              .uid = std::string(meta.uid),
              .version = std::stoull(std::string(meta.resourceVersion))};
    }
    void Advance(const Told& what) {
      auto& newest_of_key = newest[what.key];
      Check(versions == Versions::kMayGoBack || newest_of_key < what.version,
            "an old state, or one told before: ", what);
      newest_of_key = what.version;
    }
    void Write(Told what) {
      Check(!ended, "told after the end: ", what);
      log.push_back(std::move(what));
      ++told;
      changed.notify_all();
    }
    void Check(bool fine, std::string_view fault, const Told& what) {
      if (!fine) faults.push_back(std::string(fault) + ToString(what));
    }

    const Versions versions;
    const std::function<void()> afterwards;
    std::mutex mutex;
    std::condition_variable changed;
    State state;
    std::map<std::string, std::uint64_t> newest;
    std::vector<Told> log;
    std::size_t told = 0;
    std::size_t resyncs = 0;
    std::vector<std::string> faults;
    bool live = false;  ///< The initial adds are over.
    bool ended = false;
  };

  const std::shared_ptr<Record> record_;
};

}  // namespace k8s::test
