#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>

#include "informers/factory_core_impl.hpp"
#include "informers/scope_resolver.hpp"

#include <utility>

namespace k8s::inline v0::informers {

namespace {

ListerWatcherFunc FromClient(const kubernetes::Clientset& client, const FactoryOptions& options) {
  return [rest = client.RESTClient(), ns = options.namespace_,
          tweak = options.tweakListOptions](std::shared_ptr<const runtime::ObjectType> type) {
    const bool known = ScopeIsKnown(*type);
    if (!known && !ns.empty()) return ResolvingListWatch(rest, std::move(type), ns, tweak);
    const std::string in = type->info.Namespaced() ? ns : std::string();
    return cache::NewListWatchFromClient(kubernetes::ResourceClientCore(rest, std::move(type), in),
                                         tweak);
  };
}

}  // namespace

SharedInformerFactory::SharedInformerFactory(const kubernetes::Clientset& client,
                                             FactoryOptions options)
    : SharedInformerFactory(FromClient(client, options), options) {}

SharedInformerFactory::SharedInformerFactory(ListerWatcherFunc lister_watchers,
                                             FactoryOptions options)
    : GroupAccessors(
          std::make_shared<FactoryCore>(std::move(lister_watchers), std::move(options))) {}

SharedInformerFactory::~SharedInformerFactory() { core()->Shutdown(true); }

GenericInformer SharedInformerFactory::ForResource(const GroupVersionResource& resource) const {
  return GenericInformer(core()->InformerFor(resource, Content::kWhole));
}

MetadataInformer SharedInformerFactory::ForMetadata(const GroupVersionResource& resource) const {
  return MetadataInformer(core()->InformerFor(resource, Content::kMetadata));
}

void SharedInformerFactory::Start(std::stop_token stop) { core()->Start(std::move(stop)); }

cache::SyncResult SharedInformerFactory::WaitForCacheSync(std::stop_token stop,
                                                          Clock::Duration timeout) const {
  return core()->WaitForCacheSync(std::move(stop), timeout);
}

void SharedInformerFactory::StopInformer(const runtime::ObjectType& type) { core()->Stop(type); }

void SharedInformerFactory::StopInformer(const GroupVersionResource& resource) {
  core()->Stop(resource, Content::kWhole);
}

void SharedInformerFactory::StopMetadataInformer(const GroupVersionResource& resource) {
  core()->Stop(resource, Content::kMetadata);
}

std::vector<cache::InformerStatus> SharedInformerFactory::Status() const {
  return core()->Status();
}

cache::Freshness SharedInformerFactory::CheckFreshness(Clock::Duration max_age) const {
  return core()->CheckFreshness(max_age);
}

void SharedInformerFactory::Shutdown() { core()->Shutdown(false); }

}  // namespace k8s::inline v0::informers
