#pragma once

#include <k8s/discovery/discovery_client.hpp>
#include <k8s/error.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>

#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// From kinds to resources and back. Mirrors client-go's restmapper and apimachinery's RESTMapper.
namespace k8s::inline v0::restmapper {

/// `Error::reason` when nothing served fits (kInvalidArgument). Mirrors meta.NoKindMatchError.
inline constexpr std::string_view kReasonNoMatch = "NoMatch";
/// `Error::reason` when several do and none is preferred. Mirrors meta.AmbiguousKindError.
inline constexpr std::string_view kReasonAmbiguous = "Ambiguous";
[[nodiscard]] bool IsNoMatch(const Error& error);
[[nodiscard]] bool IsAmbiguous(const Error& error);

/// Knows what a server served at one time. Immutable; a cheap value that may be used from any
/// thread. Of several groups the first one wins, core before the server's order; of several
/// versions the one that the group prefers. Mirrors NewDiscoveryRESTMapper with its
/// ShortcutExpander and CategoryExpander.
class DiscoveryRESTMapper {
 public:
  explicit DiscoveryRESTMapper(const discovery::GroupsAndResources& found);

  /// The resource that a person means: plural, singular or short name in any case, group (or the
  /// start of one) and version maybe empty. Full names go before short ones. Errors: IsNoMatch,
  /// IsAmbiguous. Mirrors ResourceFor and KindFor.
  [[nodiscard]] Result<ResourceInfo> ResourceFor(const GroupVersionResource& partial) const;

  /// The resource of a kind, in the first of `versions` that is served; in the preferred version
  /// when there are none. Errors: IsNoMatch, IsAmbiguous. Mirrors RESTMapping.
  [[nodiscard]] Result<ResourceInfo> RESTMapping(
      const GroupKind& kind, const std::vector<std::string>& versions = {}) const;

  /// The resources of a category, "all" for example, in their preferred versions; empty for an
  /// unknown one. Mirrors CategoryExpander.
  [[nodiscard]] std::vector<GroupResource> Expand(std::string_view category) const;

 private:
  struct Table;
  std::shared_ptr<const Table> table_;
};

/// Asks the server at the first question, and once more when it finds no match: what was defined in
/// the meantime is found. Mirrors DeferredDiscoveryRESTMapper. Differs: client-go's finds nothing
/// new over a cache that was filled before, until somebody resets it.
/// **Thread safety.** All members may be called from any thread at any time.
/// **Blocking.** While the server is asked; ends at once when `stop` is triggered.
class DeferredDiscoveryRESTMapper {
 public:
  explicit DeferredDiscoveryRESTMapper(discovery::DiscoveryClient client)
      : client_(std::move(client)) {}

  /// As in DiscoveryRESTMapper; errors of the discovery as well.
  [[nodiscard]] Result<ResourceInfo> ResourceFor(const GroupVersionResource& partial,
                                                 std::stop_token stop = {});
  [[nodiscard]] Result<ResourceInfo> RESTMapping(const GroupKind& kind,
                                                 const std::vector<std::string>& versions = {},
                                                 std::stop_token stop = {});
  /// Forgets what is known.
  void Reset();

 private:
  template <class Question>
  Result<ResourceInfo> Ask(const Question& question, const std::stop_token& stop);
  Result<DiscoveryRESTMapper> Load(const std::stop_token& stop);

  const discovery::DiscoveryClient client_;
  std::mutex mutex_;
  std::shared_ptr<const DiscoveryRESTMapper> known_;
};

}  // namespace k8s::inline v0::restmapper
