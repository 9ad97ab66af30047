#pragma once

#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/resource.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/runtime/object_type.hpp>

#include <memory>
#include <string>

namespace k8s::inline v0::informers {

/// Names of a resource as far as they are known without a server: all of a built-in one; of any
/// other no kind, and a scope that is a guess.
[[nodiscard]] ResourceInfo KnownInfo(const GroupVersionResource& resource);

/// Whether the scope of `type` is certain.
[[nodiscard]] bool ScopeIsKnown(const runtime::ObjectType& type);

/// Lists and watches a resource in namespace `ns` if it is namespaced, and everywhere if it is not;
/// asks the server which is the case at the first list or watch.
[[nodiscard]] std::shared_ptr<cache::ListerWatcher> ResolvingListWatch(
    rest::Client client, std::shared_ptr<const runtime::ObjectType> type, std::string ns,
    cache::TweakListOptionsFunc tweak);

}  // namespace k8s::inline v0::informers
