#include <k8s/codec/codec.hpp>
#include <k8s/metadata/client.hpp>
#include <k8s/runtime/object_type_of.hpp>
#include <k8s/runtime/status.hpp>

#include <utility>

namespace k8s::inline v0::metadata {

namespace {

using metav1::PartialObjectMetadata;

constexpr std::string_view kKind = "PartialObjectMetadata";

/// Takes any kind: servers that do not know the form send whole objects, of which the rest is
/// skipped.
Result<runtime::AnyPtr> Decode(const runtime::ObjectType& /*type*/, std::string_view json) {
  auto object = codec::Decode<PartialObjectMetadata>(json);
  if (!object) return std::move(object).error();
  if (object->kind == "Status") {
    if (auto failure = runtime::ErrorFromStatus(json)) return std::move(*failure);
  }
  if (object->metadata.name.empty()) return DecodeError("the object has no metadata.name");
  object->kind.clear();
  object->apiVersion.clear();
  return runtime::AnyPtr(std::make_shared<const PartialObjectMetadata>(std::move(*object)));
}

void Encode(const runtime::ObjectType& /*type*/, const void* object, std::string& out) {
  auto named = *static_cast<const PartialObjectMetadata*>(object);
  named.kind = kKind;
  named.apiVersion = "meta.k8s.io/v1";
  codec::Encode(codec::Describe<PartialObjectMetadata>::info, &named, out);
}

kubernetes::ResourceClientCore CoreFor(const rest::Client& client, const GroupVersionResource& gvr,
                                       Scope scope) {
  return {client, MetadataType(gvr, scope), ""};
}

}  // namespace

std::shared_ptr<const runtime::ObjectType> MetadataType(const GroupVersionResource& gvr,
                                                        Scope scope) {
  auto type = runtime::MakeObjectType<PartialObjectMetadata>({.group = gvr.group,
                                                              .version = gvr.version,
                                                              .kind = std::string(kKind),
                                                              .plural = gvr.resource,
                                                              .scope = scope});
  type.decode = &Decode;
  type.encode = &Encode;
  type.as = kKind;
  return std::make_shared<const runtime::ObjectType>(std::move(type));
}

NamespaceableResourceInterface::NamespaceableResourceInterface(const rest::Client& client,
                                                               const GroupVersionResource& gvr)
    : ResourceInterface(CoreFor(client, gvr, Scope::kCluster)),
      namespaced_(CoreFor(client, gvr, Scope::kNamespaced)) {}

ResourceInterface NamespaceableResourceInterface::Namespace(std::string_view namespace_) const {
  return ResourceInterface(namespaced_.InNamespace(namespace_));
}

Result<Client> Client::New(const rest::Config& config) {
  auto client = rest::Client::New(config);
  if (!client) return std::move(client).error();
  return Client(std::move(*client));
}

}  // namespace k8s::inline v0::metadata
