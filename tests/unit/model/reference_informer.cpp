#include "reference_informer.hpp"

#include <algorithm>
#include <utility>

namespace k8s::test {
namespace {

ReferenceInformer::Known Identity(const Item& item) {
  return {item.uid, std::stoull(item.resourceVersion)};
}

Told Tell(Told::Kind kind, const std::string& key, const ReferenceInformer::Known& state) {
  return {.kind = kind, .key = key, .uid = state.uid, .version = state.version};
}

}  // namespace

void ReferenceInformer::Collect(const Item& item) { collected_[KeyOf(item)] = Identity(item); }

void ReferenceInformer::CollectUnreadable(const std::string& key) {
  if (const auto known = objects_.find(key); known != objects_.end()) {
    collected_.try_emplace(key, known->second);
  }
}

void ReferenceInformer::CompleteState(std::uint64_t version) {
  Step step;
  for (const auto& [key, known] : objects_) {
    if (!collected_.contains(key)) step.push_back(Tell(Told::Kind::kLost, key, known));
  }
  std::erase_if(objects_, [&](const auto& entry) { return !collected_.contains(entry.first); });
  const auto add = synced_ ? Told::Kind::kAdd : Told::Kind::kInitialAdd;
  for (const auto& [key, state] : collected_) Set(step, key, state, add);
  steps_.push_back(std::move(step));
  collected_.clear();
  version_ = version;
  synced_ = true;
  older_bookmarks_ = 0;
}

void ReferenceInformer::Set(Step& step, const std::string& key, const Known& after,
                            Told::Kind add) {
  const auto [at, fresh] = objects_.try_emplace(key, after);
  if (fresh) {
    step.push_back(Tell(add, key, after));
    return;
  }
  const Known before = std::exchange(at->second, after);
  if (before == after) return;
  if (before.uid == after.uid) {
    step.push_back(Tell(Told::Kind::kUpdate, key, after));
  } else {
    step.push_back(Tell(Told::Kind::kLost, key, before));
    step.push_back(Tell(Told::Kind::kAdd, key, after));
  }
}

void ReferenceInformer::Change(watch::EventType type, const Item& item) {
  const Known state = Identity(item);
  Apply(type, KeyOf(item), state);
  Nameless(state.version);
}

void ReferenceInformer::Apply(watch::EventType type, const std::string& key, const Known& state) {
  const auto known = objects_.find(key);
  const bool deletion = type == watch::EventType::kDeleted;
  Step step;
  if (known != objects_.end() && state.version < known->second.version) return;
  if (!deletion) {
    Set(step, key, state, Told::Kind::kAdd);
  } else if (known != objects_.end()) {
    const bool same = known->second.uid == state.uid;
    step.push_back(same ? Tell(Told::Kind::kDelete, key, state)
                        : Tell(Told::Kind::kLost, key, known->second));
    objects_.erase(known);
  }
  steps_.push_back(std::move(step));
}

void ReferenceInformer::Nameless(std::uint64_t version) {
  older_bookmarks_ = 0;
  version_ = std::max(version_, version);
}

bool ReferenceInformer::Bookmark(std::uint64_t version) {
  older_bookmarks_ = version < version_ ? older_bookmarks_ + 1 : 0;
  version_ = std::max(version_, version);
  return older_bookmarks_ > 1;
}

ReferenceInformer::Step ReferenceInformer::Welcome() const {
  Step step;
  for (const auto& [key, known] : objects_) {
    step.push_back(Tell(Told::Kind::kInitialAdd, key, known));
  }
  return step;
}

}  // namespace k8s::test
