#include <k8s/apis/authentication/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/policy/v1.hpp>
#include <k8s/kubernetes/typed/expansions.hpp>
#include <k8s/runtime/object_type_of.hpp>

#include <memory>

namespace k8s::inline v0::kubernetes::detail {

namespace {

/// The type of what is only ever a part of a resource: it has no path of its own.
template <class T>
std::shared_ptr<const runtime::ObjectType> PartType(std::string_view group, std::string_view kind) {
  return std::make_shared<const runtime::ObjectType>(runtime::MakeObjectType<T>(
      {.group = std::string(group), .version = "v1", .kind = std::string(kind), .plural = ""}));
}

}  // namespace

std::shared_ptr<const runtime::ObjectType> ScaleType() {
  static const auto type = PartType<autoscalingv1::Scale>("autoscaling", "Scale");
  return type;
}

std::shared_ptr<const runtime::ObjectType> EvictionType() {
  static const auto type = PartType<policyv1::Eviction>("policy", "Eviction");
  return type;
}

std::shared_ptr<const runtime::ObjectType> TokenRequestType() {
  static const auto type =
      PartType<authenticationv1::TokenRequest>("authentication.k8s.io", "TokenRequest");
  return type;
}

}  // namespace k8s::inline v0::kubernetes::detail
