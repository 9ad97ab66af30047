#pragma once

#include "served_resource.hpp"

#include <memory>
#include <shared_mutex>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// The resources that the server serves.
/// Thread safety. All members may be called from any thread.
class Registry {
 public:
  using Ref = std::shared_ptr<const ServedResource>;

  Registry() : resources_(BuiltinResources()) {}

  /// Adds or replaces a resource.
  void Put(ServedResource resource);
  void Remove(const ResourceInfo& info);

  /// Null when there is none.
  [[nodiscard]] Ref Find(std::string_view group, std::string_view version,
                         std::string_view plural) const;
  [[nodiscard]] Ref FindKind(std::string_view api_version, std::string_view kind) const;
  /// In any version.
  [[nodiscard]] Ref FindAnyVersion(const GroupResource& resource) const;
  [[nodiscard]] bool HasGroupVersion(std::string_view group, std::string_view version) const;
  /// In the order in which discovery shows them.
  [[nodiscard]] std::vector<Ref> All() const;

 private:
  template <class Predicate>
  Ref FindIf(Predicate predicate) const;

  mutable std::shared_mutex mutex_;
  std::vector<Ref> resources_;
};

}  // namespace k8s::inline v0::testing
