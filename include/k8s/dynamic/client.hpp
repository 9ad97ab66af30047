#pragma once

#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <string_view>
#include <utility>

namespace k8s::inline v0::dynamic {

/// The verbs of one resource on objects without a C++ type. Mirrors dynamic.ResourceInterface.
using ResourceInterface = kubernetes::ResourceClient<Unstructured>;

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
