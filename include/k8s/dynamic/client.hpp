#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <stop_token>
#include <string_view>
#include <utility>

namespace k8s::inline v0::dynamic {

/// The verbs of one resource on objects without a C++ type: those of ResourceClient, and the same
/// on a part of an object, such as "status" or "scale". A part may be of any kind; what a server
/// answers to an eviction or a binding is a Status. Mirrors dynamic.ResourceInterface. Differs: of
/// subresources one name, no path.
/// **Thread safety, blocking, errors.** As kubernetes::ResourceClientCore.
class ResourceInterface : public kubernetes::ResourceClient<Unstructured> {
  using Base = kubernetes::ResourceClient<Unstructured>;

 public:
  explicit ResourceInterface(kubernetes::ResourceClientCore core) : Base(std::move(core)) {}

  using Base::Apply;
  using Base::ApplyStatus;
  using Base::Create;
  using Base::Delete;
  using Base::Get;
  using Base::Patch;
  using Base::Update;

  [[nodiscard]] Result<Unstructured> Get(std::string_view name, const metav1::GetOptions& options,
                                         std::string_view subresource,
                                         std::stop_token stop = {}) const;
  /// At the subresource of the object that `object` names.
  Result<Unstructured> Create(const Unstructured& object, const metav1::CreateOptions& options,
                              std::string_view subresource, std::stop_token stop = {}) const;
  Result<Unstructured> Update(const Unstructured& object, const metav1::UpdateOptions& options,
                              std::string_view subresource, std::stop_token stop = {}) const;
  Result<Unstructured> Patch(std::string_view name, const kubernetes::PatchBody& patch,
                             const metav1::PatchOptions& options, std::string_view subresource,
                             std::stop_token stop = {}) const;
  Result<void> Delete(std::string_view name, const metav1::DeleteOptions& options,
                      std::string_view subresource, std::stop_token stop = {}) const;

  /// Server-side apply of the fields that `object` has; apiVersion and kind may be missing if the
  /// resource's ResourceInfo is known. Errors: kInvalidArgument if it has managedFields, as all
  /// objects of a server do; IsConflict, with FieldManagerConflicts.
  Result<Unstructured> Apply(std::string_view name, const Unstructured& object,
                             const kubernetes::ApplyOptions& options,
                             std::stop_token stop = {}) const;
  Result<Unstructured> Apply(std::string_view name, const Unstructured& object,
                             const kubernetes::ApplyOptions& options, std::string_view subresource,
                             std::stop_token stop = {}) const;
  Result<Unstructured> ApplyStatus(std::string_view name, const Unstructured& object,
                                   const kubernetes::ApplyOptions& options,
                                   std::stop_token stop = {}) const;

 private:
  [[nodiscard]] kubernetes::ResourceClientCore CoreOf(std::string_view subresource) const;
};

/// A resource in all namespaces (or cluster-scoped), from which one namespace can be chosen.
/// Mirrors dynamic.NamespaceableResourceInterface.
class NamespaceableResourceInterface : public ResourceInterface {
 public:
  NamespaceableResourceInterface(const rest::Client& client, const ResourceInfo& info);
  /// Whether the resource is namespaced is the server's business.
  NamespaceableResourceInterface(const rest::Client& client, const GroupVersionResource& gvr);

  [[nodiscard]] ResourceInterface Namespace(std::string_view namespace_) const;

 private:
  kubernetes::ResourceClientCore namespaced_;
};

/// Access to any resource of an API server by its name. A cheap value. Mirrors
/// dynamic.DynamicClient.
/// **Thread safety.** All members may be called from any thread at any time.
class Client {
 public:
  /// Checks `config`; nothing is sent. Errors: kConfig.
  static Result<Client> New(const rest::Config& config);
  explicit Client(rest::Client client) : client_(std::move(client)) {}

  [[nodiscard]] const rest::Client& RESTClient() const { return client_; }

  /// Kind and scope are the server's business: any kind is accepted.
  [[nodiscard]] NamespaceableResourceInterface Resource(const GroupVersionResource& gvr) const {
    return {client_, gvr};
  }
  /// Objects of another kind than `info.kind` are refused.
  [[nodiscard]] NamespaceableResourceInterface Resource(const ResourceInfo& info) const {
    return {client_, info};
  }

 private:
  rest::Client client_;
};

}  // namespace k8s::inline v0::dynamic
