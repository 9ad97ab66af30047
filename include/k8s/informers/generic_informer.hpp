#pragma once

#include <k8s/cache/listers.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/informers/factory_core.hpp>
#include <k8s/resource.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <utility>

namespace k8s::inline v0::informers {

/// Access to the factory's one informer of a resource with `Unstructured` objects. Mirrors
/// informers.GenericInformer.
/// **Thread safety**, **Lifetime.** As TypedInformer.
class GenericInformer {
 public:
  GenericInformer(FactoryCorePtr core, GroupVersionResource resource)
      : core_(std::move(core)), resource_(std::move(resource)) {}

  [[nodiscard]] cache::SharedIndexInformer<Unstructured> Informer() const {
    return cache::SharedIndexInformer<Unstructured>(InformerFor(*core_, resource_));
  }
  [[nodiscard]] cache::Lister<Unstructured> Lister() const {
    return cache::Lister<Unstructured>(Informer().core()->store());
  }

 private:
  FactoryCorePtr core_;
  GroupVersionResource resource_;
};

}  // namespace k8s::inline v0::informers
