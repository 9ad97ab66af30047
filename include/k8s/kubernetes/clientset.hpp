#pragma once

#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/kubernetes/typed/accessors.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/result.hpp>

#include <string_view>
#include <utility>

namespace k8s::inline v0::kubernetes {

/// Typed access to one API server: `client.CoreV1().Pods("default").Get("web-0")`. A cheap value;
/// copies share connections and rate limiter. Mirrors kubernetes.Clientset.
///
/// **Thread safety.** All members may be called from any thread at any time.
/// **Lifetime.** Whatever is made from it keeps the connections alive.
class Clientset : public ClientsetAccessors {
 public:
  /// Checks `config`; nothing is sent. Errors: kConfig. Mirrors kubernetes.NewForConfig.
  static Result<Clientset> New(const rest::Config& config) {
    auto client = rest::Client::New(config);
    if (!client) return std::move(client).error();
    return Clientset(std::move(*client));
  }

  explicit Clientset(rest::Client client) : ClientsetAccessors(std::move(client)) {}

  [[nodiscard]] const rest::Client& RESTClient() const { return rest_client(); }

  /// The verbs of any type with an ObjectType: a user's own types as well as built-in ones.
  /// `namespace_`: empty for all namespaces or a cluster-scoped resource.
  template <class T>
  [[nodiscard]] ResourceClient<T> Resource(std::string_view namespace_ = {}) const {
    return ResourceClient<T>(rest_client(), namespace_);
  }
};

}  // namespace k8s::inline v0::kubernetes
