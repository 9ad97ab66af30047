#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>

#include <utility>

namespace k8s::inline v0::cache {

namespace {

class RestListWatch final : public ListerWatcher {
 public:
  RestListWatch(kubernetes::ResourceClientCore client, TweakListOptionsFunc tweak)
      : client_(std::move(client)), tweak_(std::move(tweak)) {}

  Result<ListResult> List(const metav1::ListOptions& options, const VisitFunc& visit,
                          std::stop_token stop) override {
    return client_.List(Tweaked(options), visit, std::move(stop));
  }

  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override {
    return client_.Watch(Tweaked(options), std::move(stop));
  }

 private:
  [[nodiscard]] metav1::ListOptions Tweaked(metav1::ListOptions options) const {
    if (tweak_) tweak_(options);
    return options;
  }

  const kubernetes::ResourceClientCore client_;
  const TweakListOptionsFunc tweak_;
};

}  // namespace

std::shared_ptr<ListerWatcher> NewListWatchFromClient(kubernetes::ResourceClientCore client,
                                                      TweakListOptionsFunc tweak) {
  return std::make_shared<RestListWatch>(std::move(client), std::move(tweak));
}

}  // namespace k8s::inline v0::cache
