#include <k8s/cache/listwatch.hpp>

#include <utility>

namespace k8s::inline v0::cache {

Result<ListResult> ListWatch::List(const metav1::ListOptions& options, const VisitFunc& visit,
                                   std::stop_token stop) {
  return list_(options, visit, std::move(stop));
}

Result<std::unique_ptr<watch::Interface>> ListWatch::Watch(const metav1::ListOptions& options,
                                                           std::stop_token stop) {
  return watch_(options, std::move(stop));
}

}  // namespace k8s::inline v0::cache
