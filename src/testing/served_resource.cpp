#include "served_resource.hpp"

#include <k8s/apis/resources.hpp>
#include <k8s/apis/scheme.hpp>
#include <k8s/codec/codec.hpp>

#include "json.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

bool Contains(const std::vector<std::string>& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// In this order discovery shows the groups.
constexpr std::array<std::string_view, 22> kGroupOrder = {"",
                                                          "apiregistration.k8s.io",
                                                          "apps",
                                                          "events.k8s.io",
                                                          "authentication.k8s.io",
                                                          "authorization.k8s.io",
                                                          "autoscaling",
                                                          "batch",
                                                          "certificates.k8s.io",
                                                          "networking.k8s.io",
                                                          "policy",
                                                          "rbac.authorization.k8s.io",
                                                          "storage.k8s.io",
                                                          "admissionregistration.k8s.io",
                                                          "apiextensions.k8s.io",
                                                          "scheduling.k8s.io",
                                                          "coordination.k8s.io",
                                                          "node.k8s.io",
                                                          "discovery.k8s.io",
                                                          "resource.k8s.io",
                                                          "flowcontrol.apiserver.k8s.io",
                                                          "storagemigration.k8s.io"};

bool IsServed(std::string_view resource, std::string_view subresource) {
  return subresource == "status" ||
         (resource == "pods" && (subresource == "binding" || subresource == "eviction"));
}

/// What a built-in type's zero value looks like beside its metadata.
std::string EmptyBody(const ResourceInfo& info) {
  const codec::TypeInfo* type = BuiltinType(info);
  if (type == nullptr) return {};
  void* object = type->ops.create();
  std::string text;
  codec::Encode(*type, object, text);
  type->ops.destroy(object);
  std::string body;
  const Json json = Json::parse(text);
  for (const auto& [key, value] : json.items()) {
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    if (!body.empty()) body += ',';
    body += Quote(key) + ":" + Dump(value);
  }
  return body;
}

std::shared_ptr<const ServedResource> FromFacts(const apis::ResourceFacts& facts) {
  ServedResource resource;
  resource.info = facts.Info();
  resource.singular = facts.singular;
  resource.shortNames.assign(facts.shortNames.begin(), facts.shortNames.end());
  resource.categories.assign(facts.categories.begin(), facts.categories.end());
  resource.verbs.assign(facts.verbs.begin(), facts.verbs.end());
  for (const apis::SubresourceFacts& subresource : facts.subresources) {
    if (!IsServed(facts.plural, subresource.name)) continue;
    resource.subresources.emplace_back(subresource.name);
  }
  resource.emptyBody = EmptyBody(resource.info);
  return std::make_shared<const ServedResource>(std::move(resource));
}

std::vector<std::shared_ptr<const ServedResource>> MakeBuiltinResources() {
  std::vector<std::shared_ptr<const ServedResource>> resources;
  for (const apis::ResourceFacts& facts : apis::BuiltinResources()) {
    if (facts.servedByDefault) resources.push_back(FromFacts(facts));
  }
  const auto rank = [](const ResourceInfo& info) {
    return std::find(kGroupOrder.begin(), kGroupOrder.end(), info.group) - kGroupOrder.begin();
  };
  // The newest version of a group is the preferred one.
  std::stable_sort(resources.begin(), resources.end(), [&](const auto& a, const auto& b) {
    return rank(a->info) != rank(b->info) ? rank(a->info) < rank(b->info)
                                          : a->info.version > b->info.version;
  });
  return resources;
}

}  // namespace

bool ServedResource::HasVerb(std::string_view verb) const { return Contains(verbs, verb); }

bool ServedResource::HasSubresource(std::string_view name) const {
  return Contains(subresources, name);
}

std::string ServedResource::QualifiedName() const {
  return info.group.empty() ? info.plural : info.plural + "." + info.group;
}

std::string ServedResource::TypeMembers() const {
  const std::string kind = "\"kind\":\"" + info.kind + "\"";
  const std::string version = "\"apiVersion\":\"" + info.ApiVersion() + "\"";
  return custom ? version + "," + kind : kind + "," + version;
}

std::vector<std::shared_ptr<const ServedResource>> BuiltinResources() {
  static const auto resources = MakeBuiltinResources();
  return resources;
}

const codec::TypeInfo* BuiltinType(const ResourceInfo& info) {
  // Go names the package of most groups by their first label.
  std::string package = info.group.substr(0, info.group.find('.'));
  if (package.empty()) package = "core";
  if (info.group == "internal.apiserver.k8s.io") package = "apiserverinternal";
  return apis::FindType(package + "/" + info.version, info.kind);
}

ServedResource CustomResource(const ResourceInfo& info) {
  ServedResource resource;
  resource.info = info;
  resource.singular = info.kind;
  std::transform(resource.singular.begin(), resource.singular.end(), resource.singular.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  resource.verbs = {"create", "delete", "deletecollection", "get",
                    "list",   "patch",  "update",           "watch"};
  resource.subresources = {"status"};
  resource.custom = true;
  return resource;
}

const std::vector<std::string>& FieldLabels(const ResourceInfo& info) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> labels = {
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {"events",
       {"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
        "involvedObject.uid", "involvedObject.apiVersion", "involvedObject.resourceVersion",
        "involvedObject.fieldPath", "reason", "reportingComponent", "source", "type"}},
      {"secrets", {"type"}},
      {"namespaces", {"status.phase"}},
      {"nodes", {"spec.unschedulable"}},
      {"services", {"spec.clusterIP", "spec.type"}},
      {"replicationcontrollers", {"status.replicas"}},
      {"replicasets.apps", {"status.replicas"}},
      {"jobs.batch", {"status.successful"}},
      {"certificatesigningrequests.certificates.k8s.io", {"spec.signerName"}},
  };
  static const std::vector<std::string> none;
  const auto found = labels.find(info.group.empty() ? info.plural : info.plural + "." + info.group);
  return found == labels.end() ? none : found->second;
}

}  // namespace k8s::inline v0::testing
