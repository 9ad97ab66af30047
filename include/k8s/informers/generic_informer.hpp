#pragma once

#include <k8s/cache/listers.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <memory>
#include <utility>

namespace k8s::inline v0::informers {

/// The factory's one informer of a resource with `Unstructured` objects. Mirrors
/// informers.GenericInformer.
/// **Thread safety**, **Lifetime.** As TypedInformer.
class GenericInformer {
 public:
  explicit GenericInformer(std::shared_ptr<cache::SharedInformerCore> core)
      : core_(std::move(core)) {}

  [[nodiscard]] cache::SharedIndexInformer<Unstructured> Informer() const {
    return cache::SharedIndexInformer<Unstructured>(core_);
  }
  [[nodiscard]] cache::Lister<Unstructured> Lister() const {
    return cache::Lister<Unstructured>(core_->store());
  }

 private:
  std::shared_ptr<cache::SharedInformerCore> core_;
};

}  // namespace k8s::inline v0::informers
