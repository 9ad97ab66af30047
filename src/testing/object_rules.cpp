#include "object_rules.hpp"

#include <k8s/apis/meta/v1.hpp>

#include "protobuf.hpp"
#include "status.hpp"
#include "times.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

constexpr std::array kFixedMetadata = {
    "name",       "generateName",      "namespace",
    "uid",        "creationTimestamp", "deletionTimestamp",
    "generation", "managedFields",     "deletionGracePeriodSeconds"};

/// Kinds with a status subresource whose specs are not counted in generations.
bool CountsGenerations(const ServedResource& resource, const Json& object) {
  static constexpr std::array kNone = {
      "apiservices", "resourcequotas", "servicecidrs",      "services",
      "namespaces",  "nodes",          "persistentvolumes", "persistentvolumeclaims"};
  if (resource.custom) return true;
  return object.contains("spec") && resource.HasSubresource("status") &&
         std::find(kNone.begin(), kNone.end(), resource.info.plural) == kNone.end();
}

bool IsJsonType(std::string_view type) {
  return type.empty() || type.starts_with("application/json") || type.find("+json") != type.npos ||
         type.starts_with("application/apply-patch+yaml");
}

bool IsProtobuf(const ApiRequest& request) {
  return request.record.Header("Content-Type").starts_with(kProtobufContentType);
}

void KeepFrom(const Json& live, Json& object, const std::string& key) {
  const auto found = live.find(key);
  if (found == live.end()) {
    object.erase(key);
  } else {
    object[key] = *found;
  }
}

void DropEmpty(Json& metadata, const char* key) {
  const auto found = metadata.find(key);
  if (found != metadata.end() && found->empty()) metadata.erase(found);
}

bool ValidName(const std::string& name) {
  if (name.empty() || name.size() > 253) return false;
  const auto alnum = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  char before = '.';
  for (const char c : name + ".") {
    const bool separator = c == '.' || c == '-';
    if (!separator && !alnum(c)) return false;
    // Labels between dots begin and end with a letter or digit.
    if (c == '.' && !alnum(before)) return false;
    if (c == '-' && before == '.') return false;
    before = c;
  }
  return true;
}

}  // namespace

Result<Json> ReadObject(const ApiRequest& request) {
  if (IsProtobuf(request)) {
    const codec::TypeInfo* type = BuiltinType(request.resource->info);
    return type == nullptr ? UnsupportedMediaType() : FromProtobuf(request.record.body, *type);
  }
  if (!IsJsonType(request.record.Header("Content-Type"))) return UnsupportedMediaType();
  Json object = Json::parse(request.record.body, nullptr, false);
  if (object.is_object()) return object;
  const std::string kind = request.resource->info.kind;
  return BadRequest("the object provided is unrecognized (must be of type " + kind +
                    "): couldn't get version/kind; json parse error (" +
                    request.record.body.substr(0, 32) + ")");
}

Result<Json> ReadDeleteOptions(const ApiRequest& request) {
  if (request.record.body.empty()) return Json::object();
  if (!IsProtobuf(request)) return ReadObject(request);
  return FromProtobuf(request.record.body, codec::TypeOf<metav1::DeleteOptions>());
}

Result<void> CheckAddress(const ApiRequest& request, Json& object) {
  const ResourceInfo& info = request.resource->info;
  const std::string version = TextAt(object, {"apiVersion"});
  const std::string kind = TextAt(object, {"kind"});
  if (!version.empty() && version != info.ApiVersion()) {
    return BadRequest("the API version in the data (" + version +
                      ") does not match the expected API version (" + info.ApiVersion() + ")");
  }
  if (!kind.empty() && kind != info.kind) {
    return BadRequest("the kind in the data (" + kind + ") does not match the expected kind (" +
                      info.kind + ")");
  }
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  const std::string namespace_ = TextAt(metadata, {"namespace"});
  if (info.Namespaced() && !namespace_.empty() && namespace_ != request.record.namespace_) {
    return BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request");
  }
  if (info.Namespaced()) {
    metadata["namespace"] = request.record.namespace_;
  } else {
    metadata.erase("namespace");
  }
  const std::string name = TextAt(metadata, {"name"});
  if (!request.record.name.empty() && request.record.verb != "create") {
    if (!name.empty() && name != request.record.name) {
      return BadRequest("the name of the object (" + name +
                        ") does not match the name on the URL (" + request.record.name + ")");
    }
    metadata["name"] = request.record.name;
  }
  return {};
}

Result<void> CheckName(const ServedResource& resource, const std::string& name) {
  const ResourceInfo& info = resource.info;
  if (name.empty()) {
    return InvalidField(info.group, info.kind, name,
                        {"FieldValueRequired", "Required value: name or generateName is required",
                         "metadata.name"});
  }
  // Names of roles are path segments: nearly anything goes.
  if (info.group == "rbac.authorization.k8s.io" || ValidName(name)) return {};
  return InvalidField(
      info.group, info.kind, name,
      {"FieldValueInvalid",
       "Invalid value: " + Quote(name) +
           ": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
           "'-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', "
           "regex used for validation is "
           "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
       "metadata.name"});
}

Result<void> CheckPreconditions(const ServedResource& resource, const Json& live,
                                std::string_view uid, std::string_view version) {
  const std::string name = TextAt(live, {"metadata", "name"});
  const std::string live_uid = TextAt(live, {"metadata", "uid"});
  if (!uid.empty() && uid != live_uid) {
    return Conflict(resource, name,
                    "Precondition failed: UID in precondition: " + std::string(uid) +
                        ", UID in object meta: " + live_uid);
  }
  if (!version.empty() && version != TextAt(live, {"metadata", "resourceVersion"})) {
    return Conflict(resource, name,
                    "the object has been modified; please apply your changes to the latest version "
                    "and try again");
  }
  return {};
}

void FillNew(const ServedResource& resource, Json& object) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (TextAt(metadata, {"name"}).empty() && !TextAt(metadata, {"generateName"}).empty()) {
    metadata["name"] = TextAt(metadata, {"generateName"}) + RandomSuffix(5);
  }
  if (TextAt(metadata, {"uid"}).empty()) metadata["uid"] = NewUid();
  if (TextAt(metadata, {"creationTimestamp"}).empty()) metadata["creationTimestamp"] = NowText();
  if (CountsGenerations(resource, object) && !metadata.contains("generation")) {
    metadata["generation"] = 1;
  }
  for (const char* key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    DropEmpty(metadata, key);
  }
  if (resource.info.plural == "namespaces" && resource.info.group.empty()) {
    metadata["labels"]["kubernetes.io/metadata.name"] = TextAt(metadata, {"name"});
    object["status"]["phase"] = "Active";
  }
}

void DropStatus(const ServedResource& resource, Json& object) {
  if (!resource.HasSubresource("status")) return;
  object.erase("status");
  if (resource.info.plural == "pods") {
    object["status"] = Json{{"phase", "Pending"}, {"qosClass", "BestEffort"}};
  }
}

Json MergeUpdate(const ServedResource& resource, const Json& live, Json updated,
                 std::string_view subresource) {
  if (subresource == "status") {
    Json result = live;
    KeepFrom(updated, result, "status");
    return result;
  }
  if (resource.HasSubresource("status")) KeepFrom(live, updated, "status");
  const Json& before = live["metadata"];
  // Taken after the last insertion into `updated`: one moves its members.
  Json& metadata = updated["metadata"];
  for (const char* key : kFixedMetadata) KeepFrom(before, metadata, key);
  for (const char* key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
    DropEmpty(metadata, key);
  }
  const auto spec = [](const Json& object) { return object.value("spec", Json()); };
  if (CountsGenerations(resource, updated) && spec(live) != spec(updated)) {
    metadata["generation"] = metadata.value("generation", 0) + 1;
  }
  return updated;
}

FieldManager ManagerOf(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  FieldManager manager;
  manager.name = record.Param("fieldManager");
  if (manager.name.empty()) {
    const std::string agent = record.Header("User-Agent");
    manager.name = agent.empty() ? "unknown" : agent.substr(0, agent.find('/'));
  }
  manager.apiVersion = request.resource->info.ApiVersion();
  manager.subresource = request.subresource;
  manager.time = NowText();
  manager.keyed_lists = !request.resource->custom;
  return manager;
}

}  // namespace k8s::inline v0::testing
