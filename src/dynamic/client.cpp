#include <k8s/dynamic/client.hpp>

#include <utility>

namespace k8s::inline v0::dynamic {

namespace {

kubernetes::ResourceClientCore CoreFor(const rest::Client& client, ResourceInfo info) {
  return {client, runtime::UnstructuredType(std::move(info)), ""};
}

}  // namespace

NamespaceableResourceInterface::NamespaceableResourceInterface(const rest::Client& client,
                                                               const ResourceInfo& info)
    : ResourceInterface(CoreFor(client, info)), namespaced_(CoreFor(client, info)) {}

NamespaceableResourceInterface::NamespaceableResourceInterface(const rest::Client& client,
                                                               const GroupVersionResource& gvr)
    : ResourceInterface(CoreFor(client, {.group = gvr.group,
                                         .version = gvr.version,
                                         .kind = {},
                                         .plural = gvr.resource,
                                         .scope = Scope::kCluster})),
      namespaced_(CoreFor(client, {.group = gvr.group,
                                   .version = gvr.version,
                                   .kind = {},
                                   .plural = gvr.resource,
                                   .scope = Scope::kNamespaced})) {}

ResourceInterface NamespaceableResourceInterface::Namespace(std::string_view namespace_) const {
  return ResourceInterface(namespaced_.InNamespace(namespace_));
}

Result<Client> Client::New(const rest::Config& config) {
  auto client = rest::Client::New(config);
  if (!client) return std::move(client).error();
  return Client(std::move(*client));
}

}  // namespace k8s::inline v0::dynamic
