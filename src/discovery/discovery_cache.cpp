#include "discovery/discovery_cache.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace k8s::inline v0::discovery::detail {

namespace {

/// Whether the server may well answer the next time.
bool IsTemporary(const Error& error) {
  const bool refused = error.kind == ErrorKind::kStatus && error.code >= 400 && error.code < 500;
  return !refused || IsTooManyRequests(error);
}

bool Lacks(const GroupsAndResources& found, const WantedFunc& wanted) {
  return std::any_of(found.failures.begin(), found.failures.end(), [&](const auto& failure) {
    return IsTemporary(failure.error) && wanted(failure.groupVersion);
  });
}

/// The group's versions, with one that a server left out while it was stale.
void AddVersion(GroupsAndResources& found, const GroupVersion& gv) {
  const auto group = std::find_if(found.groups.begin(), found.groups.end(),
                                  [&](const auto& each) { return each.name == gv.group; });
  if (group == found.groups.end()) return;
  const auto& versions = group->versions;
  if (std::any_of(versions.begin(), versions.end(),
                  [&](const auto& each) { return each.version == gv.version; })) {
    return;
  }
  group->versions.push_back({.groupVersion = gv.ToString(), .version = gv.version});
  if (group->preferredVersion.version.empty()) group->preferredVersion = *versions.begin();
}

/// Brings the resources into the order of groups and versions.
void Sort(GroupsAndResources& found) {
  std::vector<metav1::APIResourceList> sorted;
  for (const auto& group : found.groups) {
    for (const auto& version : group.versions) {
      const auto list =
          std::find_if(found.resources.begin(), found.resources.end(),
                       [&](const auto& each) { return each.groupVersion == version.groupVersion; });
      if (list != found.resources.end()) sorted.push_back(std::move(*list));
    }
  }
  found.resources = std::move(sorted);
}

/// `found` after what failed for a while only was asked for once more.
Result<GroupsAndResources> AskAgain(const DiscoveryClient& client, GroupsAndResources found,
                                    const std::stop_token& stop) {
  std::vector<GroupDiscoveryFailure> left;
  for (auto& failure : found.failures) {
    if (!IsTemporary(failure.error)) {
      left.push_back(std::move(failure));
      continue;
    }
    auto list = client.ServerResourcesForGroupVersion(failure.groupVersion.ToString(), stop);
    if (stop.stop_requested()) return Cancelled("discovery");
    if (list) {
      AddVersion(found, failure.groupVersion);
      found.resources.push_back(std::move(*list));
    } else {
      left.push_back({failure.groupVersion, std::move(list).error()});
    }
  }
  found.failures = std::move(left);
  Sort(found);
  return found;
}

}  // namespace

Result<DiscoverySnapshotPtr> DiscoveryCache::Get(const WantedFunc& wanted, std::stop_token stop) {
  std::unique_lock lock(mutex_);
  while (true) {
    if (known_ && !Lacks(known_->found, wanted)) return known_;
    if (!asking_) return Ask(stop, lock);
    const auto awaited = latest_;
    if (!answered_.wait(lock, stop, [&] { return !asking_ || latest_ != awaited; })) {
      return Cancelled("discovery");
    }
    // What that question did not find would not be found by another one right now.
    if (known_ && known_->latest >= awaited) return known_;
    if (failure_ && failure_->question == awaited) return failure_->error;
  }
}

Result<DiscoverySnapshotPtr> DiscoveryCache::Ask(const std::stop_token& stop,
                                                 std::unique_lock<std::mutex>& lock) {
  asking_ = true;
  const auto question = ++latest_;
  const auto invalidations = invalidations_;
  const auto before = known_;
  lock.unlock();
  auto found =
      before ? AskAgain(client_, before->found, stop) : client_.ServerGroupsAndResources(stop);
  lock.lock();
  asking_ = false;
  answered_.notify_all();
  if (!found) {
    // Somebody's stop is no answer for others: one of them asks.
    if (!stop.stop_requested()) failure_ = Failure{question, found.error()};
    return std::move(found).error();
  }
  auto snapshot = std::make_shared<const DiscoverySnapshot>(DiscoverySnapshot{
      .asked = before ? before->asked : question, .latest = question, .found = std::move(*found)});
  if (invalidations == invalidations_) known_ = snapshot;
  return snapshot;
}

bool DiscoveryCache::Fresh() const {
  const std::lock_guard lock(mutex_);
  return known_ != nullptr;
}

void DiscoveryCache::Invalidate() {
  const std::lock_guard lock(mutex_);
  ++invalidations_;
  known_ = nullptr;
}

void DiscoveryCache::Invalidate(std::uint64_t asked) {
  const std::lock_guard lock(mutex_);
  if (!known_ || known_->asked != asked) return;
  ++invalidations_;
  known_ = nullptr;
}

std::uint64_t DiscoveryCache::Latest() const {
  const std::lock_guard lock(mutex_);
  return latest_;
}

}  // namespace k8s::inline v0::discovery::detail
