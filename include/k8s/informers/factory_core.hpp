#pragma once

#include <memory>

namespace k8s::inline v0::informers {

/// The type-erased factory behind SharedInformerFactory, its accessors and its listers. Generated
/// accessors pass it on and need not know more:
///
///   namespace detail { class GroupAccessors {
///    public:
///     explicit GroupAccessors(std::shared_ptr<FactoryCore> core);
///     core::Interface Core() const;     // .V1() -> .Pods() -> TypedInformer<corev1::Pod>(core_)
///    protected:
///     const std::shared_ptr<FactoryCore>& core() const; }; }
class FactoryCore;

using FactoryCorePtr = std::shared_ptr<FactoryCore>;

}  // namespace k8s::inline v0::informers
