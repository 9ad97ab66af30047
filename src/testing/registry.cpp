#include "registry.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace k8s::inline v0::testing {

void Registry::Put(ServedResource resource) {
  auto shared = std::make_shared<const ServedResource>(std::move(resource));
  const std::unique_lock lock(mutex_);
  for (Ref& present : resources_) {
    if (present->info.Gvr() == shared->info.Gvr()) {
      present = std::move(shared);
      return;
    }
  }
  resources_.push_back(std::move(shared));
}

void Registry::Remove(const ResourceInfo& info) {
  const std::unique_lock lock(mutex_);
  std::erase_if(resources_, [&](const Ref& present) { return present->info.Gvr() == info.Gvr(); });
}

template <class Predicate>
Registry::Ref Registry::FindIf(Predicate predicate) const {
  const std::shared_lock lock(mutex_);
  const auto found = std::find_if(resources_.begin(), resources_.end(),
                                  [&](const Ref& present) { return predicate(present->info); });
  return found == resources_.end() ? nullptr : *found;
}

Registry::Ref Registry::Find(std::string_view group, std::string_view version,
                             std::string_view plural) const {
  return FindIf([&](const ResourceInfo& info) {
    return info.plural == plural && info.version == version && info.group == group;
  });
}

Registry::Ref Registry::FindKind(std::string_view api_version, std::string_view kind) const {
  return FindIf([&](const ResourceInfo& info) {
    return info.kind == kind && info.ApiVersion() == api_version;
  });
}

Registry::Ref Registry::FindAnyVersion(const GroupResource& resource) const {
  return FindIf([&](const ResourceInfo& info) {
    return info.plural == resource.resource && info.group == resource.group;
  });
}

bool Registry::HasGroupVersion(std::string_view group, std::string_view version) const {
  return FindIf([&](const ResourceInfo& info) {
           return info.group == group && info.version == version;
         }) != nullptr;
}

std::vector<Registry::Ref> Registry::All() const {
  const std::shared_lock lock(mutex_);
  return resources_;
}

}  // namespace k8s::inline v0::testing
