#pragma once

#include <k8s/apis/fwd.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/kubernetes/pod_logs.hpp>
#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

/// What single resources can do beyond the verbs that all have. To use it, include the header of
/// the types that it takes: <k8s/apis/autoscaling/v1.hpp> for Scale, <k8s/apis/policy/v1.hpp> for
/// Eviction, <k8s/apis/authentication/v1.hpp> for TokenRequest. Mirrors client-go's expansions.
namespace k8s::inline v0::kubernetes {

namespace detail {
[[nodiscard]] std::shared_ptr<const runtime::ObjectType> ScaleType();
[[nodiscard]] std::shared_ptr<const runtime::ObjectType> EvictionType();
[[nodiscard]] std::shared_ptr<const runtime::ObjectType> TokenRequestType();

template <class T>
Result<T> ValueOf(Result<runtime::AnyPtr> object) {
  if (!object) return std::move(object).error();
  return *static_cast<const T*>(object->get());
}
}  // namespace detail

/// Resources with a number of replicas. Mirrors DeploymentInterface and its like.
template <class T>
class ScalableClient : public ResourceClient<T> {
 public:
  using ResourceClient<T>::ResourceClient;

  template <class S = autoscalingv1::Scale>
  Result<S> GetScale(std::string_view name, const metav1::GetOptions& options = {},
                     std::stop_token stop = {}) const {
    return detail::ValueOf<S>(Scales().Get(At(name), options, std::move(stop)));
  }
  /// Sets the replicas of `scale`; its resourceVersion, if set, must be the server's.
  template <class S = autoscalingv1::Scale>
  Result<S> UpdateScale(std::string_view name, S scale, const metav1::UpdateOptions& options = {},
                        std::stop_token stop = {}) const {
    scale.metadata.name = name;
    return detail::ValueOf<S>(Scales().Update(&scale, "scale", options, std::move(stop)));
  }
  /// As Apply, of an autoscaling/v1 Scale.
  template <class S = autoscalingv1::Scale>
  Result<S> ApplyScale(std::string_view name, std::string fields, const ApplyOptions& options,
                       std::stop_token stop = {}) const {
    return detail::ValueOf<S>(
        Scales().Apply(At(name), std::move(fields), options, std::move(stop)));
  }

 private:
  static ObjectPath At(std::string_view name) {
    return {.name = std::string(name), .subresource = "scale"};
  }
  [[nodiscard]] ResourceClientCore Scales() const {
    return this->core().WithType(detail::ScaleType());
  }
};

/// Mirrors PodInterface with PodExpansion.
template <class T>
class PodClient : public ResourceClient<T> {
 public:
  using ResourceClient<T>::ResourceClient;

  /// Opens the log of a container. **Blocking.** Until the first bytes or the answer's head are
  /// there; ends at once when `stop` is triggered.
  Result<LogStream> GetLogs(std::string_view name, const PodLogOptions& options = {},
                            std::stop_token stop = {}) const {
    return detail::OpenLogs(this->core(), name, options, std::move(stop));
  }
  /// Deletes the pod `eviction.metadata.name` unless a PodDisruptionBudget forbids it
  /// (IsTooManyRequests).
  template <class E = policyv1::Eviction>
  Result<void> EvictV1(const E& eviction, std::stop_token stop = {}) const {
    return this->core()
        .WithType(detail::EvictionType())
        .Submit({.name = eviction.metadata.name, .subresource = "eviction"}, &eviction, {},
                std::move(stop));
  }
  /// Says on which node the pod `binding.metadata.name` runs.
  template <class B = corev1::Binding>
  Result<void> Bind(const B& binding, const metav1::CreateOptions& options = {},
                    std::stop_token stop = {}) const {
    return this->core()
        .WithType(StaticObjectType<B>())
        .Submit({.name = binding.metadata.name, .subresource = "binding"}, &binding, options,
                std::move(stop));
  }
};

/// Mirrors ServiceAccountInterface.
template <class T>
class ServiceAccountClient : public ResourceClient<T> {
 public:
  using ResourceClient<T>::ResourceClient;

  /// Asks for a token of the account `name`.
  template <class R = authenticationv1::TokenRequest>
  Result<R> CreateToken(std::string_view name, const R& request,
                        const metav1::CreateOptions& options = {},
                        std::stop_token stop = {}) const {
    return detail::ValueOf<R>(this->core()
                                  .WithType(detail::TokenRequestType())
                                  .CreateAt({.name = std::string(name), .subresource = "token"},
                                            &request, options, std::move(stop)));
  }
};

/// The client class of T.
template <class T>
struct ClientTrait {
  using type = ResourceClient<T>;
};
template <class T>
using ClientFor = typename ClientTrait<T>::type;

template <>
struct ClientTrait<corev1::Pod> {
  using type = PodClient<corev1::Pod>;
};
template <>
struct ClientTrait<corev1::ServiceAccount> {
  using type = ServiceAccountClient<corev1::ServiceAccount>;
};
template <>
struct ClientTrait<corev1::ReplicationController> {
  using type = ScalableClient<corev1::ReplicationController>;
};
template <>
struct ClientTrait<appsv1::Deployment> {
  using type = ScalableClient<appsv1::Deployment>;
};
template <>
struct ClientTrait<appsv1::ReplicaSet> {
  using type = ScalableClient<appsv1::ReplicaSet>;
};
template <>
struct ClientTrait<appsv1::StatefulSet> {
  using type = ScalableClient<appsv1::StatefulSet>;
};

}  // namespace k8s::inline v0::kubernetes
