// The names under which client-go has its resources.

#include <k8s/apis/admissionregistration/v1.hpp>
#include <k8s/apis/apiserverinternal/v1alpha1.hpp>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/flowcontrol/v1.hpp>
#include <k8s/apis/networking/v1.hpp>
#include <k8s/apis/rbac/v1.hpp>
#include <k8s/informers/accessors.hpp>
#include <k8s/kubernetes/typed/accessors.hpp>

#include <gtest/gtest.h>

#include <string_view>
#include <type_traits>
#include <utility>

namespace k8s::testing {
namespace {

using Client = kubernetes::ClientsetAccessors;
using Factory = informers::detail::GroupAccessors;

/// Some kinds' clients have methods of their own besides.
template <class T, class Accessed>
constexpr bool IsClientOf = std::is_base_of_v<kubernetes::ResourceClient<T>, Accessed>;
template <class T, class Accessed>
constexpr bool IsInformerOf = std::is_same_v<Accessed, informers::TypedInformer<T>>;

#define CLIENT(expression) decltype(std::declval<Client&>().expression)
#define INFORMER(expression) decltype(std::declval<Factory&>().expression)

TEST(AccessorsTest, ClientsHaveClientGosNames) {
  EXPECT_TRUE((IsClientOf<corev1::Pod, CLIENT(CoreV1().Pods("default"))>));
  EXPECT_TRUE((IsClientOf<corev1::Node, CLIENT(CoreV1().Nodes())>));
  EXPECT_TRUE((IsClientOf<corev1::Endpoints, CLIENT(CoreV1().Endpoints("default"))>));
  EXPECT_TRUE((IsClientOf<appsv1::Deployment, CLIENT(AppsV1().Deployments("default"))>));
  EXPECT_TRUE((IsClientOf<rbacv1::Role, CLIENT(RbacV1().Roles("default"))>));
  EXPECT_TRUE(
      (IsClientOf<networkingv1::NetworkPolicy, CLIENT(NetworkingV1().NetworkPolicies("default"))>));
  EXPECT_TRUE((IsClientOf<networkingv1::Ingress, CLIENT(NetworkingV1().Ingresses("default"))>));
  EXPECT_TRUE((IsClientOf<flowcontrolv1::FlowSchema, CLIENT(FlowcontrolV1().FlowSchemas())>));
  EXPECT_TRUE((IsClientOf<apiserverinternalv1alpha1::StorageVersion,
                          CLIENT(InternalV1alpha1().StorageVersions())>));
}

TEST(AccessorsTest, InformersHaveClientGosNames) {
  EXPECT_TRUE((IsInformerOf<corev1::Pod, INFORMER(Core().V1().Pods())>));
  EXPECT_TRUE((IsInformerOf<appsv1::DaemonSet, INFORMER(Apps().V1().DaemonSets())>));
  EXPECT_TRUE(
      (IsInformerOf<admissionregistrationv1::ValidatingWebhookConfiguration,
                    INFORMER(Admissionregistration().V1().ValidatingWebhookConfigurations())>));
  EXPECT_TRUE(
      (IsInformerOf<flowcontrolv1::FlowSchema, INFORMER(Flowcontrol().V1().FlowSchemas())>));
}

TEST(AccessorsTest, NamespacedTypesHaveListersOfTheirOwn) {
  EXPECT_TRUE(
      (std::is_same_v<informers::ListerFor<corev1::Pod>, informers::PodLister<corev1::Pod>>));
  EXPECT_TRUE((std::is_same_v<informers::ListerFor<corev1::Node>, cache::Lister<corev1::Node>>));
}

}  // namespace
}  // namespace k8s::testing
