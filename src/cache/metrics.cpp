#include <k8s/cache/metrics.hpp>

#include <algorithm>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

namespace k8s::inline v0::cache {

std::string_view ToString(RelistReason reason) {
  switch (reason) {
    case RelistReason::kInitial:
      return "initial";
    case RelistReason::kExpired:
      return "expired";
    case RelistReason::kShortWatch:
      return "short watch";
    case RelistReason::kUndecodable:
      return "undecodable";
    case RelistReason::kServerError:
      return "server error";
    case RelistReason::kInternal:
      return "internal";
  }
  return "unknown";
}

namespace {

/// The names in use in this process.
struct Names {
  std::mutex mutex;
  std::set<std::string, std::less<>> taken;
};

// Never destroyed: a name may be released while the program ends.
Names& AllNames() {
  static auto& names = *new Names;
  return names;
}

}  // namespace

struct InformerName::Places {
  std::mutex mutex;
  std::vector<GroupVersionResource> taken;
  bool released = false;
};

Result<std::shared_ptr<InformerName>> InformerName::New(std::string name) {
  if (name.empty()) return InvalidArgument("an informer name is empty");
  Names& names = AllNames();
  const std::lock_guard lock(names.mutex);
  if (!names.taken.insert(name).second) {
    return InvalidArgument("the informer name \"" + name + "\" is in use");
  }
  return std::shared_ptr<InformerName>(new InformerName(std::move(name)));
}

InformerName::InformerName(std::string name)
    : name_(std::move(name)), places_(std::make_shared<Places>()) {}

InformerName::~InformerName() { Release(); }

void InformerName::Release() {
  {
    const std::lock_guard lock(places_->mutex);
    if (std::exchange(places_->released, true)) return;
  }
  Names& names = AllNames();
  const std::lock_guard lock(names.mutex);
  names.taken.erase(name_);
}

std::shared_ptr<void> InformerName::Reserve(const GroupVersionResource& resource) {
  const std::lock_guard lock(places_->mutex);
  auto& taken = places_->taken;
  if (places_->released) return nullptr;
  if (std::find(taken.begin(), taken.end(), resource) != taken.end()) return nullptr;
  taken.push_back(resource);
  return {this, [places = places_, resource](void*) {
            const std::lock_guard free(places->mutex);
            std::erase(places->taken, resource);
          }};
}

}  // namespace k8s::inline v0::cache
