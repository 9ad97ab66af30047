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

  void SetRequestOptions(const RequestOptions& options) override { request_options_ = options; }

 private:
  [[nodiscard]] metav1::ListOptions Tweaked(metav1::ListOptions options) const {
    if (tweak_) tweak_(options);
    return options;
  }

  [[nodiscard]] kubernetes::ResourceClientCore Client() const {
    return request_options_ ? client_.WithRequestOptions(*request_options_) : client_;
  }

  const kubernetes::ResourceClientCore client_;  ///< WaitsFor may be called from any thread.
  const TweakListOptionsFunc tweak_;
  std::optional<RequestOptions> request_options_;
};

}  // namespace

std::shared_ptr<ListerWatcher> NewListWatchFromClient(kubernetes::ResourceClientCore client,
                                                      TweakListOptionsFunc tweak) {
  return std::make_shared<RestListWatch>(std::move(client), std::move(tweak));
}

}  // namespace k8s::inline v0::cache
