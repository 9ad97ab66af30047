#pragma once

#include <k8s/runtime/object_type.hpp>

#include <functional>
#include <memory>

namespace k8s::inline v0 {

namespace cache {
class ListerWatcher;
class SharedInformerCore;
}  // namespace cache

namespace informers {

/// Makes the lists and watches of one resource for an informer.
using ListerWatcherFunc = std::function<std::shared_ptr<cache::ListerWatcher>(
    std::shared_ptr<const runtime::ObjectType> type)>;

/// The type-erased factory behind SharedInformerFactory and the accessors and listers that it hands
/// out. Accessors only pass it on.
class FactoryCore;
using FactoryCorePtr = std::shared_ptr<FactoryCore>;

/// The factory's one informer of a C++ type, made now if nobody asked for it before.
[[nodiscard]] std::shared_ptr<cache::SharedInformerCore> InformerFor(
    FactoryCore& core, const runtime::ObjectType& type);

}  // namespace informers
}  // namespace k8s::inline v0
