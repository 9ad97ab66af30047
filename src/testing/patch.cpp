#include "patch.hpp"

#include "status.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

constexpr std::string_view kPatchDirective = "$patch";
constexpr std::string_view kRetainKeys = "$retainKeys";
constexpr std::string_view kDeleteFromList = "$deleteFromPrimitiveList/";
constexpr std::string_view kElementOrder = "$setElementOrder/";

bool IsDirective(std::string_view key) { return key.starts_with('$'); }

bool Contains(const Json& list, const Json& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Json::iterator FindElement(Json& list, const std::string& key, const Json& element) {
  return std::find_if(list.begin(), list.end(), [&](const Json& candidate) {
    return candidate.is_object() && candidate.value(key, Json()) == element.value(key, Json());
  });
}

class StrategicMerge {
 public:
  explicit StrategicMerge(bool keyed_lists) : keyed_lists_(keyed_lists) {}

  Json Objects(Json target, const Json& patch) const {
    const std::string directive = TextAt(patch, {kPatchDirective});
    if (directive == "replace" || directive == "delete") target = Json::object();
    if (directive == "delete") return target;
    if (const Json* keep = At(patch, {kRetainKeys})) RetainKeys(target, *keep);
    for (const auto& [key, value] : patch.items()) {
      if (key.starts_with(kDeleteFromList)) {
        RemoveValues(target, key.substr(kDeleteFromList.size()), value);
      } else if (!IsDirective(key)) {
        Member(target, key, value);
      }
    }
    for (const auto& [key, value] : patch.items()) {
      if (key.starts_with(kElementOrder)) {
        Reorder(target, key.substr(kElementOrder.size()), value);
      }
    }
    return target;
  }

 private:
  void Member(Json& target, const std::string& key, const Json& value) const {
    if (value.is_null()) {
      target.erase(key);
      return;
    }
    const auto found = target.find(key);
    Json present = found == target.end() ? Json() : *found;
    if (value.is_object()) {
      target[key] = Objects(present.is_object() ? std::move(present) : Json::object(), value);
    } else if (value.is_array()) {
      target[key] = Lists(key, present.is_array() ? std::move(present) : Json::array(), value);
    } else {
      target[key] = value;
    }
  }

  Json Lists(const std::string& field, Json target, const Json& patch) const {
    if (patch.empty()) return patch;
    if (patch.front().is_string() && IsSetList(field)) {
      for (const Json& value : patch) {
        if (!Contains(target, value)) target.push_back(value);
      }
      return target;
    }
    const std::string key = keyed_lists_ ? KeyOfList(field, patch) : std::string();
    if (key.empty()) return patch;
    const bool replace = std::any_of(patch.begin(), patch.end(), [](const Json& element) {
      return element.size() == 1 && TextAt(element, {kPatchDirective}) == "replace";
    });
    if (replace) target = Json::array();
    for (const Json& element : patch) Element(target, key, element);
    return target;
  }

  void Element(Json& target, const std::string& key, const Json& element) const {
    if (!element.is_object() || !element.contains(key)) return;
    const auto found = FindElement(target, key, element);
    if (TextAt(element, {kPatchDirective}) == "delete") {
      if (found != target.end()) target.erase(found);
    } else if (found != target.end()) {
      *found = Objects(std::move(*found), element);
    } else {
      target.push_back(Objects(Json::object(), element));
    }
  }

  static std::string KeyOfList(const std::string& field, const Json& patch) {
    for (const Json& element : patch) {
      if (std::string key = MergeKey(field, element); !key.empty()) return key;
    }
    return {};
  }

  static void RetainKeys(Json& target, const Json& keep) {
    std::vector<std::string> gone;
    for (const auto& [key, value] : target.items()) {
      if (!Contains(keep, key)) gone.push_back(key);
    }
    for (const std::string& key : gone) target.erase(key);
  }

  static void RemoveValues(Json& target, const std::string& field, const Json& values) {
    const auto list = target.find(field);
    if (list == target.end() || !list->is_array()) return;
    Json kept = Json::array();
    for (const Json& value : *list) {
      if (!Contains(values, value)) kept.push_back(value);
    }
    *list = std::move(kept);
  }

  /// Puts the elements that `order` names first, in its order.
  static void Reorder(Json& target, const std::string& field, const Json& order) {
    const auto list = target.find(field);
    if (list == target.end() || !list->is_array() || !order.is_array()) return;
    const auto rank = [&](const Json& element) {
      return std::find_if(order.begin(), order.end(),
                          [&](const Json& entry) {
                            if (!entry.is_object() || entry.empty()) return entry == element;
                            return element.value(entry.begin().key(), Json()) ==
                                   entry.begin().value();
                          }) -
             order.begin();
    };
    std::stable_sort(list->begin(), list->end(),
                     [&](const Json& a, const Json& b) { return rank(a) < rank(b); });
  }

  const bool keyed_lists_;
};

}  // namespace

std::string MergeKey(std::string_view field, const Json& element) {
  static const std::map<std::string, std::vector<std::string>, std::less<>> keys = {
      {"addresses", {"type"}},
      {"allocatedResourcesStatus", {"name"}},
      {"conditions", {"type"}},
      {"containers", {"name"}},
      {"drivers", {"name"}},
      {"env", {"name"}},
      {"ephemeralContainers", {"name"}},
      {"hostAliases", {"ip"}},
      {"hostIPs", {"ip"}},
      {"imagePullSecrets", {"name"}},
      {"initContainers", {"name"}},
      {"matchConditions", {"name"}},
      {"ownerReferences", {"uid"}},
      {"podIPs", {"ip"}},
      {"ports", {"containerPort", "port"}},
      {"reservedFor", {"uid"}},
      {"resourceClaimStatuses", {"name"}},
      {"resourceClaims", {"name"}},
      {"schedulingGates", {"name"}},
      {"secrets", {"name"}},
      {"topologySpreadConstraints", {"topologyKey"}},
      {"variables", {"name"}},
      {"volumeDevices", {"devicePath"}},
      {"volumeMounts", {"mountPath"}},
      {"volumes", {"name"}},
      {"webhooks", {"name"}},
      {"x-kubernetes-validations", {"rule"}},
  };
  const auto found = keys.find(field);
  if (found == keys.end() || !element.is_object()) return {};
  for (const std::string& key : found->second) {
    if (element.contains(key)) return key;
  }
  return {};
}

bool IsSetList(std::string_view field) { return field == "finalizers" || field == "podCIDRs"; }

Result<Json> JsonPatch(const Json& object, const Json& patch) {
  if (!patch.is_array()) return BadRequest("error decoding patch: it must be a list");
  try {
    return object.patch(patch);
  } catch (const Json::exception&) {
    return MakeError(422, "Invalid",
                     "the server rejected our request due to an error in our request");
  }
}

Json StrategicMergePatch(Json target, const Json& patch, bool keyed_lists) {
  return StrategicMerge(keyed_lists).Objects(std::move(target), patch);
}

}  // namespace k8s::inline v0::testing
