#include <k8s/cache/listers.hpp>
#include <k8s/cache/object_name.hpp>

#include <string>

namespace k8s::inline v0::cache {

std::vector<runtime::AnyPtr> ListMatching(const ThreadSafeStore& store, std::string_view namespace_,
                                          const labels::Selector& selector) {
  std::vector<runtime::AnyPtr> found;
  if (selector.MatchesNothing()) return found;
  const runtime::ObjectType& type = store.type();
  const bool all = selector.Empty();
  if (all && namespace_.empty()) found.reserve(store.size());
  const std::string_view index = namespace_.empty() ? std::string_view() : kNamespaceIndex;
  store.Visit(index, namespace_, [&](const runtime::AnyPtr& object) {
    if (!all) {
      const auto* labels = type.labels(object.get());
      if (!labels || !selector.Matches(*labels)) return;
    }
    found.push_back(object);
  });
  return found;
}

Result<runtime::AnyPtr> GetNamed(const ThreadSafeStore& store, std::string_view namespace_,
                                 std::string_view name) {
  auto object = store.Get(ObjectName{std::string(namespace_), std::string(name)}.ToString());
  if (object) return object;
  const ResourceInfo& info = store.type().info;
  return NewNotFound(info.group, info.plural, name);
}

}  // namespace k8s::inline v0::cache
