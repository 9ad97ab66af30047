#include "discovery/aggregated.hpp"

#include <k8s/codec/codec.hpp>
#include <k8s/fields.hpp>

#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0::discovery::detail {

struct Kind {
  std::string group;
  std::string version;
  std::string kind;
};

struct Part {
  std::string subresource;
  Kind responseKind;
  std::vector<std::string> verbs;
};

struct Resource {
  std::string resource;
  Kind responseKind;
  std::string scope;
  std::string singularResource;
  std::vector<std::string> verbs;
  std::vector<std::string> shortNames;
  std::vector<std::string> categories;
  std::vector<Part> subresources;
};

struct Version {
  std::string version;
  std::vector<Resource> resources;
  std::string freshness;
};

struct Group {
  ObjectRef metadata;
  std::vector<Version> versions;
};

struct GroupDiscoveryList {
  std::string kind;
  std::vector<Group> items;
};

}  // namespace k8s::inline v0::discovery::detail

CLIENT_CPP_FIELDS(k8s::discovery::detail::Kind, group, version, kind);
CLIENT_CPP_FIELDS(k8s::discovery::detail::Part, subresource, responseKind, verbs);
CLIENT_CPP_FIELDS(k8s::discovery::detail::Resource, resource, responseKind, scope, singularResource,
                  verbs, shortNames, categories, subresources);
CLIENT_CPP_FIELDS(k8s::discovery::detail::Version, version, resources, freshness);
CLIENT_CPP_FIELDS(k8s::discovery::detail::Group, metadata, versions);
CLIENT_CPP_FIELDS(k8s::discovery::detail::GroupDiscoveryList, kind, items);

namespace k8s::inline v0::discovery::detail {

namespace {

metav1::APIResource MakeResource(std::string name, const Kind& kind, bool namespaced,
                                 std::vector<std::string> verbs) {
  metav1::APIResource entry;
  entry.name = std::move(name);
  entry.namespaced = namespaced;
  entry.group = kind.group;
  entry.version = kind.version;
  entry.kind = kind.kind;
  for (auto& verb : verbs) entry.verbs.push_back(std::move(verb));
  return entry;
}

/// A resource or subresource without a kind is unknown to the server itself, and left out.
void AddResource(Resource resource, metav1::APIResourceList& list) {
  const bool namespaced = resource.scope == "Namespaced";
  if (!resource.responseKind.kind.empty()) {
    auto entry = MakeResource(resource.resource, resource.responseKind, namespaced,
                              std::move(resource.verbs));
    entry.singularName = std::move(resource.singularResource);
    entry.shortNames = std::move(resource.shortNames);
    entry.categories = std::move(resource.categories);
    list.resources.push_back(std::move(entry));
  }
  for (auto& part : resource.subresources) {
    if (part.responseKind.kind.empty()) continue;
    list.resources.push_back(MakeResource(resource.resource + "/" + part.subresource,
                                          part.responseKind, namespaced, std::move(part.verbs)));
  }
}

void AddGroup(Group group, GroupsAndResources& found) {
  metav1::APIGroup entry;
  entry.name = std::move(group.metadata.name);
  for (auto& version : group.versions) {
    const GroupVersion gv{entry.name, version.version};
    if (version.freshness == "Stale") {
      found.failures.push_back(
          {gv, {.kind = ErrorKind::kStatus, .message = gv.ToString() + ": stale discovery"}});
      continue;
    }
    entry.versions.push_back({.groupVersion = gv.ToString(), .version = gv.version});
    metav1::APIResourceList list;
    list.groupVersion = gv.ToString();
    for (auto& resource : version.resources) AddResource(std::move(resource), list);
    found.resources.push_back(std::move(list));
  }
  if (!entry.versions.empty()) entry.preferredVersion = *entry.versions.begin();
  found.groups.push_back(std::move(entry));
}

}  // namespace

Result<void> AddAggregated(std::string_view json, GroupsAndResources& found) {
  auto list = codec::Decode<GroupDiscoveryList>(json);
  if (!list) return std::move(list).error();
  if (list->kind != "APIGroupDiscoveryList") return DecodeError("no APIGroupDiscoveryList");
  for (auto& group : list->items) AddGroup(std::move(group), found);
  return {};
}

}  // namespace k8s::inline v0::discovery::detail
