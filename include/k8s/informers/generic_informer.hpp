#pragma once

#include <k8s/cache/listers.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <memory>
#include <utility>

namespace k8s::inline v0 {

namespace metav1 {
struct PartialObjectMetadata;
}

namespace informers {

/// The factory's one informer of a resource that is known by its name, with objects of type T.
/// **Thread safety**, **Lifetime.** As TypedInformer.
template <class T>
class NamedInformer {
 public:
  explicit NamedInformer(std::shared_ptr<cache::SharedInformerCore> core)
      : core_(std::move(core)) {}

  [[nodiscard]] cache::SharedIndexInformer<T> Informer() const {
    return cache::SharedIndexInformer<T>(core_);
  }
  [[nodiscard]] cache::Lister<T> Lister() const { return cache::Lister<T>(core_->store()); }

 private:
  std::shared_ptr<cache::SharedInformerCore> core_;
};

/// Whole objects of any kind. Mirrors informers.GenericInformer.
using GenericInformer = NamedInformer<Unstructured>;

/// Metadata alone; to use it, include <k8s/apis/meta/v1.hpp>. `kind` and `apiVersion` of the
/// objects are left unset. Mirrors what metadatainformer's ForResource returns.
using MetadataInformer = NamedInformer<metav1::PartialObjectMetadata>;

}  // namespace informers
}  // namespace k8s::inline v0
