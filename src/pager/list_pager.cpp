#include <k8s/pager/list_pager.hpp>

#include <iterator>
#include <utility>
#include <vector>

namespace k8s::inline v0::pager::detail {

namespace {

void Append(std::vector<Error>& all, std::vector<Error> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

Result<cache::ListResult> List(const PageFunc& page, const ListPagerOptions& how,
                               metav1::ListOptions options, const std::function<void()>& start_over,
                               const cache::VisitFunc& visit, std::stop_token stop) {
  const auto asked = options;
  if (options.limit == 0) options.limit = how.pageSize;
  std::vector<Error> unreadable;
  while (true) {
    auto got = page(options, visit, stop);
    if (!got) {
      const bool may_start_over = start_over && how.fullListIfExpired && !options.continue_.empty();
      if (!may_start_over || !IsResourceExpired(got.error())) return got;
      start_over();
      options = asked;
      options.limit = 0;
      options.continue_.clear();
      return page(options, visit, std::move(stop));
    }
    Append(unreadable, std::move(got->unreadable));
    if (got->continueToken.empty()) {
      got->unreadable = std::move(unreadable);
      return got;
    }
    options.continue_ = std::move(got->continueToken);
    // The token says the version; servers refuse to be told twice.
    options.resourceVersion.clear();
    options.resourceVersionMatch.clear();
  }
}

Result<cache::ListResult> EachListItem(const PageFunc& page, const ListPagerOptions& how,
                                       metav1::ListOptions options,
                                       const std::function<Result<void>(runtime::AnyPtr)>& visit,
                                       const std::stop_token& stop) {
  std::stop_source end;
  const std::stop_callback follow(stop, [&end] { end.request_stop(); });
  Result<void> visited;
  auto got = List(
      page, how, std::move(options), {},
      [&](runtime::AnyPtr item) {
        if (!visited) return;
        visited = visit(std::move(item));
        if (!visited) end.request_stop();
      },
      end.get_token());
  if (!visited) return std::move(visited).error();
  return got;
}

}  // namespace k8s::inline v0::pager::detail
