#include <k8s/restmapper/rest_mapper.hpp>

#include <algorithm>
#include <utility>

namespace k8s::inline v0::restmapper {

namespace {

struct Entry {
  ResourceInfo info;
  std::string singular;
  std::vector<std::string> shortNames;
  std::vector<std::string> categories;
};

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

bool Contains(const std::vector<std::string>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

/// The entries of one group-version.
void Append(const metav1::APIGroup& group, const metav1::GroupVersionForDiscovery& version,
            const discovery::GroupsAndResources& found, std::vector<Entry>& entries) {
  for (const auto& list : found.resources) {
    if (list.groupVersion != version.groupVersion) continue;
    for (const auto& resource : list.resources) {
      if (resource.name.find('/') != std::string::npos) continue;
      entries.push_back(
          {.info = {.group = group.name,
                    .version = version.version,
                    .kind = resource.kind,
                    .plural = resource.name,
                    .scope = resource.namespaced ? Scope::kNamespaced : Scope::kCluster},
           .singular = resource.singularName.empty() ? Lower(resource.kind) : resource.singularName,
           .shortNames = {resource.shortNames.begin(), resource.shortNames.end()},
           .categories = {resource.categories.begin(), resource.categories.end()}});
    }
  }
}

}  // namespace

bool IsNoMatch(const Error& error) { return error.reason == kReasonNoMatch; }
bool IsAmbiguous(const Error& error) { return error.reason == kReasonAmbiguous; }

struct DiscoveryRESTMapper::Table {
  std::vector<Entry> entries;  ///< The best first.
  std::string failures;        ///< What the server could not say, for messages.

  /// The first entry for which `fits` holds, if no other of its group-version does.
  template <class Fits>
  [[nodiscard]] Result<ResourceInfo> First(const std::string& what, const Fits& fits) const {
    const ResourceInfo* first = nullptr;
    for (const auto& entry : entries) {
      if (!fits(entry)) continue;
      if (first == nullptr) {
        first = &entry.info;
      } else if (entry.info.ApiVersion() == first->ApiVersion()) {
        return Error{.kind = ErrorKind::kInvalidArgument,
                     .reason = std::string(kReasonAmbiguous),
                     .message = what + " matches " + first->plural + " and " + entry.info.plural};
      }
    }
    if (first != nullptr) return *first;
    return Error{.kind = ErrorKind::kInvalidArgument,
                 .reason = std::string(kReasonNoMatch),
                 .message = "the server has no match for " + what +
                            (failures.empty() ? "" : "; it could not say about" + failures)};
  }
};

DiscoveryRESTMapper::DiscoveryRESTMapper(const discovery::GroupsAndResources& found) {
  auto table = std::make_shared<Table>();
  for (const auto& group : found.groups) {
    Append(group, group.preferredVersion, found, table->entries);
    for (const auto& version : group.versions) {
      if (version.groupVersion == group.preferredVersion.groupVersion) continue;
      Append(group, version, found, table->entries);
    }
  }
  for (const auto& failure : found.failures) {
    table->failures += " " + failure.groupVersion.ToString();
  }
  table_ = std::move(table);
}

Result<ResourceInfo> DiscoveryRESTMapper::ResourceFor(const GroupVersionResource& partial) const {
  const auto name = Lower(partial.resource);
  const auto ask = [&](bool short_name, bool start_of_group) {
    return table_->First("resource \"" + partial.resource + "\"", [&](const Entry& entry) {
      const bool named = short_name ? Contains(entry.shortNames, name)
                                    : entry.info.plural == name || entry.singular == name;
      const bool grouped = partial.group.empty() || entry.info.group == partial.group ||
                           (start_of_group && entry.info.group.starts_with(partial.group));
      return named && grouped && (partial.version.empty() || entry.info.version == partial.version);
    });
  };
  auto result = ask(false, false);
  for (const auto& [short_name, start] : {std::pair(false, true), {true, false}, {true, true}}) {
    if (result || !IsNoMatch(result.error())) return result;
    result = ask(short_name, start);
  }
  return result;
}

Result<ResourceInfo> DiscoveryRESTMapper::RESTMapping(
    const GroupKind& kind, const std::vector<std::string>& versions) const {
  const auto what = "kind \"" + kind.kind + "\" of group \"" + kind.group + "\"";
  const auto ask = [&](const std::string& version) {
    return table_->First(what, [&](const Entry& entry) {
      return entry.info.kind == kind.kind && entry.info.group == kind.group &&
             (version.empty() || entry.info.version == version);
    });
  };
  if (versions.empty()) return ask({});
  auto result = ask(versions.front());
  for (auto next = versions.begin() + 1;
       next != versions.end() && !result && IsNoMatch(result.error()); ++next) {
    result = ask(*next);
  }
  return result;
}

std::vector<GroupResource> DiscoveryRESTMapper::Expand(std::string_view category) const {
  std::vector<GroupResource> all;
  for (const auto& entry : table_->entries) {
    const GroupResource resource{entry.info.group, entry.info.plural};
    if (!Contains(entry.categories, category)) continue;
    if (std::find(all.begin(), all.end(), resource) == all.end()) all.push_back(resource);
  }
  return all;
}

Result<DiscoveryRESTMapper> DeferredDiscoveryRESTMapper::Load(const std::stop_token& stop) {
  auto found = client_.ServerGroupsAndResources(stop);
  if (!found) return std::move(found).error();
  DiscoveryRESTMapper mapper(*found);
  const std::lock_guard lock(mutex_);
  known_ = std::make_shared<const DiscoveryRESTMapper>(mapper);
  return mapper;
}

void DeferredDiscoveryRESTMapper::Reset() {
  const std::lock_guard lock(mutex_);
  known_ = nullptr;
}

template <class Question>
Result<ResourceInfo> DeferredDiscoveryRESTMapper::Ask(const Question& question,
                                                      const std::stop_token& stop) {
  std::shared_ptr<const DiscoveryRESTMapper> known;
  {
    const std::lock_guard lock(mutex_);
    known = known_;
  }
  if (known) {
    auto result = question(*known);
    if (result || !IsNoMatch(result.error())) return result;
  }
  auto loaded = Load(stop);
  if (!loaded) return std::move(loaded).error();
  return question(*loaded);
}

Result<ResourceInfo> DeferredDiscoveryRESTMapper::ResourceFor(const GroupVersionResource& partial,
                                                              std::stop_token stop) {
  return Ask([&](const DiscoveryRESTMapper& mapper) { return mapper.ResourceFor(partial); }, stop);
}

Result<ResourceInfo> DeferredDiscoveryRESTMapper::RESTMapping(
    const GroupKind& kind, const std::vector<std::string>& versions, std::stop_token stop) {
  return Ask([&](const DiscoveryRESTMapper& mapper) { return mapper.RESTMapping(kind, versions); },
             stop);
}

}  // namespace k8s::inline v0::restmapper
