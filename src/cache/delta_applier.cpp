#include "cache/delta_applier.hpp"

#include <k8s/cache/object_name.hpp>
#include <k8s/cache/thread_safe_store.hpp>

#include <unordered_map>
#include <utility>

#include "cache/resource_version.hpp"

namespace k8s::inline v0::cache::detail {
namespace {

using Kind = Notification::Kind;

// `version`, or nothing if the store is further already.
std::string_view NotOlder(std::string_view version, const ThreadSafeStore& store) {
  return IsOlder(version, store.LastResourceVersion()) ? std::string_view() : version;
}

class Applier {
 public:
  explicit Applier(ThreadSafeStore& store) : store_(store) {}

  std::vector<Notification> Changes(Deltas&& deltas) {
    std::vector<ThreadSafeStore::Change> changes;
    changes.reserve(deltas.deltas.size());
    for (Delta& delta : deltas.deltas) {
      auto before = store_.Get(delta.key);
      if (delta.type == DeltaType::kDeleted) {
        if (!Delete(before, delta)) continue;
        changes.push_back({std::move(delta.key), nullptr});
      } else {
        if (before && !Supersedes(delta.object, before)) continue;
        Set(before, delta.object, false);
        changes.push_back({std::move(delta.key), std::move(delta.object)});
      }
    }
    store_.Apply(std::move(changes), NotOlder(deltas.resourceVersion, store_));
    return std::move(notifications_);
  }

  std::vector<Notification> Replace(Deltas&& deltas) {
    // Of two objects with one key the later counts.
    std::unordered_map<std::string_view, std::size_t> last;
    last.reserve(deltas.deltas.size());
    for (std::size_t i = 0; i < deltas.deltas.size(); ++i) last[deltas.deltas[i].key] = i;

    for (auto& key : store_.ListKeys()) {
      if (last.contains(key)) continue;
      const auto gone = store_.Get(key);
      NotifyOfLoss(gone, std::move(key));
    }
    std::vector<ThreadSafeStore::Change> content;
    content.reserve(last.size());
    for (std::size_t i = 0; i < deltas.deltas.size(); ++i) {
      Delta& delta = deltas.deltas[i];
      if (last.at(delta.key) != i) continue;
      auto before = store_.Get(delta.key);
      if (before && SameIdentity(before, delta.object) && SameVersion(before, delta.object)) {
        delta.object = std::move(before);  // Unchanged: the old pointer stays, nobody is told.
      } else {
        Set(before, delta.object, deltas.isInInitialList);
      }
    }
    last.clear();  // Views into the keys that are moved now.
    for (Delta& delta : deltas.deltas) {
      content.push_back({std::move(delta.key), std::move(delta.object)});
    }
    store_.Replace(std::move(content), deltas.resourceVersion);
    return std::move(notifications_);
  }

 private:
  runtime::ObjectMetaView Meta(const runtime::AnyPtr& object) const {
    return store_.type().meta(object.get());
  }
  // An object without a UID cannot be told from its successor.
  bool SameIdentity(const runtime::AnyPtr& a, const runtime::AnyPtr& b) const {
    const auto uid = Meta(a).uid;
    const auto other = Meta(b).uid;
    return uid == other || uid.empty() || other.empty();
  }
  bool SameVersion(const runtime::AnyPtr& a, const runtime::AnyPtr& b) const {
    const auto version = Meta(a).resourceVersion;
    return !version.empty() && version == Meta(b).resourceVersion;
  }
  bool Older(const runtime::AnyPtr& a, const runtime::AnyPtr& b) const {
    return IsOlder(Meta(a).resourceVersion, Meta(b).resourceVersion);
  }
  // Not the same state again, nor an older one: a watch that starts from an older version tells
  // what is known already once more, objects that have been created anew since included.
  bool Supersedes(const runtime::AnyPtr& after, const runtime::AnyPtr& before) const {
    return !Older(after, before) && !(SameIdentity(before, after) && SameVersion(before, after));
  }

  void Set(const runtime::AnyPtr& before, const runtime::AnyPtr& after, bool initial) {
    if (before && SameIdentity(before, after)) {
      notifications_.push_back({.kind = Kind::kUpdate, .before = before, .after = after});
      return;
    }
    if (before) {
      // Deleted and made anew while nobody looked.
      NotifyOfLoss(before, KeyOf(before));
      initial = false;
    }
    notifications_.push_back({.kind = Kind::kAdd, .after = after, .flag = initial});
  }

  // Nothing told of the deletion.
  void NotifyOfLoss(const runtime::AnyPtr& last, std::string key) {
    notifications_.push_back({.kind = Kind::kDelete,
                              .before = last,
                              .after = last,
                              .key = std::move(key),
                              .flag = true});
  }

  // Returns false for a deletion of nothing, and for one from before what is stored was created.
  bool Delete(const runtime::AnyPtr& before, Delta& delta) {
    if (!before) return false;
    if (delta.object && Older(delta.object, before)) return false;
    // The deletion of a successor that never got here: what is stored has gone before it.
    const bool final_known = delta.object && SameIdentity(before, delta.object);
    notifications_.push_back({.kind = Kind::kDelete,
                              .before = final_known ? std::move(delta.object) : before,
                              .after = before,
                              .key = delta.key,
                              .flag = delta.finalStateUnknown || !final_known});
    return true;
  }

  std::string KeyOf(const runtime::AnyPtr& object) const { return MetaNamespaceKey(Meta(object)); }

  ThreadSafeStore& store_;
  std::vector<Notification> notifications_;
};

}  // namespace

std::vector<Notification> ApplyDeltas(Deltas&& deltas, ThreadSafeStore& store) {
  switch (deltas.kind) {
    case Deltas::Kind::kChanges:
      return Applier(store).Changes(std::move(deltas));
    case Deltas::Kind::kReplaced:
      return Applier(store).Replace(std::move(deltas));
    case Deltas::Kind::kBookmark:
      store.SetResourceVersion(NotOlder(deltas.resourceVersion, store));
      return {};
    case Deltas::Kind::kSync:
      return {};
  }
  return {};
}

}  // namespace k8s::inline v0::cache::detail
