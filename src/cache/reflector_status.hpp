#pragma once

#include <k8s/cache/status.hpp>
#include <k8s/resource.hpp>

#include <mutex>
#include <string>
#include <utility>

namespace k8s::inline v0::cache {

/// "pods", "deployments.apps".
[[nodiscard]] inline std::string NameOf(const ResourceInfo& info) {
  return info.group.empty() ? info.plural : info.plural + "." + info.group;
}

/// What failed is in order again.
inline void ForgetError(InformerStatus& status) {
  status.lastError.reset();
  status.lastErrorVerb.clear();
  status.lastErrorTime.reset();
}

/// The status of one reflector, written by its thread and read by anybody.
class ReflectorStatus {
 public:
  explicit ReflectorStatus(std::string resource) { status_.resource = std::move(resource); }

  [[nodiscard]] InformerStatus Get() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  /// Changes the status under its lock: `change(InformerStatus&)` must be short.
  template <class Change>
  void Update(Change change) {
    const std::lock_guard lock(mutex_);
    change(status_);
  }

 private:
  mutable std::mutex mutex_;
  InformerStatus status_;
};

}  // namespace k8s::inline v0::cache
