#include "object_store.hpp"

#include "fault_injector.hpp"
#include "status.hpp"

#include <algorithm>

namespace k8s::inline v0::testing {
namespace {

bool WaitsForNothingMore(const Json& object) {
  const Json* finalizers = At(object, {"metadata", "finalizers"});
  return At(object, {"metadata", "deletionTimestamp"}) != nullptr &&
         (finalizers == nullptr || finalizers->empty());
}

/// The smallest key of a namespace, and of everything for "".
std::string FirstKey(std::string_view namespace_) {
  return namespace_.empty() ? std::string() : StoredObject::MakeKey(namespace_, "");
}

/// Goes through the objects of two maps in the order of their keys; those of `over` win, and null
/// ones there hide. `visit` returns false to end it.
template <class Map, class Visit>
void ForEachMerged(const Map& under, const Map& over, const std::string& start, Visit visit) {
  auto low = under.lower_bound(start);
  auto high = over.lower_bound(start);
  while (low != under.end() || high != over.end()) {
    const bool take_over = high != over.end() && (low == under.end() || high->first <= low->first);
    if (take_over && low != under.end() && low->first == high->first) ++low;
    const auto& [key, object] = take_over ? *high++ : *low++;
    if (object && !visit(key, object)) return;
  }
}

}  // namespace

ObjectStore::ObjectStore(std::size_t history_size, std::uint64_t first_version)
    : history_size_(history_size), version_(first_version) {}

Result<WriteResult> ObjectStore::Write(const ServedResource& resource, std::string_view namespace_,
                                       std::string_view name, const Decide& decide) {
  const std::lock_guard lock(mutex_);
  Collection& collection = collections_[KeyOf(resource.info)];
  const auto found = collection.objects.find(StoredObject::MakeKey(namespace_, name));
  const ObjectRef live = found == collection.objects.end() ? nullptr : found->second;
  auto decision = decide(live);
  if (!decision) return decision.error();
  return Commit(resource, collection, live, std::move(*decision));
}

Result<WriteResult> ObjectStore::Commit(const ServedResource& resource, Collection& collection,
                                        const ObjectRef& live, WriteDecision decision) {
  WriteResult result;
  const std::uint64_t next = version_ + 1;
  result.deleted = live && (!decision.object || WaitsForNothingMore(*decision.object));
  result.created = !live && decision.object;
  if (decision.object) {
    result.object = MakeStored(resource, std::move(*decision.object), next);
    if (live && !result.deleted && WithVersion(*live, next)->body == result.object->body) {
      result.object = live;
      return result;
    }
  } else if (live) {
    result.object = WithVersion(*live, next);
  }
  if (decision.dry_run || !result.object) {
    // Nothing was written: the answer shows the version that is there.
    if (result.object) result.object = WithVersion(*result.object, live ? live->version : 0);
    return result;
  }
  version_ = next;
  const std::string key = result.object->Key();
  if (result.deleted) {
    collection.objects.erase(key);
  } else {
    collection.objects[key] = result.object;
  }
  Record(resource, collection,
         {result.deleted   ? ChangeType::kDeleted
          : result.created ? ChangeType::kAdded
                           : ChangeType::kModified,
          result.object, live});
  return result;
}

void ObjectStore::Record(const ServedResource& resource, Collection& collection, Change change) {
  for (const auto& watcher : watchers_) {
    if (KeyOf(watcher->resource->info) != KeyOf(resource.info)) continue;
    auto item = Seen(*watcher, change);
    if (!item) continue;
    Enqueue(*watcher, std::move(*item));
    watcher->connection->Signal();
  }
  collection.history.push_back(std::move(change));
  while (collection.history.size() > history_size_) {
    collection.forgotten = collection.history.front().object->version;
    collection.history.pop_front();
  }
}

std::optional<WatchItem> ObjectStore::Seen(const Watcher& watcher, const Change& change) {
  if (change.object->version <= watcher.after) return std::nullopt;
  const bool before = change.previous && watcher.selection.Matches(*change.previous);
  const bool now = change.type != ChangeType::kDeleted && watcher.selection.Matches(*change.object);
  if (!before && !now) return std::nullopt;
  WatchItem item;
  item.object = change.object;
  if (now) {
    item.type = before ? ChangeType::kModified : ChangeType::kAdded;
    return item;
  }
  item.type = ChangeType::kDeleted;
  // Who watches a selection gets the last state that was selected, with the version of the change.
  item.object = WithVersion(*change.previous, change.object->version);
  return item;
}

ObjectRef ObjectStore::Find(const ResourceInfo& resource, std::string_view namespace_,
                            std::string_view name) const {
  const std::lock_guard lock(mutex_);
  const Collection* collection = FindCollection(KeyOf(resource));
  if (collection == nullptr) return nullptr;
  const auto found = collection->objects.find(StoredObject::MakeKey(namespace_, name));
  return found == collection->objects.end() ? nullptr : found->second;
}

std::size_t ObjectStore::Count(const GroupResource& resource) const {
  const std::lock_guard lock(mutex_);
  const Collection* collection = FindCollection(resource);
  return collection == nullptr ? 0 : collection->objects.size();
}

const ObjectStore::Collection* ObjectStore::FindCollection(const GroupResource& resource) const {
  const auto found = collections_.find(resource);
  return found == collections_.end() ? nullptr : &found->second;
}

Result<ListPage> ObjectStore::List(const ResourceInfo& resource, const Selection& selection,
                                   const ListQuery& query) const {
  const std::lock_guard lock(mutex_);
  ListPage page;
  page.version = query.version.value_or(version_);
  if (page.version > version_) return TooLargeVersion(page.version, version_);
  const Collection* collection = FindCollection(KeyOf(resource));
  static const Collection kEmpty;
  if (collection == nullptr) collection = &kEmpty;
  if (page.version < collection->forgotten) return ExpiredList();
  const Overlay overlay = UndoTo(*collection, page.version);
  const std::string first = FirstKey(selection.Namespace());
  ForEachMerged(collection->objects, overlay, std::max(query.start, first),
                [&](const std::string& key, const ObjectRef& object) {
                  if (!key.starts_with(first)) return false;
                  if (query.limit > 0 && page.items.size() == query.limit) {
                    if (page.next.empty()) page.next = key;
                    ++page.remaining;
                    return !selection.Selective();
                  }
                  if (selection.Matches(*object)) page.items.push_back(object);
                  return true;
                });
  return page;
}

ObjectStore::Overlay ObjectStore::UndoTo(const Collection& collection, std::uint64_t version) {
  Overlay overlay;
  const auto& history = collection.history;
  for (auto change = history.rbegin(); change != history.rend(); ++change) {
    if (change->object->version <= version) break;
    overlay[change->object->Key()] = change->previous;
  }
  return overlay;
}

Result<std::shared_ptr<Watcher>> ObjectStore::Watch(Watcher watcher, const WatchStart& start) {
  const std::lock_guard lock(mutex_);
  const Collection& collection = collections_[KeyOf(watcher.resource->info)];
  if (!start.from_state && start.version != 0 && start.version < collection.forgotten) {
    return TooOldVersion(start.version, collection.forgotten);
  }
  auto shared = std::make_shared<Watcher>(std::move(watcher));
  QueueInitial(*shared, collection, start);
  watchers_.push_back(shared);
  watches_changed_.notify_all();
  return shared;
}

void ObjectStore::QueueInitial(Watcher& watcher, const Collection& collection,
                               const WatchStart& start) const {
  if (start.from_state) {
    for (const auto& [key, object] : collection.objects) {
      if (watcher.selection.Matches(*object)) watcher.queue.push_back({.object = object});
    }
  } else if (start.version != 0) {
    watcher.after = start.version;
    for (const Change& change : collection.history) {
      if (auto item = Seen(watcher, change)) watcher.queue.push_back(std::move(*item));
    }
  }
  if (start.mark_end) {
    watcher.queue.push_back({.kind = WatchItem::Kind::kInitialEventsEnd, .version = version_});
  }
}

void ObjectStore::Unwatch(const std::shared_ptr<Watcher>& watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.remove(watcher);
  watches_changed_.notify_all();
}

std::deque<WatchItem> ObjectStore::Take(Watcher& watcher) {
  const std::lock_guard lock(mutex_);
  watcher.idle = watcher.queue.empty();
  if (watcher.idle) watches_changed_.notify_all();
  return std::exchange(watcher.queue, {});
}

std::size_t ObjectStore::Post(const RequestMatch& match, const WatchItem& item) {
  const std::lock_guard lock(mutex_);
  std::size_t count = 0;
  for (const auto& watcher : watchers_) {
    if (!Matches(match, watcher->request)) continue;
    ++count;
    Enqueue(*watcher, item);
    watcher->connection->Signal();
  }
  return count;
}

void ObjectStore::PostTo(Watcher& watcher, WatchItem item) {
  const std::lock_guard lock(mutex_);
  Enqueue(watcher, std::move(item));
}

void ObjectStore::Enqueue(Watcher& watcher, WatchItem item) const {
  if (item.kind == WatchItem::Kind::kBookmark) item.version = version_;
  watcher.queue.push_back(std::move(item));
  watcher.idle = watcher.stalled;
}

void ObjectStore::SetIdle(Watcher& watcher) {
  const std::lock_guard lock(mutex_);
  watcher.idle = watcher.stalled = true;
  watches_changed_.notify_all();
}

std::pair<std::size_t, bool> ObjectStore::CountWatches(const RequestMatch& match) const {
  std::size_t count = 0;
  bool idle = true;
  for (const auto& watcher : watchers_) {
    if (!Matches(match, watcher->request)) continue;
    ++count;
    idle = idle && watcher->idle;
  }
  return {count, idle};
}

std::size_t ObjectStore::OpenWatches(const RequestMatch& match) const {
  const std::lock_guard lock(mutex_);
  return CountWatches(match).first;
}

bool ObjectStore::WaitForOpenWatches(const RequestMatch& match, std::size_t count,
                                     std::chrono::milliseconds timeout) const {
  std::unique_lock lock(mutex_);
  return watches_changed_.wait_for(lock, timeout,
                                   [&] { return CountWatches(match) == std::pair(count, true); });
}

std::uint64_t ObjectStore::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

void ObjectStore::SetVersion(std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  version_ = version;
}

void ObjectStore::Compact() {
  const std::lock_guard lock(mutex_);
  for (auto& [resource, collection] : collections_) {
    collection.history.clear();
    collection.forgotten = version_;
  }
}

}  // namespace k8s::inline v0::testing
