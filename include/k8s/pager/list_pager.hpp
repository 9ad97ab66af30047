#pragma once

#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/listwatch.hpp>
#include <k8s/kubernetes/resource_client.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <utility>

/// Lists in pages. Mirrors client-go's tools/pager.
namespace k8s::inline v0::pager {

/// How a ListPager asks.
struct ListPagerOptions {
  /// Items per page where ListOptions::limit is 0. Default 500.
  std::int64_t pageSize = 500;
  /// Whether `List` asks for everything at once when the list expires between two pages (410).
  bool fullListIfExpired = true;
};

namespace detail {

/// One page: what ResourceClientCore::List does.
using PageFunc = cache::ListFunc;

/// Visits all items; `start_over` is called when those visited count for nothing, and is empty
/// where that is an error.
Result<cache::ListResult> List(const PageFunc& page, const ListPagerOptions& how,
                               metav1::ListOptions options, const std::function<void()>& start_over,
                               const cache::VisitFunc& visit, std::stop_token stop);

/// Visits all items until `visit` fails.
Result<cache::ListResult> EachListItem(const PageFunc& page, const ListPagerOptions& how,
                                       metav1::ListOptions options,
                                       const std::function<Result<void>(runtime::AnyPtr)>& visit,
                                       const std::stop_token& stop);

}  // namespace detail

/// Lists a resource page by page, so that a server never has to answer a long list at once.
/// Continuation pages are asked for without resourceVersion, as servers demand.
/// **Thread safety.** All members may be called from any thread at any time.
/// **Mirrors** pager.ListPager. Differs: nothing is prefetched, for the items of a page are handed
/// over while its bytes arrive and the transport reads ahead by itself.
template <class T>
class ListPager {
 public:
  explicit ListPager(const kubernetes::ResourceClient<T>& client, ListPagerOptions options = {})
      : page_([core = client.core()](const metav1::ListOptions& list, const cache::VisitFunc& visit,
                                     std::stop_token stop) {
          return core.List(list, visit, std::move(stop));
        }),
        options_(options) {}

  /// All items. If the list expires between two pages it is fetched anew in one piece, see
  /// ListPagerOptions. **Blocking.** Ends at once when `stop` is triggered.
  Result<kubernetes::List<T>> List(const metav1::ListOptions& options = {},
                                   std::stop_token stop = {}) const {
    kubernetes::List<T> list;
    auto rest = detail::List(
        page_, options_, options, [&list] { list.items.clear(); },
        [&list](runtime::AnyPtr item) {
          list.items.push_back(std::static_pointer_cast<const T>(std::move(item)));
        },
        std::move(stop));
    if (!rest) return std::move(rest).error();
    list.resourceVersion = std::move(rest->resourceVersion);
    list.unreadable = std::move(rest->unreadable);
    return list;
  }

  /// Calls `visit(ObjectPtr<T>)`, which returns a Result<void>, with each item as soon as its bytes
  /// are there; no page is ever held. Ends with the first error that `visit` returns. A list that
  /// expires between two pages is an error (IsResourceExpired), for its items were visited already.
  /// `visit` is called on this thread and may use the client.
  /// **Blocking.** Ends at once when `stop` is triggered.
  template <class F>
  Result<cache::ListResult> EachListItem(const metav1::ListOptions& options, F&& visit,
                                         std::stop_token stop = {}) const {
    return detail::EachListItem(
        page_, options_, options,
        [&visit](runtime::AnyPtr item) -> Result<void> {
          return visit(std::static_pointer_cast<const T>(std::move(item)));
        },
        stop);
  }

 private:
  detail::PageFunc page_;
  ListPagerOptions options_;
};

}  // namespace k8s::inline v0::pager
