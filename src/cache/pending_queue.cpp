#include "cache/pending_queue.hpp"

#include <k8s/cache/object_name.hpp>

namespace k8s::inline v0::cache::detail {

using Kind = Notification::Kind;

std::string KeyOf(const runtime::ObjectType& type, const Notification& notification) {
  switch (notification.kind) {
    case Kind::kDelete:
      return notification.key;
    case Kind::kSynced:
      return {};
    default:
      return MetaNamespaceKey(type.meta(notification.after.get()));
  }
}

std::uint64_t CoalescingQueue::Push(Notification notification) {
  std::string key = KeyOf(*type_, notification);
  if (const auto known = by_key_.find(key); known != by_key_.end()) {
    return Merge(known->second, std::move(notification));
  }
  Slot slot{.key = key};
  (notification.kind == Kind::kDelete ? slot.gone : slot.last) = std::move(notification);
  slots_.push_back(std::move(slot));
  // The mark is never merged: an informer syncs once.
  if (!key.empty()) by_key_.emplace(std::move(key), std::prev(slots_.end()));
  return 0;
}

void CoalescingQueue::Take(std::deque<Notification>& batch) {
  const auto slot = slots_.begin();
  auto& next = slot->gone ? slot->gone : slot->last;
  batch.push_back(std::move(*next));
  next.reset();
  if (!slot->gone && !slot->last) Erase(slot);
}

std::uint64_t CoalescingQueue::Merge(Slots::iterator slot, Notification notification) {
  if (notification.kind == Kind::kDelete) return MergeDelete(slot, std::move(notification));
  if (!slot->last) {
    // The object's successor; whoever follows by keys must see the first one go.
    slot->last = std::move(notification);
    return 0;
  }
  // What was to be told before stays, as does whether it is an add: the newest state counts.
  slot->last->after = std::move(notification.after);
  return 1;
}

std::uint64_t CoalescingQueue::MergeDelete(Slots::iterator slot, Notification notification) {
  const bool was_told = !slot->last || slot->last->kind == Kind::kUpdate;
  // Of what is dropped here, nobody was told.
  if (slot->last && was_told) notification.after = std::move(slot->last->before);
  slot->last.reset();
  if (was_told) {
    slot->gone = std::move(notification);
    return 1;
  }
  if (!slot->gone) Erase(slot);
  return 2;  // An add that nobody has heard of, and this.
}

void CoalescingQueue::Erase(Slots::iterator slot) {
  if (!slot->key.empty()) by_key_.erase(slot->key);
  slots_.erase(slot);
}

}  // namespace k8s::inline v0::cache::detail
