#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/apis/version/info.hpp>
#include <k8s/discovery/discovery_client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <stop_token>
#include <string_view>

namespace k8s::inline v0::discovery {

namespace detail {
class DiscoveryCache;
}

/// Asks an API server what it serves, once, and answers from memory until `Invalidate`. What single
/// group-versions failed for is asked again the next time that somebody wants them, unless it was a
/// refusal (a status of 400 to 499 but 429): that is remembered like an answer.
///
/// **Thread safety.** All members may be called from any thread at any time; copies share what they
/// know. Of several threads that need the same answer one asks the server and the others wait for
/// it.
/// **Blocking.** While the server is asked, as DiscoveryClient; ends at once when `stop` is
/// triggered, and another thread that waits asks instead.
/// **Mirrors** memory.NewMemCacheClient with CachedDiscoveryInterface. Differs: no lock is held
/// while the server is asked; stale and undecodable group-versions are asked for again.
class CachedDiscoveryClient {
 public:
  /// Checks `config`; nothing is sent. Errors: kConfig.
  static Result<CachedDiscoveryClient> New(const rest::Config& config);
  explicit CachedDiscoveryClient(DiscoveryClient client);

  // As in DiscoveryClient. An error of the groups is not remembered.
  [[nodiscard]] Result<metav1::APIGroupList> ServerGroups(std::stop_token stop = {}) const;
  /// Errors: the group-version's own; IsNotFound when the server did not have it.
  [[nodiscard]] Result<metav1::APIResourceList> ServerResourcesForGroupVersion(
      std::string_view group_version, std::stop_token stop = {}) const;
  [[nodiscard]] Result<GroupsAndResources> ServerGroupsAndResources(
      std::stop_token stop = {}) const;
  [[nodiscard]] Result<GroupsAndResources> ServerPreferredResources(
      std::stop_token stop = {}) const;
  /// Not remembered.
  [[nodiscard]] Result<version::Info> ServerVersion(std::stop_token stop = {}) const;

  /// Whether anything is known since the last `Invalidate`.
  [[nodiscard]] bool Fresh() const;
  /// Forgets everything; an answer that is on its way already is not kept either.
  void Invalidate() const;

  /// What a DeferredDiscoveryRESTMapper shares.
  [[nodiscard]] const std::shared_ptr<detail::DiscoveryCache>& cache() const { return cache_; }

 private:
  DiscoveryClient client_;
  std::shared_ptr<detail::DiscoveryCache> cache_;
};

}  // namespace k8s::inline v0::discovery
