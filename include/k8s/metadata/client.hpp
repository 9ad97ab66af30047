#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <string_view>
#include <utility>

/// Objects of any resource without their specs: much less to send, decode and hold. Mirrors
/// client-go's metadata.
namespace k8s::inline v0::metadata {

/// The type of objects of which only the metadata is asked for. `kind` and `apiVersion` of the
/// objects are left unset.
[[nodiscard]] std::shared_ptr<const runtime::ObjectType> MetadataType(
    const GroupVersionResource& gvr, Scope scope);

/// The verbs of one resource that make sense without its objects' specs. Mirrors
/// metadata.ResourceInterface.
/// **Thread safety, blocking, errors.** As kubernetes::ResourceClientCore.
class ResourceInterface : private kubernetes::ResourceClient<metav1::PartialObjectMetadata> {
  using Base = kubernetes::ResourceClient<metav1::PartialObjectMetadata>;

 public:
  explicit ResourceInterface(kubernetes::ResourceClientCore core) : Base(std::move(core)) {}

  using Base::core;
  using Base::Delete;
  using Base::DeleteCollection;
  using Base::Get;
  using Base::List;
  using Base::Patch;
  using Base::Visit;
  using Base::Watch;
};

/// A resource in all namespaces (or cluster-scoped), from which one namespace can be chosen.
class NamespaceableResourceInterface : public ResourceInterface {
 public:
  NamespaceableResourceInterface(const rest::Client& client, const GroupVersionResource& gvr);

  [[nodiscard]] ResourceInterface Namespace(std::string_view namespace_) const;

 private:
  kubernetes::ResourceClientCore namespaced_;
};

/// A cheap value. Mirrors metadata.Client.
/// **Thread safety.** All members may be called from any thread at any time.
class Client {
 public:
  /// Checks `config`; nothing is sent. Errors: kConfig.
  static Result<Client> New(const rest::Config& config);
  explicit Client(rest::Client client) : client_(std::move(client)) {}

  [[nodiscard]] NamespaceableResourceInterface Resource(const GroupVersionResource& gvr) const {
    return {client_, gvr};
  }

 private:
  rest::Client client_;
};

}  // namespace k8s::inline v0::metadata
