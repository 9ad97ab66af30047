#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>

#include <optional>
#include <utility>

namespace k8s::inline v0::cache {

namespace {

class RestListWatch final : public ListerWatcher {
 public:
  RestListWatch(kubernetes::ResourceClientCore client, TweakListOptionsFunc tweak)
      : client_(std::move(client)), tweak_(std::move(tweak)) {}

  Result<ListResult> List(const metav1::ListOptions& options, const VisitFunc& visit,
                          std::stop_token stop) override {
    return Client().List(Tweaked(options), visit, std::move(stop));
  }

  Result<std::unique_ptr<watch::Interface>> Watch(const metav1::ListOptions& options,
                                                  std::stop_token stop) override {
    return Client().Watch(Tweaked(options), std::move(stop));
  }

  [[nodiscard]] std::string WaitsFor() const override { return client_.WaitsFor(); }

  void SetIdleTimeouts(const IdleTimeouts& timeouts) override { idle_timeouts_ = timeouts; }

 private:
  [[nodiscard]] metav1::ListOptions Tweaked(metav1::ListOptions options) const {
    if (tweak_) tweak_(options);
    return options;
  }

  [[nodiscard]] kubernetes::ResourceClientCore Client() const {
    return idle_timeouts_ ? client_.WithIdleTimeouts(*idle_timeouts_) : client_;
  }

  const kubernetes::ResourceClientCore client_;  ///< WaitsFor may be called from any thread.
  const TweakListOptionsFunc tweak_;
  std::optional<IdleTimeouts> idle_timeouts_;
};

}  // namespace

std::shared_ptr<ListerWatcher> NewListWatchFromClient(kubernetes::ResourceClientCore client,
                                                      TweakListOptionsFunc tweak) {
  return std::make_shared<RestListWatch>(std::move(client), std::move(tweak));
}

}  // namespace k8s::inline v0::cache
