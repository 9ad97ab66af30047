#include <k8s/apis/resources.hpp>

#include <algorithm>
#include <string>

namespace k8s::inline v0::apis {
namespace {

template <class Range, class Predicate>
auto FindOrNull(const Range& range, Predicate predicate) -> decltype(range.data()) {
  const auto found = std::find_if(range.begin(), range.end(), predicate);
  return found == range.end() ? nullptr : &*found;
}

}  // namespace

ResourceInfo ResourceFacts::Info() const {
  return {.group = std::string(group),
          .version = std::string(version),
          .kind = std::string(kind),
          .plural = std::string(plural),
          .scope = scope};
}

bool ResourceFacts::HasVerb(std::string_view verb) const {
  return std::find(verbs.begin(), verbs.end(), verb) != verbs.end();
}

const SubresourceFacts* ResourceFacts::Subresource(std::string_view name) const {
  return FindOrNull(subresources, [&](const SubresourceFacts& part) { return part.name == name; });
}

const ResourceFacts* FindResource(const GroupVersionKind& kind) {
  return FindOrNull(BuiltinResources(), [&](const ResourceFacts& facts) {
    return facts.kind == kind.kind && facts.version == kind.version && facts.group == kind.group;
  });
}

const ResourceFacts* FindResource(const GroupVersionResource& resource) {
  return FindOrNull(BuiltinResources(), [&](const ResourceFacts& facts) {
    return facts.plural == resource.resource && facts.version == resource.version &&
           facts.group == resource.group;
  });
}

}  // namespace k8s::inline v0::apis
