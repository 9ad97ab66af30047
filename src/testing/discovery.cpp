#include "discovery.hpp"

#include "json.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

using Refs = std::vector<Registry::Ref>;

/// The groups in order of their first resource; each with its versions, the preferred one first.
struct Group {
  std::string name;
  std::vector<std::string> versions;
};

std::vector<Group> GroupsOf(const Refs& resources) {
  std::vector<Group> groups;
  for (const auto& resource : resources) {
    const ResourceInfo& info = resource->info;
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& known) { return known.name == info.group; });
    if (group == groups.end()) group = groups.insert(groups.end(), Group{info.group, {}});
    auto& versions = group->versions;
    if (std::find(versions.begin(), versions.end(), info.version) == versions.end()) {
      versions.push_back(info.version);
    }
  }
  return groups;
}

Refs ResourcesOf(const Refs& all, const std::string& group, const std::string& version) {
  Refs resources;
  for (const auto& resource : all) {
    if (resource->info.group == group && resource->info.version == version) {
      resources.push_back(resource);
    }
  }
  std::sort(resources.begin(), resources.end(),
            [](const auto& a, const auto& b) { return a->info.plural < b->info.plural; });
  return resources;
}

Json VersionEntry(const std::string& group, const std::string& version) {
  return Json{{"groupVersion", GroupVersion{group, version}.ToString()}, {"version", version}};
}

Json GroupEntry(const Group& group) {
  Json versions = Json::array();
  for (const auto& version : group.versions) versions.push_back(VersionEntry(group.name, version));
  return Json{{"name", group.name},
              {"versions", std::move(versions)},
              {"preferredVersion", VersionEntry(group.name, group.versions.front())}};
}

/// The kind that a subresource takes, and its verbs.
struct SubresourceForm {
  std::string group, version, kind;
  std::vector<std::string> verbs;
};

SubresourceForm FormOf(const ServedResource& resource, const std::string& subresource) {
  if (subresource == "eviction") return {"policy", "v1", "Eviction", {"create"}};
  if (subresource == "binding") return {"", "", "Binding", {"create"}};
  return {"", "", resource.info.kind, {"get", "patch", "update"}};
}

Json SubresourceEntry(const ServedResource& resource, const std::string& name) {
  const SubresourceForm form = FormOf(resource, name);
  Json entry = {{"name", resource.info.plural + "/" + name},
                {"singularName", ""},
                {"namespaced", resource.info.Namespaced()}};
  if (!form.version.empty()) {
    entry["group"] = form.group;
    entry["version"] = form.version;
  }
  entry["kind"] = form.kind;
  entry["verbs"] = form.verbs;
  return entry;
}

void AddNames(const ServedResource& resource, Json& entry) {
  if (!resource.shortNames.empty()) entry["shortNames"] = resource.shortNames;
  if (!resource.categories.empty()) entry["categories"] = resource.categories;
}

std::string ResourceList(const Refs& resources, const std::string& group_version) {
  Json entries = Json::array();
  for (const auto& resource : resources) {
    Json entry = {{"name", resource->info.plural},
                  {"singularName", resource->singular},
                  {"namespaced", resource->info.Namespaced()},
                  {"kind", resource->info.kind},
                  {"verbs", resource->verbs}};
    AddNames(*resource, entry);
    entries.push_back(std::move(entry));
    for (const auto& name : resource->subresources) {
      entries.push_back(SubresourceEntry(*resource, name));
    }
  }
  Json list = {{"kind", "APIResourceList"}};
  // The core group's list has no apiVersion in the answers of real servers.
  if (group_version.find('/') != std::string::npos) list["apiVersion"] = "v1";
  list["groupVersion"] = group_version;
  list["resources"] = std::move(entries);
  return Dump(list) + "\n";
}

Json ResponseKind(const std::string& group, const std::string& version, const std::string& kind) {
  return Json{{"group", group}, {"version", version}, {"kind", kind}};
}

Json AggregatedResource(const ServedResource& resource) {
  Json entry = {{"resource", resource.info.plural},
                {"responseKind", ResponseKind("", "", resource.info.kind)},
                {"scope", resource.info.Namespaced() ? "Namespaced" : "Cluster"},
                {"singularResource", resource.singular},
                {"verbs", resource.verbs}};
  AddNames(resource, entry);
  for (const auto& name : resource.subresources) {
    const SubresourceForm form = FormOf(resource, name);
    entry["subresources"].push_back(
        Json{{"subresource", name},
             {"responseKind", ResponseKind(form.group, form.version, form.kind)},
             {"verbs", form.verbs}});
  }
  return entry;
}

Json AggregatedGroup(const Refs& all, const Group& group) {
  Json versions = Json::array();
  for (const auto& version : group.versions) {
    Json resources = Json::array();
    for (const auto& resource : ResourcesOf(all, group.name, version)) {
      resources.push_back(AggregatedResource(*resource));
    }
    versions.push_back(
        Json{{"version", version}, {"resources", std::move(resources)}, {"freshness", "Current"}});
  }
  Json metadata = Json::object();
  if (!group.name.empty()) metadata["name"] = group.name;
  return Json{{"metadata", std::move(metadata)}, {"versions", std::move(versions)}};
}

std::string ApiVersions(std::string_view host) {
  const Json address = {{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", std::string(host)}};
  return Dump(Json{{"kind", "APIVersions"},
                   {"versions", Json::array({"v1"})},
                   {"serverAddressByClientCIDRs", Json::array({address})}}) +
         "\n";
}

std::string GroupList(const std::vector<Group>& groups) {
  Json entries = Json::array();
  for (const Group& group : groups) {
    if (!group.name.empty()) entries.push_back(GroupEntry(group));
  }
  return Dump(Json{{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", entries}}) + "\n";
}

std::string VersionBody() {
  return Json{{"major", "1"},
              {"minor", "37"},
              {"emulationMajor", "1"},
              {"emulationMinor", "37"},
              {"minCompatibilityMajor", "1"},
              {"minCompatibilityMinor", "36"},
              {"gitVersion", "v1.37.2"},
              {"gitCommit", "unknown"},
              {"gitTreeState", "archive"},
              {"buildDate", "1970-01-01T00:00:00Z"},
              {"goVersion", "go1.26.8"},
              {"compiler", "gc"},
              {"platform", "linux/amd64"}}
      .dump(2);
}

std::string PathOf(const std::string& group, const std::string& version) {
  return group.empty() ? "api/" + version : "apis/" + group + "/" + version;
}

Json OpenApiPath(const ServedResource& resource) {
  const Json parameters = Json::array(
      {Json{{"name", "fieldValidation"}, {"in", "query"}, {"schema", {{"type", "string"}}}}});
  const Json kind = ResponseKind(resource.info.group, resource.info.version, resource.info.kind);
  return Json{{"patch",
               {{"parameters", parameters},
                {"x-kubernetes-action", "patch"},
                {"x-kubernetes-group-version-kind", kind}}}};
}

}  // namespace

std::optional<std::string> DiscoveryBody(const Registry& registry, std::string_view path,
                                         std::string_view host) {
  if (path == "/version") return VersionBody();
  if (path == "/api") return ApiVersions(host);
  const Refs all = registry.All();
  const auto groups = GroupsOf(all);
  if (path == "/apis") return GroupList(groups);
  for (const Group& group : groups) {
    if (path == "/apis/" + group.name) {
      Json entry = {{"kind", "APIGroup"}, {"apiVersion", "v1"}};
      entry.update(GroupEntry(group));
      return Dump(entry) + "\n";
    }
    for (const auto& version : group.versions) {
      if (path != "/" + PathOf(group.name, version)) continue;
      return ResourceList(ResourcesOf(all, group.name, version),
                          GroupVersion{group.name, version}.ToString());
    }
  }
  return std::nullopt;
}

std::optional<std::string> AggregatedDiscoveryBody(const Registry& registry,
                                                   std::string_view path) {
  if (path != "/api" && path != "/apis") return std::nullopt;
  const Refs all = registry.All();
  Json items = Json::array();
  for (const Group& group : GroupsOf(all)) {
    if (group.name.empty() == (path == "/api")) items.push_back(AggregatedGroup(all, group));
  }
  return Dump(Json{{"kind", "APIGroupDiscoveryList"},
                   {"apiVersion", "apidiscovery.k8s.io/v2"},
                   {"metadata", Json::object()},
                   {"items", std::move(items)}}) +
         "\n";
}

std::optional<std::string> OpenApiBody(const Registry& registry, std::string_view path) {
  constexpr std::string_view kRoot = "/openapi/v3";
  if (!path.starts_with(kRoot)) return std::nullopt;
  path.remove_prefix(kRoot.size());
  const Refs all = registry.All();
  Json paths = Json::object();
  for (const Group& group : GroupsOf(all)) {
    for (const auto& version : group.versions) {
      const std::string name = PathOf(group.name, version);
      if (path.empty()) {
        paths[name]["serverRelativeURL"] = std::string(kRoot) + "/" + name;
      } else if (path == "/" + name) {
        for (const auto& resource : ResourcesOf(all, group.name, version)) {
          paths["/" + name + "/" + resource->info.plural + "/{name}"] = OpenApiPath(*resource);
        }
      }
    }
  }
  if (path.empty()) return Dump(Json{{"paths", std::move(paths)}}) + "\n";
  if (paths.empty()) return std::nullopt;
  return Dump(Json{{"openapi", "3.0.0"},
                   {"info", {{"title", "Kubernetes"}, {"version", "v1.37.2"}}},
                   {"paths", std::move(paths)},
                   {"components", {{"schemas", Json::object()}}}}) +
         "\n";
}

}  // namespace k8s::inline v0::testing
