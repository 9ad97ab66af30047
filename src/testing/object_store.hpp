#pragma once

#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include "connection.hpp"
#include "selection.hpp"
#include "served_resource.hpp"
#include "stored_object.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {

enum class ChangeType { kAdded, kModified, kDeleted };

/// One entry of a resource's history. `object` of a deletion is the last state with the deletion's
/// version.
struct Change {
  ChangeType type = ChangeType::kAdded;
  ObjectRef object;
  ObjectRef previous;  ///< Null for kAdded.
};

/// Something that an open watch has to do next.
struct WatchItem {
  enum class Kind { kEvent, kBookmark, kInitialEventsEnd, kRaw, kEnd, kReset, kStall };
  Kind kind = Kind::kEvent;
  ChangeType type = ChangeType::kAdded;  ///< kEvent
  ObjectRef object = {};                 ///< kEvent
  std::uint64_t version = 0;             ///< kBookmark, kInitialEventsEnd
  std::string bytes = {};                ///< kRaw
};

/// An open watch. Everything but the constants is guarded by the store.
struct Watcher {
  RecordedRequest request;
  std::shared_ptr<const ServedResource> resource;
  Selection selection;
  Connection* connection = nullptr;

  std::uint64_t after = 0;  ///< Changes up to this version are none of its business.
  std::deque<WatchItem> queue = {};
  bool idle = false;     ///< The stream has sent all that was queued.
  bool stalled = false;  ///< It never will again.
};

/// Where a watch begins.
struct WatchStart {
  bool from_state = false;    ///< The present objects first, as ADDED.
  bool mark_end = false;      ///< A bookmark after them.
  std::uint64_t version = 0;  ///< Without from_state: the changes after this version. 0: from now.
};

struct ListQuery {
  std::optional<std::uint64_t> version = std::nullopt;  ///< Default: the newest.
  std::string start = {};                               ///< First key that counts.
  std::size_t limit = 0;                                ///< 0: all.
};

struct ListPage {
  std::vector<ObjectRef> items;
  std::uint64_t version = 0;
  std::string next;           ///< Key to go on from. Empty: this was the last page.
  std::size_t remaining = 0;  ///< Objects from `next` on.
};

/// What a write makes of an object.
struct WriteDecision {
  std::optional<Json> object = std::nullopt;  ///< The new state. None: delete.
  bool dry_run = false;
};

/// The state of a write's object after it.
struct WriteResult {
  ObjectRef object;
  bool created = false;
  bool deleted = false;
};

/// All objects with their history, and the open watches on them. Resource versions are counted over
/// all resources together.
///
/// Thread safety. All members may be called from any thread; one mutex guards all.
class ObjectStore {
 public:
  ObjectStore(std::size_t history_size, std::uint64_t first_version);

  /// Looks at the live object (or null) and writes what `decide` says, in one step. An object whose
  /// deletion waits for finalizers goes when the last one does. A write that changes nothing makes
  /// no version. `decide` runs under the lock.
  using Decide = std::function<Result<WriteDecision>(const ObjectRef& live)>;
  Result<WriteResult> Write(const ServedResource& resource, std::string_view namespace_,
                            std::string_view name, const Decide& decide);

  [[nodiscard]] ObjectRef Find(const ResourceInfo& resource, std::string_view namespace_,
                               std::string_view name) const;
  [[nodiscard]] std::size_t Count(const GroupResource& resource) const;
  /// Errors: 410 for versions that the history does not reach, 504 for those of the future.
  [[nodiscard]] Result<ListPage> List(const ResourceInfo& resource, const Selection& selection,
                                      const ListQuery& query) const;

  /// Errors: 410, as List.
  Result<std::shared_ptr<Watcher>> Watch(Watcher watcher, const WatchStart& start);
  void Unwatch(const std::shared_ptr<Watcher>& watcher);
  /// Takes all that is queued. Nothing: the watch counts as idle until something is.
  std::deque<WatchItem> Take(Watcher& watcher);
  /// Queues an item for every watch that matches; bookmarks get the present version.
  std::size_t Post(const RequestMatch& match, const WatchItem& item);
  /// The same for one watch, by its own thread.
  void PostTo(Watcher& watcher, WatchItem item);
  /// The watch will send nothing more: it counts as idle whatever is queued.
  void SetIdle(Watcher& watcher);
  [[nodiscard]] std::size_t OpenWatches(const RequestMatch& match) const;
  bool WaitForOpenWatches(const RequestMatch& match, std::size_t count,
                          std::chrono::milliseconds timeout) const;

  [[nodiscard]] std::uint64_t version() const;
  void SetVersion(std::uint64_t version);
  void Compact();

 private:
  struct Collection {
    std::map<std::string, ObjectRef, std::less<>> objects;
    std::deque<Change> history;
    std::uint64_t forgotten = 0;  ///< Changes up to this version are no longer in the history.
  };
  using Overlay = std::map<std::string, ObjectRef, std::less<>>;

  static GroupResource KeyOf(const ResourceInfo& resource) {
    return {resource.group, resource.plural};
  }
  [[nodiscard]] const Collection* FindCollection(const GroupResource& resource) const;
  Result<WriteResult> Commit(const ServedResource& resource, Collection& collection,
                             const ObjectRef& live, WriteDecision decision);
  void Record(const ServedResource& resource, Collection& collection, Change change);
  static Overlay UndoTo(const Collection& collection, std::uint64_t version);
  static std::optional<WatchItem> Seen(const Watcher& watcher, const Change& change);
  void Enqueue(Watcher& watcher, WatchItem item) const;
  void QueueInitial(Watcher& watcher, const Collection& collection, const WatchStart& start) const;
  [[nodiscard]] std::pair<std::size_t, bool> CountWatches(const RequestMatch& match) const;

  const std::size_t history_size_;
  mutable std::mutex mutex_;
  mutable std::condition_variable watches_changed_;
  std::uint64_t version_;
  std::map<GroupResource, Collection> collections_;
  std::list<std::shared_ptr<Watcher>> watchers_;
};

}  // namespace k8s::inline v0::testing
