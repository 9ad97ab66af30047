#include <k8s/codec/codec.hpp>
#include <k8s/discovery/discovery_client.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>

#include "discovery/aggregated.hpp"

namespace k8s::inline v0::discovery {

namespace {

constexpr std::chrono::seconds kTimeout{32};
constexpr std::string_view kAggregated =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";

GroupVersion Parse(std::string_view group_version) {
  const auto slash = group_version.find('/');
  if (slash == std::string_view::npos) return {"", std::string(group_version)};
  return {std::string(group_version.substr(0, slash)),
          std::string(group_version.substr(slash + 1))};
}

template <class T>
Result<T> Read(std::string_view path, const rest::Response& response) {
  auto value = codec::Decode<T>(response.body);
  if (!value) return DecodeError("GET " + std::string(path) + ": " + value.error().ToString());
  return value;
}

/// The core group, which plain discovery describes in a form of its own.
metav1::APIGroup CoreGroup(const metav1::APIVersions& versions) {
  metav1::APIGroup group;
  for (const auto& version : versions.versions) {
    group.versions.push_back({.groupVersion = version, .version = version});
  }
  if (!group.versions.empty()) group.preferredVersion = *group.versions.begin();
  return group;
}

bool IsKnown(const GroupsAndResources& found, const std::string& group_version) {
  const auto lists = std::any_of(
      found.resources.begin(), found.resources.end(),
      [&](const metav1::APIResourceList& list) { return list.groupVersion == group_version; });
  return lists;
}

}  // namespace

Result<DiscoveryClient> DiscoveryClient::New(const rest::Config& config) {
  auto client = rest::Client::New(config);
  if (!client) return std::move(client).error();
  return DiscoveryClient(std::move(*client));
}

Result<rest::Response> DiscoveryClient::Get(std::string_view path, bool aggregated,
                                            const std::stop_token& stop) const {
  rest::Request request;
  request.path = path;
  if (aggregated) request.accept = kAggregated;
  request.timeout = kTimeout;
  return client_.Do(request, stop);
}

Result<void> DiscoveryClient::AddGroups(std::string_view path, bool aggregated,
                                        GroupsAndResources& found,
                                        const std::stop_token& stop) const {
  auto response = Get(path, aggregated, stop);
  if (!response) {
    if (path == "/api" && IsNotFound(response.error())) return {};
    return std::move(response).error();
  }
  // A server may ignore what was asked for: its answer says what it is.
  if (response->contentType.find("as=APIGroupDiscoveryList") != std::string::npos) {
    auto added = detail::AddAggregated(response->body, found);
    if (!added) return DecodeError("GET " + std::string(path) + ": " + added.error().ToString());
    return {};
  }
  if (path == "/api") {
    auto versions = Read<metav1::APIVersions>(path, *response);
    if (!versions) return std::move(versions).error();
    found.groups.push_back(CoreGroup(*versions));
    return {};
  }
  auto groups = Read<metav1::APIGroupList>(path, *response);
  if (!groups) return std::move(groups).error();
  for (auto& group : groups->groups) found.groups.push_back(std::move(group));
  return {};
}

Result<GroupsAndResources> DiscoveryClient::Groups(bool aggregated,
                                                   const std::stop_token& stop) const {
  GroupsAndResources found;
  for (const std::string_view path : {"/api", "/apis"}) {
    if (auto added = AddGroups(path, aggregated, found, stop); !added) {
      return std::move(added).error();
    }
  }
  return found;
}

Result<metav1::APIGroupList> DiscoveryClient::ServerGroups(std::stop_token stop) const {
  auto found = Groups(options_.aggregated, stop);
  if (!found) return std::move(found).error();
  metav1::APIGroupList list;
  for (auto& group : found->groups) list.groups.push_back(std::move(group));
  return list;
}

Result<metav1::APIResourceList> DiscoveryClient::ServerResourcesForGroupVersion(
    std::string_view group_version, std::stop_token stop) const {
  if (group_version.empty()) return InvalidArgument("a group-version may not be empty");
  const auto gv = Parse(group_version);
  const std::string path = (gv.group.empty() ? "/api/" : "/apis/") + gv.ToString();
  auto response = Get(path, false, stop);
  if (!response) return std::move(response).error();
  auto list = Read<metav1::APIResourceList>(path, *response);
  if (list && list->groupVersion.empty())
    return DecodeError("GET " + path + ": no APIResourceList");
  return list;
}

void DiscoveryClient::AddResources(GroupsAndResources& found, const std::stop_token& stop) const {
  for (const auto& group : found.groups) {
    for (const auto& version : group.versions) {
      if (IsKnown(found, version.groupVersion)) continue;
      auto list = ServerResourcesForGroupVersion(version.groupVersion, stop);
      if (!list && !stop.stop_requested()) {
        list = ServerResourcesForGroupVersion(version.groupVersion, stop);
      }
      if (list) {
        found.resources.push_back(std::move(*list));
      } else {
        found.failures.push_back({Parse(version.groupVersion), std::move(list).error()});
      }
    }
  }
}

Result<GroupsAndResources> DiscoveryClient::ServerGroupsAndResources(std::stop_token stop) const {
  auto found = Groups(options_.aggregated, stop);
  if (!found) return found;
  AddResources(*found, stop);
  if (stop.stop_requested()) return Cancelled("discovery");
  return found;
}

Result<GroupsAndResources> DiscoveryClient::ServerPreferredResources(std::stop_token stop) const {
  auto found = ServerGroupsAndResources(std::move(stop));
  if (found) found->resources = PreferredResources(*found);
  return found;
}

Result<version::Info> DiscoveryClient::ServerVersion(std::stop_token stop) const {
  auto response = Get("/version", false, stop);
  if (!response) return std::move(response).error();
  return Read<version::Info>("/version", *response);
}

std::vector<metav1::APIResourceList> PreferredResources(const GroupsAndResources& found) {
  // Of each resource of a group, the group-version to take it from.
  std::map<std::pair<std::string, std::string>, std::string> chosen;
  for (const auto& list : found.resources) {
    const auto group = Parse(list.groupVersion).group;
    const bool preferred =
        std::any_of(found.groups.begin(), found.groups.end(), [&](const metav1::APIGroup& each) {
          return each.preferredVersion.groupVersion == list.groupVersion;
        });
    for (const auto& resource : list.resources) {
      const auto known = chosen.try_emplace({group, resource.name}, list.groupVersion);
      if (preferred) known.first->second = list.groupVersion;
    }
  }
  std::vector<metav1::APIResourceList> result;
  for (const auto& list : found.resources) {
    metav1::APIResourceList kept;
    kept.groupVersion = list.groupVersion;
    const auto group = Parse(list.groupVersion).group;
    for (const auto& resource : list.resources) {
      if (resource.name.find('/') != std::string::npos) continue;
      if (chosen.at({group, resource.name}) == list.groupVersion)
        kept.resources.push_back(resource);
    }
    if (!kept.resources.empty()) result.push_back(std::move(kept));
  }
  return result;
}

}  // namespace k8s::inline v0::discovery
