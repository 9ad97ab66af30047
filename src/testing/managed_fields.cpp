#include "managed_fields.hpp"

#include "patch.hpp"
#include "status.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

/// A path in the notation of FieldsV1: "f:spec", "f:containers", `k:{"name":"a"}`, "f:image".
using Path = std::vector<std::string>;
using Paths = std::set<Path>;
using Leaves = std::map<Path, std::string>;  ///< With the value's text.

constexpr std::array kUnmanaged = {"name",
                                   "namespace",
                                   "uid",
                                   "generation",
                                   "resourceVersion",
                                   "creationTimestamp",
                                   "generateName",
                                   "deletionTimestamp",
                                   "managedFields",
                                   "deletionGracePeriodSeconds",
                                   "selfLink"};

void CollectLeaves(const Json& value, std::string_view field, bool keyed, Path& path,
                   Leaves& leaves);

void CollectElement(const Json& element, std::string step, bool keyed, Path& path, Leaves& leaves) {
  path.push_back(std::move(step));
  CollectLeaves(element, "", keyed, path, leaves);
  path.pop_back();
}

/// False: the list is atomic.
bool CollectList(const Json& list, std::string_view field, bool keyed, Path& path, Leaves& leaves) {
  if (list.empty()) return false;
  if (IsSetList(field)) {
    for (const Json& value : list) CollectElement(value, "v:" + Dump(value), keyed, path, leaves);
    return true;
  }
  const std::string key = keyed ? MergeKey(field, list.front()) : std::string();
  if (key.empty()) return false;
  for (const Json& element : list) {
    if (!element.is_object()) return false;
    const Json id = {{key, element.value(key, Json())}};
    CollectElement(element, "k:" + Dump(id), keyed, path, leaves);
  }
  return true;
}

void CollectLeaves(const Json& value, std::string_view field, bool keyed, Path& path,
                   Leaves& leaves) {
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, member] : value.items()) {
      path.push_back("f:" + key);
      CollectLeaves(member, key, keyed, path, leaves);
      path.pop_back();
    }
  } else if (!value.is_array() || !CollectList(value, field, keyed, path, leaves)) {
    leaves[path] = Dump(value);
  }
}

Leaves LeavesOf(const Json& object, bool keyed) {
  Json managed = object;
  managed.erase("kind");
  managed.erase("apiVersion");
  if (const auto metadata = managed.find("metadata"); metadata != managed.end()) {
    for (const char* name : kUnmanaged) metadata->erase(name);
    if (metadata->empty()) managed.erase("metadata");
  }
  Leaves leaves;
  Path path;
  if (!managed.empty()) CollectLeaves(managed, "", keyed, path, leaves);
  return leaves;
}

Json ToFieldsV1(const Paths& paths) {
  Json tree = Json::object();
  for (const Path& path : paths) {
    Json* at = &tree;
    for (const std::string& step : path) {
      at = &(*at)[step];
      if (at->is_null()) *at = Json::object();
    }
  }
  return tree;
}

void CollectPaths(const Json& tree, Path& path, Paths& paths) {
  if (!tree.is_object() || tree.empty()) {
    if (!path.empty()) paths.insert(path);
    return;
  }
  for (const auto& [step, below] : tree.items()) {
    if (step == ".") continue;
    path.push_back(step);
    CollectPaths(below, path, paths);
    path.pop_back();
  }
}

struct Entry {
  std::string manager;
  std::string operation;
  std::string apiVersion;
  std::string subresource;
  std::string time;
  Paths paths;

  [[nodiscard]] bool Is(const FieldManager& who, std::string_view what) const {
    return manager == who.name && operation == what && subresource == who.subresource;
  }
};

std::vector<Entry> ReadEntries(const Json* object) {
  std::vector<Entry> entries;
  const Json* list = object == nullptr ? nullptr : At(*object, {"metadata", "managedFields"});
  if (list == nullptr || !list->is_array()) return entries;
  for (const Json& json : *list) {
    Entry entry{TextAt(json, {"manager"}),    TextAt(json, {"operation"}),
                TextAt(json, {"apiVersion"}), TextAt(json, {"subresource"}),
                TextAt(json, {"time"}),       {}};
    Path path;
    if (const Json* fields = At(json, {"fieldsV1"})) CollectPaths(*fields, path, entry.paths);
    entries.push_back(std::move(entry));
  }
  return entries;
}

void WriteEntries(Json& object, const std::vector<Entry>& entries) {
  Json list = Json::array();
  for (const Entry& entry : entries) {
    if (entry.paths.empty()) continue;
    Json json = {{"manager", entry.manager},       {"operation", entry.operation},
                 {"apiVersion", entry.apiVersion}, {"time", entry.time},
                 {"fieldsType", "FieldsV1"},       {"fieldsV1", ToFieldsV1(entry.paths)}};
    if (!entry.subresource.empty()) json["subresource"] = entry.subresource;
    list.push_back(std::move(json));
  }
  if (list.empty()) {
    object["metadata"].erase("managedFields");
  } else {
    object["metadata"]["managedFields"] = std::move(list);
  }
}

Entry& EntryOf(std::vector<Entry>& entries, const FieldManager& who, std::string_view operation) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.Is(who, operation); });
  if (found != entries.end()) return *found;
  return entries.emplace_back(
      Entry{who.name, std::string(operation), who.apiVersion, who.subresource, who.time, {}});
}

void Remove(Paths& from, const Paths& gone) {
  for (const Path& path : gone) from.erase(path);
}

void KeepExisting(std::vector<Entry>& entries, const Leaves& leaves) {
  for (Entry& entry : entries) {
    for (auto it = entry.paths.begin(); it != entry.paths.end();) {
      it = leaves.contains(*it) ? std::next(it) : entry.paths.erase(it);
    }
  }
}

/// ".spec.containers[name=\"a\"].image"
std::string Readable(const Path& path) {
  std::string text;
  for (const std::string& step : path) {
    if (step.starts_with("f:")) {
      text += "." + step.substr(2);
    } else if (step.starts_with("k:")) {
      const Json id = Json::parse(step.substr(2));
      text += "[" + id.begin().key() + "=" + Dump(id.begin().value()) + "]";
    } else {
      text += "[" + step.substr(2) + "]";
    }
  }
  return text;
}

std::string Describe(const Entry& entry) {
  std::string text = "conflict with " + Quote(entry.manager);
  if (!entry.subresource.empty()) text += " with subresource " + Quote(entry.subresource);
  if (entry.operation == "Update") text += " using " + entry.apiVersion;
  return text;
}

std::vector<StatusCause> FindConflicts(const std::vector<Entry>& entries, const FieldManager& who,
                                       const Leaves& live, const Leaves& applied) {
  std::vector<StatusCause> causes;
  for (const Entry& entry : entries) {
    if (entry.Is(who, "Apply")) continue;
    for (const Path& path : entry.paths) {
      const auto wanted = applied.find(path);
      const auto present = live.find(path);
      if (wanted == applied.end() || present == live.end()) continue;
      if (wanted->second == present->second) continue;
      causes.push_back({"FieldManagerConflict", Describe(entry), Readable(path)});
    }
  }
  return causes;
}

Error ConflictError(std::vector<StatusCause> causes) {
  std::string message = "Apply failed with " + std::to_string(causes.size()) +
                        (causes.size() == 1 ? " conflict: " : " conflicts: ");
  if (causes.size() == 1) {
    message += causes.front().message + ": " + causes.front().field;
  } else {
    for (const StatusCause& cause : causes) {
      message += (&cause == causes.data() ? "" : "\n") + cause.message + ":\n- " + cause.field;
    }
  }
  Error error = MakeError(409, "Conflict", std::move(message));
  error.causes = std::move(causes);
  return error;
}

Json::iterator FindStep(Json& value, const std::string& step) {
  if (step.starts_with("f:")) return value.find(step.substr(2));
  const Json wanted = Json::parse(step.substr(2));
  return std::find_if(value.begin(), value.end(), [&](const Json& element) {
    if (step.starts_with("v:")) return element == wanted;
    return element.is_object() &&
           element.value(wanted.begin().key(), Json()) == wanted.begin().value();
  });
}

/// Erases what the path leads to, and parents that are empty then.
void ErasePath(Json& value, const Path& path, std::size_t depth) {
  if (!value.is_structured()) return;
  const auto found = FindStep(value, path[depth]);
  if (found == value.end()) return;
  if (depth + 1 < path.size()) {
    ErasePath(*found, path, depth + 1);
    if (!found->empty()) return;
  }
  value.erase(found);
}

Paths KeysOf(const Leaves& leaves) {
  Paths paths;
  for (const auto& [path, value] : leaves) paths.insert(path);
  return paths;
}

}  // namespace

void TrackUpdate(Json& after, const Json* before, const FieldManager& manager) {
  const Leaves now = LeavesOf(after, manager.keyed_lists);
  const Leaves old = before == nullptr ? Leaves() : LeavesOf(*before, manager.keyed_lists);
  Paths changed;
  for (const auto& [path, value] : now) {
    const auto found = old.find(path);
    if (found == old.end() || found->second != value) changed.insert(path);
  }
  std::vector<Entry> entries = ReadEntries(before);
  KeepExisting(entries, now);
  if (!changed.empty()) {
    for (Entry& entry : entries) Remove(entry.paths, changed);
    Entry& mine = EntryOf(entries, manager, "Update");
    mine.time = manager.time;
    mine.paths.insert(changed.begin(), changed.end());
  }
  WriteEntries(after, entries);
}

Result<Json> ServerSideApply(const Json* live, const Json& config, const FieldManager& manager,
                             bool force) {
  const Leaves applied = LeavesOf(config, manager.keyed_lists);
  const Leaves present = live == nullptr ? Leaves() : LeavesOf(*live, manager.keyed_lists);
  std::vector<Entry> entries = ReadEntries(live);
  auto conflicts = FindConflicts(entries, manager, present, applied);
  if (!conflicts.empty() && !force) return ConflictError(std::move(conflicts));

  Json merged =
      StrategicMergePatch(live == nullptr ? Json::object() : *live, config, manager.keyed_lists);
  Entry& mine = EntryOf(entries, manager, "Apply");
  Paths gone = mine.paths;
  const Paths mine_before = std::exchange(mine.paths, KeysOf(applied));
  if (mine.paths != mine_before) mine.time = manager.time;
  for (const Entry& entry : entries) Remove(gone, entry.paths);
  for (const Path& path : gone) ErasePath(merged, path, 0);
  for (Entry& entry : entries) {
    if (entry.Is(manager, "Apply")) continue;
    for (const auto& [path, value] : applied) {
      const auto found = present.find(path);
      if (found != present.end() && found->second != value) entry.paths.erase(path);
    }
  }
  KeepExisting(entries, LeavesOf(merged, manager.keyed_lists));
  WriteEntries(merged, entries);
  return merged;
}

}  // namespace k8s::inline v0::testing
