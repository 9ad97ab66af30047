#pragma once

#include <k8s/cache/listers.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/informers/factory_core.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <utility>

namespace k8s::inline v0::informers {

/// The lister class of T. Built-in types have their own, with client-go's names in it
/// (`Lister().Pods("default")`); all others use `cache::Lister<T>`.
template <class T>
struct ListerTrait {
  using type = cache::Lister<T>;
};
template <class T>
using ListerFor = typename ListerTrait<T>::type;

/// Access to the factory's one informer of a type, as `factory.Core().V1().Pods()` or
/// `factory.For<T>()` return it. Nothing is created before `Informer` or `Lister` is called; what
/// they create runs from the factory's next `Start` on. Mirrors PodInformer and its like.
///
/// **Thread safety.** A cheap handle; copies may be used from any thread.
/// **Lifetime.** May outlive the factory: the informer is stopped then, its store still answers.
template <class T>
class TypedInformer {
 public:
  explicit TypedInformer(FactoryCorePtr core) : core_(std::move(core)) {}

  /// The informer, the same one for whoever asks.
  [[nodiscard]] cache::SharedIndexInformer<T> Informer() const {
    static_assert(sizeof(T) > 0, "include the type's header, <k8s/apis/core/v1.hpp> for example");
    return cache::SharedIndexInformer<T>(InformerFor(*core_, runtime::ObjectTypeOf<T>()));
  }
  /// Reads from the informer's store. Empty until the informer was started and has synced;
  /// `WaitForCacheSync` reports informers that were asked for but never started.
  [[nodiscard]] ListerFor<T> Lister() const { return ListerFor<T>(Informer().core()->store()); }

 private:
  FactoryCorePtr core_;
};

}  // namespace k8s::inline v0::informers
