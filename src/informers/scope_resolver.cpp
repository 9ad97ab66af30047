#include "informers/scope_resolver.hpp"

#include <k8s/apis/resources.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/discovery/discovery_client.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>

#include <optional>
#include <utility>

namespace k8s::inline v0::informers {

namespace {

/// Whether the server serves the resource in namespaces. Errors: NotFound when it has no such one.
Result<bool> AskWhetherNamespaced(const rest::Client& client, const ResourceInfo& info,
                                  std::stop_token stop) {
  const discovery::DiscoveryClient discovery(client);
  auto served = discovery.ServerResourcesForGroupVersion(info.ApiVersion(), std::move(stop));
  if (!served) return std::move(served).error();
  for (const auto& resource : served->resources) {
    if (resource.name == info.plural) return resource.namespaced;
  }
  return NewNotFound(info.group, info.plural, "");
}

class Resolving final : public cache::ListerWatcher {
 public:
  Resolving(rest::Client client, std::shared_ptr<const runtime::ObjectType> type, std::string ns,
            cache::TweakListOptionsFunc tweak)
      : client_(std::move(client)),
        type_(std::move(type)),
        ns_(std::move(ns)),
        tweak_(std::move(tweak)) {}

  Result<cache::ListResult> List(const metav1::ListOptions& options, const cache::VisitFunc& visit,
                                 std::stop_token stop) override {
    if (auto resolved = Resolve(stop); !resolved) return std::move(resolved).error();
    return resolved_->List(options, visit, std::move(stop));
  }

  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override {
    if (auto resolved = Resolve(stop); !resolved) return std::move(resolved).error();
    return resolved_->Watch(options, std::move(stop));
  }

  [[nodiscard]] std::string WaitsFor() const override { return client_.WaitsFor(); }

  void SetRequestOptions(const cache::RequestOptions& options) override {
    options_ = options;
    if (resolved_) resolved_->SetRequestOptions(options);
  }

 private:
  Result<void> Resolve(std::stop_token stop) {
    if (resolved_) return {};
    auto namespaced = AskWhetherNamespaced(client_, type_->info, std::move(stop));
    if (!namespaced) return std::move(namespaced).error();
    resolved_ = cache::NewListWatchFromClient(
        kubernetes::ResourceClientCore(client_, type_, *namespaced ? ns_ : std::string()), tweak_);
    if (options_) resolved_->SetRequestOptions(*options_);
    return {};
  }

  const rest::Client client_;
  const std::shared_ptr<const runtime::ObjectType> type_;
  const std::string ns_;
  const cache::TweakListOptionsFunc tweak_;
  std::optional<cache::RequestOptions> options_;
  std::shared_ptr<cache::ListerWatcher> resolved_;
};

}  // namespace

ResourceInfo KnownInfo(const GroupVersionResource& resource) {
  if (const auto* builtin = apis::FindResource(resource)) return builtin->Info();
  return {.group = resource.group,
          .version = resource.version,
          .kind = "",
          .plural = resource.resource,
          .scope = Scope::kNamespaced};
}

bool ScopeIsKnown(const runtime::ObjectType& type) {
  // A kind that answers are asked in says nothing about the resource.
  if (!type.as.empty()) return apis::FindResource(type.info.Gvr()) != nullptr;
  return !type.info.kind.empty();
}

std::shared_ptr<cache::ListerWatcher> ResolvingListWatch(
    rest::Client client, std::shared_ptr<const runtime::ObjectType> type, std::string ns,
    cache::TweakListOptionsFunc tweak) {
  return std::make_shared<Resolving>(std::move(client), std::move(type), std::move(ns),
                                     std::move(tweak));
}

}  // namespace k8s::inline v0::informers
