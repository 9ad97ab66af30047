#pragma once

#include <functional>
#include <memory>

namespace k8s::inline v0 {

namespace kubernetes {
class ResourceClientCore;
}
namespace metav1 {
struct ListOptions;
}

namespace cache {

class ListerWatcher;

/// Changes the options of every list and watch, last of all.
using TweakListOptionsFunc = std::function<void(metav1::ListOptions&)>;

/// Lists and watches what `client` stands for: a resource, in one namespace or in all. For
/// informers made without a factory:
/// `NewListWatchFromClient(client.CoreV1().Pods("default").core())`. Mirrors
/// NewFilteredListWatchFromClient.
[[nodiscard]] std::shared_ptr<ListerWatcher> NewListWatchFromClient(
    kubernetes::ResourceClientCore client, TweakListOptionsFunc tweak = {});

}  // namespace cache
}  // namespace k8s::inline v0
