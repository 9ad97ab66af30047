#pragma once

#include <k8s/discovery/discovery_client.hpp>
#include <k8s/error.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <utility>

namespace k8s::inline v0::discovery::detail {

/// What a server served, and when it was asked: questions to the server are numbered.
struct DiscoverySnapshot {
  std::uint64_t asked = 0;   ///< The question after everything.
  std::uint64_t latest = 0;  ///< The latest one, after everything or what had failed.
  GroupsAndResources found = {};
};
using DiscoverySnapshotPtr = std::shared_ptr<const DiscoverySnapshot>;

/// Which group-versions are wanted, if the server failed to tell about them so far.
using WantedFunc = std::function<bool(const GroupVersion&)>;

/// What CachedDiscoveryClients share. At most one thread asks the server at a time.
/// **Thread safety.** All members may be called from any thread at any time.
class DiscoveryCache {
 public:
  explicit DiscoveryCache(DiscoveryClient client) : client_(std::move(client)) {}

  /// What is known; asks the server if that is nothing, or if a wanted group-version failed for a
  /// while only. Errors: those of asking for the groups.
  Result<DiscoverySnapshotPtr> Get(const WantedFunc& wanted, std::stop_token stop);
  [[nodiscard]] bool Fresh() const;
  void Invalidate();
  /// Forgets what was asked by question `asked`, unless somebody else did already.
  void Invalidate(std::uint64_t asked);
  /// The number of the latest question: what is asked from now on has a higher one.
  [[nodiscard]] std::uint64_t Latest() const;

 private:
  Result<DiscoverySnapshotPtr> Ask(const std::stop_token& stop, std::unique_lock<std::mutex>& lock);

  const DiscoveryClient client_;

  mutable std::mutex mutex_;
  std::condition_variable_any answered_;
  bool asking_ = false;
  std::uint64_t latest_ = 0;
  std::uint64_t invalidations_ = 0;
  DiscoverySnapshotPtr known_;
  struct Failure {
    std::uint64_t question;
    Error error;
  };
  std::optional<Failure> failure_;  ///< For those who waited.
};

}  // namespace k8s::inline v0::discovery::detail
