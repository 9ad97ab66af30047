#include <k8s/dynamic/client.hpp>

#include <string>
#include <utility>

namespace k8s::inline v0::dynamic {

namespace {

kubernetes::ResourceClientCore CoreFor(const rest::Client& client, ResourceInfo info) {
  return {client, runtime::UnstructuredType(std::move(info)), ""};
}

Result<Unstructured> ValueOf(Result<runtime::AnyPtr> object) {
  if (!object) return std::move(object).error();
  return *static_cast<const Unstructured*>(object->get());
}

kubernetes::ObjectPath At(std::string_view name, std::string_view subresource) {
  return {.name = std::string(name), .subresource = std::string(subresource)};
}

}  // namespace

kubernetes::ResourceClientCore ResourceInterface::CoreOf(std::string_view subresource) const {
  // The status is sent and received as the whole object, all other parts have kinds of their own.
  if (subresource.empty() || subresource == "status") return core();
  auto info = core().type().info;
  info.kind.clear();
  return core().WithType(runtime::UnstructuredType(std::move(info)));
}

Result<Unstructured> ResourceInterface::Get(std::string_view name,
                                            const metav1::GetOptions& options,
                                            std::string_view subresource,
                                            std::stop_token stop) const {
  return ValueOf(CoreOf(subresource).Get(At(name, subresource), options, std::move(stop)));
}

Result<Unstructured> ResourceInterface::Create(const Unstructured& object,
                                               const metav1::CreateOptions& options,
                                               std::string_view subresource,
                                               std::stop_token stop) const {
  if (subresource.empty()) return Create(object, options, std::move(stop));
  return ValueOf(
      CoreOf(subresource)
          .CreateAt(At(object.GetName(), subresource), &object, options, std::move(stop)));
}

Result<Unstructured> ResourceInterface::Update(const Unstructured& object,
                                               const metav1::UpdateOptions& options,
                                               std::string_view subresource,
                                               std::stop_token stop) const {
  return ValueOf(CoreOf(subresource).Update(&object, subresource, options, std::move(stop)));
}

Result<Unstructured> ResourceInterface::Patch(std::string_view name,
                                              const kubernetes::PatchBody& patch,
                                              const metav1::PatchOptions& options,
                                              std::string_view subresource,
                                              std::stop_token stop) const {
  return ValueOf(CoreOf(subresource).Patch(At(name, subresource), patch, options, std::move(stop)));
}

Result<void> ResourceInterface::Delete(std::string_view name, const metav1::DeleteOptions& options,
                                       std::string_view subresource, std::stop_token stop) const {
  return CoreOf(subresource).Delete(At(name, subresource), options, std::move(stop));
}

Result<Unstructured> ResourceInterface::Apply(std::string_view name, const Unstructured& object,
                                              const kubernetes::ApplyOptions& options,
                                              std::stop_token stop) const {
  return Apply(name, object, options, std::string_view(), std::move(stop));
}

Result<Unstructured> ResourceInterface::Apply(std::string_view name, const Unstructured& object,
                                              const kubernetes::ApplyOptions& options,
                                              std::string_view subresource,
                                              std::stop_token stop) const {
  // A server refuses them with less to go by.
  if (object.NestedField({"metadata", "managedFields"}) != nullptr) {
    return InvalidArgument(
        "apply of \"" + std::string(name) +
        "\": metadata.managedFields must not be set: name only the fields to own");
  }
  const auto core = CoreOf(subresource);
  std::string fields;
  core.type().encode(core.type(), &object, fields);
  return ValueOf(core.Apply(At(name, subresource), std::move(fields), options, std::move(stop)));
}

Result<Unstructured> ResourceInterface::ApplyStatus(std::string_view name,
                                                    const Unstructured& object,
                                                    const kubernetes::ApplyOptions& options,
                                                    std::stop_token stop) const {
  return Apply(name, object, options, "status", std::move(stop));
}

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
