#include "cache/state_collector.hpp"

#include <utility>

namespace k8s::inline v0::cache {

std::string KeyOf(const runtime::ObjectMetaView& meta) {
  std::string key;
  key.reserve(meta.namespace_.size() + 1 + meta.name.size());
  if (!meta.namespace_.empty()) key.append(meta.namespace_).push_back('/');
  return key.append(meta.name);
}

Result<void> StateCollector::Add(runtime::AnyPtr object) {
  const std::string key = KeyOf(type_.meta(object.get()));
  auto final = Final(std::move(object), key);
  if (!final) return std::move(final).error();
  objects_.push_back(std::move(*final));
  return {};
}

Result<void> StateCollector::Set(runtime::AnyPtr object) {
  std::string key = KeyOf(type_.meta(object.get()));
  auto final = Final(std::move(object), key);
  if (!final) return std::move(final).error();
  SetByKey(std::move(key), std::move(*final));
  return {};
}

void StateCollector::Remove(const void* object) {
  const auto found = positions_.find(KeyOf(type_.meta(object)));
  if (found == positions_.end()) return;
  objects_[found->second].reset();
  positions_.erase(found);
}

void StateCollector::KeepKnown(const std::string& key) {
  // What was collected of it is newer than what the store has.
  if (key.empty() || positions_.contains(key)) return;
  if (auto known = store_.Known(key)) SetByKey(key, std::move(known));
}

void StateCollector::Clear() {
  objects_.clear();
  positions_.clear();
}

std::vector<runtime::AnyPtr> StateCollector::Take() {
  positions_.clear();
  std::erase(objects_, nullptr);
  return std::exchange(objects_, {});
}

bool StateCollector::Unchanged(const runtime::AnyPtr& object, const runtime::AnyPtr& known) const {
  if (!known) return false;
  const auto now = type_.meta(object.get());
  const auto before = type_.meta(known.get());
  return !now.resourceVersion.empty() && now.resourceVersion == before.resourceVersion &&
         now.uid == before.uid;
}

Result<runtime::AnyPtr> StateCollector::Final(runtime::AnyPtr object, const std::string& key) {
  if (auto known = store_.Known(key); Unchanged(object, known)) return known;
  if (!transform_) return object;
  auto transformed = transform_(std::move(object));
  if (!transformed) KeepKnown(key);
  return transformed;
}

void StateCollector::SetByKey(std::string key, runtime::AnyPtr object) {
  const auto [position, fresh] = positions_.try_emplace(std::move(key), objects_.size());
  if (fresh) {
    objects_.push_back(std::move(object));
  } else {
    objects_[position->second] = std::move(object);
  }
}

}  // namespace k8s::inline v0::cache
