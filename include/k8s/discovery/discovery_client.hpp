#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/apis/version/info.hpp>
#include <k8s/error.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

/// What an API server serves. Mirrors client-go's discovery.
namespace k8s::inline v0::discovery {

/// A group-version whose resources could not be had: its API service does not answer.
struct GroupDiscoveryFailure {
  GroupVersion groupVersion;
  Error error;
};

/// What a server serves, as far as it could be had. Mirrors what ServerGroupsAndResources returns
/// together with ErrGroupDiscoveryFailed.
struct GroupsAndResources {
  std::vector<metav1::APIGroup> groups = {};  ///< The core group, if any, then the server's order.
  /// One per group-version, in the order of groups and their versions; subresources included.
  std::vector<metav1::APIResourceList> resources = {};
  std::vector<GroupDiscoveryFailure> failures = {};  ///< What is missing in `resources`.
};

struct DiscoveryOptions {
  /// Whether to ask for everything in two requests. Servers that cannot do that are asked group by
  /// group in any case. Mirrors UseLegacyDiscovery, turned around.
  bool aggregated = true;
};

/// Asks an API server what it serves. A cheap value.
///
/// **Thread safety.** All members may be called from any thread at any time.
/// **Blocking.** Every member, each request for 32 s at most; ends at once when `stop` is
/// triggered.
/// **Mirrors** discovery.DiscoveryClient. Differs: what single group-versions failed for is part of
/// the result, not an error beside it.
class DiscoveryClient {
 public:
  /// Checks `config`; nothing is sent. Errors: kConfig.
  static Result<DiscoveryClient> New(const rest::Config& config);
  explicit DiscoveryClient(rest::Client client, DiscoveryOptions options = {})
      : client_(std::move(client)), options_(options) {}

  /// The groups and their versions. A server without /api (404) has no core group.
  [[nodiscard]] Result<metav1::APIGroupList> ServerGroups(std::stop_token stop = {}) const;

  /// The resources of "v1", "apps/v1". Errors: IsNotFound when it is not served.
  [[nodiscard]] Result<metav1::APIResourceList> ServerResourcesForGroupVersion(
      std::string_view group_version, std::stop_token stop = {}) const;

  /// Everything. An error only if the groups cannot be had; a group-version that fails twice is in
  /// `failures`.
  [[nodiscard]] Result<GroupsAndResources> ServerGroupsAndResources(
      std::stop_token stop = {}) const;

  /// As ServerGroupsAndResources, with each resource only in the version that its group prefers, or
  /// the first one that has it; without subresources.
  [[nodiscard]] Result<GroupsAndResources> ServerPreferredResources(
      std::stop_token stop = {}) const;

  [[nodiscard]] Result<version::Info> ServerVersion(std::stop_token stop = {}) const;

 private:
  [[nodiscard]] Result<rest::Response> Get(std::string_view path, bool aggregated,
                                           const std::stop_token& stop) const;
  Result<void> AddGroups(std::string_view path, bool aggregated, GroupsAndResources& found,
                         const std::stop_token& stop) const;
  [[nodiscard]] Result<GroupsAndResources> Groups(bool aggregated,
                                                  const std::stop_token& stop) const;
  void AddResources(GroupsAndResources& found, const std::stop_token& stop) const;

  rest::Client client_;
  DiscoveryOptions options_;
};

/// Each resource of `found` in its preferred version only, without subresources.
[[nodiscard]] std::vector<metav1::APIResourceList> PreferredResources(
    const GroupsAndResources& found);

}  // namespace k8s::inline v0::discovery
