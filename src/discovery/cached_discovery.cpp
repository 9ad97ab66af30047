#include <k8s/discovery/cached_discovery.hpp>

#include <string>
#include <utility>

#include "discovery/discovery_cache.hpp"

namespace k8s::inline v0::discovery {

namespace {

bool NoneOf(const GroupVersion& /*gv*/) { return false; }
bool All(const GroupVersion& /*gv*/) { return true; }

}  // namespace

Result<CachedDiscoveryClient> CachedDiscoveryClient::New(const rest::Config& config) {
  auto client = DiscoveryClient::New(config);
  if (!client) return std::move(client).error();
  return CachedDiscoveryClient(std::move(*client));
}

CachedDiscoveryClient::CachedDiscoveryClient(DiscoveryClient client)
    : client_(std::move(client)), cache_(std::make_shared<detail::DiscoveryCache>(client_)) {}

Result<metav1::APIGroupList> CachedDiscoveryClient::ServerGroups(std::stop_token stop) const {
  auto known = cache_->Get(NoneOf, std::move(stop));
  if (!known) return std::move(known).error();
  metav1::APIGroupList list;
  for (const auto& group : (*known)->found.groups) list.groups.push_back(group);
  return list;
}

Result<metav1::APIResourceList> CachedDiscoveryClient::ServerResourcesForGroupVersion(
    std::string_view group_version, std::stop_token stop) const {
  const auto is_it = [&](const GroupVersion& gv) { return gv.ToString() == group_version; };
  auto known = cache_->Get(is_it, std::move(stop));
  if (!known) return std::move(known).error();
  for (const auto& list : (*known)->found.resources) {
    if (list.groupVersion == group_version) return list;
  }
  for (const auto& failure : (*known)->found.failures) {
    if (is_it(failure.groupVersion)) return failure.error;
  }
  return Error{.kind = ErrorKind::kStatus,
               .code = 404,
               .reason = "NotFound",
               .message = "the server does not serve " + std::string(group_version)};
}

Result<GroupsAndResources> CachedDiscoveryClient::ServerGroupsAndResources(
    std::stop_token stop) const {
  auto known = cache_->Get(All, std::move(stop));
  if (!known) return std::move(known).error();
  return (*known)->found;
}

Result<GroupsAndResources> CachedDiscoveryClient::ServerPreferredResources(
    std::stop_token stop) const {
  auto found = ServerGroupsAndResources(std::move(stop));
  if (found) found->resources = PreferredResources(*found);
  return found;
}

Result<version::Info> CachedDiscoveryClient::ServerVersion(std::stop_token stop) const {
  return client_.ServerVersion(std::move(stop));
}

bool CachedDiscoveryClient::Fresh() const { return cache_->Fresh(); }

void CachedDiscoveryClient::Invalidate() const { cache_->Invalidate(); }

}  // namespace k8s::inline v0::discovery
