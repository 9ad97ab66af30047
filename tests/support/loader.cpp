#include "support/loader.hpp"

#include <k8s/apis/meta/v1.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace k8s::test {
namespace {

constexpr std::uint64_t kNamesPerNamespace = 12;
constexpr std::uint64_t kLongestFiller = 4096;

nlohmann::json NewObject(const ResourceInfo& info, const std::string& name) {
  nlohmann::json object{
      {"apiVersion", info.ApiVersion()}, {"kind", info.kind}, {"metadata", {{"name", name}}}};
  if (info.kind == "Pod") {
    object["spec"]["containers"] = {{{"name", "main"}, {"image", "none"}}};
  }
  return object;
}

/// Kept without a kubelet's consent.
metav1::DeleteOptions AtOnce() {
  metav1::DeleteOptions options;
  options.gracePeriodSeconds = 0;
  return options;
}

}  // namespace

const char* const kWidgetDefinition =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"widgets.differential.test"},
        "spec":{"group":"differential.test","scope":"Namespaced",
                "names":{"plural":"widgets","singular":"widget","kind":"Widget"},
                "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                  {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})";

const std::vector<TestResource>& LoadedResources() {
  static const std::vector<TestResource> kResources = {
      {{.version = "v1", .kind = "Pod", .plural = "pods"}, "pods"},
      {{.version = "v1", .kind = "ConfigMap", .plural = "configmaps"}, "configmaps"},
      {{.group = "differential.test", .version = "v1", .kind = "Widget", .plural = "widgets"},
       "differential.test/v1/widgets"}};
  return kResources;
}

const std::vector<std::string>& LoadedNamespaces() {
  static const std::vector<std::string> kNamespaces = {"load-a", "load-b"};
  return kNamespaces;
}

void Loader::Run(std::stop_token stop) {
  while (!stop.stop_requested()) Step(stop);
}

void Loader::Step(std::stop_token stop) {
  const ResourceInfo& info = LoadedResources()[Pick(LoadedResources().size())].info;
  const std::string& ns = LoadedNamespaces()[Pick(LoadedNamespaces().size())];
  const std::string name = "object-" + std::to_string(Pick(kNamesPerNamespace));
  const bool remove = Pick(4) == 0;
  const std::string filler(Pick(kLongestFiller), 'x');
  const auto resource = client_.Resource(info.Gvr()).Namespace(ns);
  bool& exists = exists_[info.plural + "/" + ns + "/" + name];

  if (!exists) {
    const auto made = resource.Create(Unstructured(NewObject(info, name)), {}, stop);
    if (made) ++writes_;
    exists = made || IsAlreadyExists(made.error());
  } else if (remove) {
    const auto gone = resource.Delete(name, AtOnce(), stop);
    if (gone) ++writes_;
    exists = !gone && !IsNotFound(gone.error());
  } else {
    const nlohmann::json patch{{"metadata",
                                {{"labels", {{"step", std::to_string(++steps_)}}},
                                 {"annotations", {{"filler", filler}}}}}};
    const auto patched = resource.Patch(name, {.text = patch.dump()}, {}, stop);
    if (patched) ++writes_;
    exists = patched || !IsNotFound(patched.error());
  }
}

}  // namespace k8s::test
