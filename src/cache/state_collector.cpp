#include "cache/state_collector.hpp"

#include <utility>

namespace k8s::inline v0::cache {

std::string KeyOf(const runtime::ObjectMetaView& meta) {
  std::string key;
  key.reserve(meta.namespace_.size() + 1 + meta.name.size());
  if (!meta.namespace_.empty()) key.append(meta.namespace_).push_back('/');
  return key.append(meta.name);
}

void StateCollector::Add(runtime::AnyPtr object) {
  const std::string key = KeyOf(type_.meta(object.get()));
  objects_.push_back(Shared(std::move(object), key));
}

void StateCollector::Set(runtime::AnyPtr object) {
  std::string key = KeyOf(type_.meta(object.get()));
  object = Shared(std::move(object), key);
  SetByKey(std::move(key), std::move(object));
}

void StateCollector::Remove(const void* object) {
  const auto found = positions_.find(KeyOf(type_.meta(object)));
  if (found == positions_.end()) return;
  objects_[found->second].reset();
  positions_.erase(found);
}

void StateCollector::KeepKnown(const std::string& key) {
  if (key.empty()) return;
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

runtime::AnyPtr StateCollector::Shared(runtime::AnyPtr object, std::string_view key) const {
  const auto meta = type_.meta(object.get());
  if (meta.resourceVersion.empty()) return object;
  auto known = store_.Known(key);
  if (!known) return object;
  const auto known_meta = type_.meta(known.get());
  const bool same =
      known_meta.resourceVersion == meta.resourceVersion && known_meta.uid == meta.uid;
  return same ? known : object;
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
