#include "object_handler.hpp"

#include "object_rules.hpp"
#include "patch.hpp"
#include "status.hpp"
#include "times.hpp"

#include <optional>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

bool IsDryRun(const ApiRequest& request) { return request.record.Param("dryRun") == "All"; }

std::string VersionOf(const Json& object) {
  return TextAt(object, {"metadata", "resourceVersion"});
}

bool IsDefinition(const ServedResource& resource) {
  return resource.info.plural == "customresourcedefinitions";
}

bool IsNamespace(const ServedResource& resource) {
  return resource.info.plural == "namespaces" && resource.info.group.empty();
}

/// The finalizers must go first: the object only gets the time of its deletion.
WriteDecision Deleted(Json object, bool dry_run) {
  const Json* finalizers = At(object, {"metadata", "finalizers"});
  if (finalizers == nullptr || finalizers->empty()) return {std::nullopt, dry_run};
  Json& metadata = object["metadata"];
  if (!metadata.contains("deletionTimestamp")) {
    metadata["deletionTimestamp"] = NowText();
    metadata["deletionGracePeriodSeconds"] = 0;
    if (metadata.contains("generation")) {
      metadata["generation"] = metadata.value("generation", 0) + 1;
    }
  }
  return {std::move(object), dry_run};
}

/// Definitions are established at once, so that clients which wait for that go on.
void Establish(Json& definition) {
  Json conditions = Json::array();
  for (const char* type : {"NamesAccepted", "Established"}) {
    conditions.push_back(Json{{"type", type},
                              {"status", "True"},
                              {"lastTransitionTime", NowText()},
                              {"reason", "NoConflicts"},
                              {"message", "no conflicts found"}});
  }
  const Json* names = At(definition, {"spec", "names"});
  definition["status"] = Json{{"conditions", std::move(conditions)},
                              {"acceptedNames", names == nullptr ? Json::object() : *names},
                              {"storedVersions", Json::array()}};
}

std::vector<std::string> TextsAt(const Json& object, std::initializer_list<std::string_view> path) {
  std::vector<std::string> texts;
  if (const Json* list = At(object, path); list != nullptr && list->is_array()) {
    for (const Json& text : *list) {
      if (text.is_string()) texts.push_back(text.get<std::string>());
    }
  }
  return texts;
}

ServedResource DefinedResource(const Json& definition, const Json& version) {
  ResourceInfo info;
  info.group = TextAt(definition, {"spec", "group"});
  info.version = TextAt(version, {"name"});
  info.kind = TextAt(definition, {"spec", "names", "kind"});
  info.plural = TextAt(definition, {"spec", "names", "plural"});
  info.scope =
      TextAt(definition, {"spec", "scope"}) == "Cluster" ? Scope::kCluster : Scope::kNamespaced;
  ServedResource resource = CustomResource(info);
  if (const auto singular = TextAt(definition, {"spec", "names", "singular"}); !singular.empty()) {
    resource.singular = singular;
  }
  resource.shortNames = TextsAt(definition, {"spec", "names", "shortNames"});
  resource.categories = TextsAt(definition, {"spec", "names", "categories"});
  if (At(version, {"subresources", "status"}) == nullptr) resource.subresources.clear();
  return resource;
}

}  // namespace

Result<Outcome> ObjectHandler::Get(const ApiRequest& request) const {
  const ServedResource& resource = *request.resource;
  const RecordedRequest& record = request.record;
  ObjectRef object = store_.Find(resource.info, record.namespace_, record.name);
  if (!object) return NoSuchObject(resource, record.name);
  return Outcome{std::move(object)};
}

Result<Outcome> ObjectHandler::Write(const ApiRequest& request, const std::string& name,
                                     const ObjectStore::Decide& decide) {
  auto result = store_.Write(*request.resource, request.record.namespace_, name, decide);
  if (!result) return result.error();
  if (!IsDryRun(request)) AfterWrite(*request.resource, *result);
  return Outcome{result->object, result->created ? 201 : 200, result->deleted};
}

Result<Outcome> ObjectHandler::Create(const ApiRequest& request) {
  if (!request.subresource.empty()) return CreatePodSubresource(request);
  const ServedResource& resource = *request.resource;
  auto object = ReadObject(request);
  if (!object) return object.error();
  if (auto checked = CheckAddress(request, *object); !checked) return checked.error();
  if (!resource.HasVerb("get")) return CreateReview(request, std::move(*object));
  if (!VersionOf(*object).empty()) {
    return BadRequest("resourceVersion should not be set on objects to be created");
  }
  for (const char* key : {"uid", "creationTimestamp", "deletionTimestamp", "generation"}) {
    (*object)["metadata"].erase(key);
  }
  DropStatus(resource, *object);
  FillNew(resource, *object);
  if (IsDefinition(resource)) Establish(*object);
  const std::string name = TextAt(*object, {"metadata", "name"});
  if (auto checked = CheckName(resource, name); !checked) return checked.error();
  TrackUpdate(*object, nullptr, ManagerOf(request));
  return Write(request, name, [&](const ObjectRef& live) -> Result<WriteDecision> {
    if (live) return AlreadyExists(resource, name);
    return WriteDecision{std::move(*object), IsDryRun(request)};
  });
}

Result<Outcome> ObjectHandler::CreateReview(const ApiRequest& request, Json object) {
  // Reviews are answered and not kept. Who asks for access is told yes.
  if (request.resource->info.plural.find("accessreviews") != std::string::npos) {
    object["status"]["allowed"] = true;
  }
  return Outcome{MakeStored(*request.resource, std::move(object), 0), 201};
}

Result<Outcome> ObjectHandler::CreatePodSubresource(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  if (request.subresource == "eviction") {
    return DeleteNamed(request, record.namespace_, record.name, Json::object());
  }
  auto binding = ReadObject(request);
  if (!binding) return binding.error();
  return Write(request, record.name, [&](const ObjectRef& live) -> Result<WriteDecision> {
    if (!live) return NoSuchObject(*request.resource, record.name);
    Json pod = ToJson(*request.resource, *live);
    pod["spec"]["nodeName"] = TextAt(*binding, {"target", "name"});
    return WriteDecision{std::move(pod), IsDryRun(request)};
  });
}

Result<Outcome> ObjectHandler::Update(const ApiRequest& request) {
  const ServedResource& resource = *request.resource;
  auto object = ReadObject(request);
  if (!object) return object.error();
  if (auto checked = CheckAddress(request, *object); !checked) return checked.error();
  const std::string& name = request.record.name;
  return Write(request, name, [&](const ObjectRef& live) -> Result<WriteDecision> {
    if (!live) return NoSuchObject(resource, name);
    const Json before = ToJson(resource, *live);
    const std::string version = VersionOf(*object);
    if (version.empty() && resource.custom) {
      return InvalidField(
          resource.info.group, resource.info.kind, name,
          {"FieldValueInvalid", "Invalid value: 0x0: must be specified for an update",
           "metadata.resourceVersion"});
    }
    const std::string uid = TextAt(*object, {"metadata", "uid"});
    if (auto checked = CheckPreconditions(resource, before, uid, version); !checked) {
      return checked.error();
    }
    Json after = MergeUpdate(resource, before, std::move(*object), request.subresource);
    TrackUpdate(after, &before, ManagerOf(request));
    return WriteDecision{std::move(after), IsDryRun(request)};
  });
}

Result<Outcome> ObjectHandler::Patch(const ApiRequest& request) {
  Json patch = Json::parse(request.record.body, nullptr, false);
  if (patch.is_discarded()) {
    return BadRequest("error decoding patch: invalid character in the JSON");
  }
  return Write(request, request.record.name,
               [&](const ObjectRef& live) { return DecidePatch(request, patch, live); });
}

Result<WriteDecision> ObjectHandler::DecidePatch(const ApiRequest& request, const Json& patch,
                                                 const ObjectRef& live) const {
  const ServedResource& resource = *request.resource;
  std::optional<Json> before;
  if (live) before = ToJson(resource, *live);
  auto patched = Patched(request, patch, before ? &*before : nullptr);
  if (!patched) return patched.error();
  Json after = std::move(*patched);
  if (auto checked = CheckAddress(request, after); !checked) return checked.error();
  if (!before) {
    DropStatus(resource, after);
    FillNew(resource, after);
    if (IsDefinition(resource)) Establish(after);
    if (auto checked = CheckName(resource, request.record.name); !checked) return checked.error();
    return WriteDecision{std::move(after), IsDryRun(request)};
  }
  const std::string uid = TextAt(after, {"metadata", "uid"});
  if (auto checked = CheckPreconditions(resource, *before, uid, VersionOf(after)); !checked) {
    return checked.error();
  }
  const bool apply =
      request.record.Header("Content-Type").starts_with("application/apply-patch+yaml");
  const Json fields = after["metadata"].value("managedFields", Json::array());
  after = MergeUpdate(resource, *before, std::move(after), request.subresource);
  if (apply) {
    after["metadata"]["managedFields"] = fields;
  } else {
    TrackUpdate(after, &*before, ManagerOf(request));
  }
  return WriteDecision{std::move(after), IsDryRun(request)};
}

Result<Json> ObjectHandler::Patched(const ApiRequest& request, const Json& patch,
                                    const Json* live) const {
  const std::string type = request.record.Header("Content-Type");
  if (type.starts_with("application/apply-patch+yaml")) {
    if (request.record.Param("fieldManager").empty()) {
      return InvalidField(
          "meta.k8s.io", "PatchOptions", "",
          {"FieldValueRequired", "Required value: is required for apply patch", "fieldManager"});
    }
    return ServerSideApply(live, patch, ManagerOf(request), IsTrue(request.record.Param("force")));
  }
  if (live == nullptr) return NoSuchObject(*request.resource, request.record.name);
  if (type.starts_with("application/json-patch+json")) return JsonPatch(*live, patch);
  if (type.starts_with("application/merge-patch+json")) {
    Json merged = *live;
    merged.merge_patch(patch);
    return merged;
  }
  if (type.starts_with("application/strategic-merge-patch+json") && !request.resource->custom) {
    return StrategicMergePatch(*live, patch);
  }
  return UnsupportedMediaType(
      "the body of the request was in an unknown format - accepted media types include: "
      "application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
}

Result<Outcome> ObjectHandler::Delete(const ApiRequest& request) {
  auto options = ReadDeleteOptions(request);
  if (!options) return options.error();
  return DeleteNamed(request, request.record.namespace_, request.record.name, *options);
}

Result<Outcome> ObjectHandler::DeleteNamed(const ApiRequest& request, const std::string& namespace_,
                                           const std::string& name, const Json& options) {
  const ServedResource& resource = *request.resource;
  const std::vector<std::string> dry_run = TextsAt(options, {"dryRun"});
  const bool dry = IsDryRun(request) || !dry_run.empty();
  auto result =
      store_.Write(resource, namespace_, name, [&](const ObjectRef& live) -> Result<WriteDecision> {
        if (!live) return NoSuchObject(resource, name);
        Json object = ToJson(resource, *live);
        const auto checked =
            CheckPreconditions(resource, object, TextAt(options, {"preconditions", "uid"}),
                               TextAt(options, {"preconditions", "resourceVersion"}));
        if (!checked) return checked.error();
        return Deleted(std::move(object), dry);
      });
  if (!result) return result.error();
  if (!dry) AfterWrite(resource, *result);
  return Outcome{result->object, 200, result->deleted};
}

Result<ListPage> ObjectHandler::DeleteCollection(const ApiRequest& request) {
  const RecordedRequest& record = request.record;
  auto options = ReadDeleteOptions(request);
  if (!options) return options.error();
  auto selection = Selection::Parse(*request.resource, record.namespace_,
                                    record.Param("labelSelector"), record.Param("fieldSelector"));
  if (!selection) return selection.error();
  auto page = store_.List(request.resource->info, *selection, {});
  if (!page) return page.error();
  for (const ObjectRef& object : page->items) {
    auto deleted = DeleteNamed(request, object->namespace_, object->name, *options);
    if (!deleted && !IsNotFound(deleted.error())) return deleted.error();
  }
  return page;
}

Result<std::uint64_t> ObjectHandler::Put(Json object, Force how) {
  if (!object.is_object()) return BadRequest("the object is not a JSON object");
  const auto resource =
      registry_.FindKind(TextAt(object, {"apiVersion"}), TextAt(object, {"kind"}));
  if (!resource) {
    return BadRequest("no resource is served for kind " + Quote(TextAt(object, {"kind"})) + " of " +
                      Quote(TextAt(object, {"apiVersion"})));
  }
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (!resource->info.Namespaced()) metadata.erase("namespace");
  if (resource->info.Namespaced() && TextAt(metadata, {"namespace"}).empty()) {
    metadata["namespace"] = "default";
  }
  if (TextAt(metadata, {"name"}).empty()) FillNew(*resource, object);
  const std::string name = TextAt(metadata, {"name"});
  if (name.empty()) return CheckName(*resource, name).error();
  auto result =
      store_.Write(*resource, TextAt(metadata, {"namespace"}), name,
                   [&](const ObjectRef& live) -> Result<WriteDecision> {
                     if (live && how == Force::kAdd) return AlreadyExists(*resource, name);
                     if (!live && how == Force::kModify) return NoSuchObject(*resource, name);
                     if (live) {
                       const Json before = ToJson(*resource, *live);
                       for (const char* key : {"uid", "creationTimestamp", "generation"}) {
                         const Json* value = At(before, {"metadata", key});
                         if (value != nullptr && !metadata.contains(key)) metadata[key] = *value;
                       }
                     } else {
                       FillNew(*resource, object);
                     }
                     return WriteDecision{std::move(object)};
                   });
  if (!result) return result.error();
  AfterWrite(*resource, *result);
  return result->object->version;
}

Result<std::uint64_t> ObjectHandler::Remove(const Json& object) {
  const auto resource =
      registry_.FindKind(TextAt(object, {"apiVersion"}), TextAt(object, {"kind"}));
  if (!resource) return BadRequest("no resource is served for this kind");
  std::string namespace_ = TextAt(object, {"metadata", "namespace"});
  if (resource->info.Namespaced() && namespace_.empty()) namespace_ = "default";
  return Remove(*resource, resource->info.Namespaced() ? namespace_ : "",
                TextAt(object, {"metadata", "name"}));
}

Result<std::uint64_t> ObjectHandler::Remove(const ServedResource& resource,
                                            std::string_view namespace_, std::string_view name) {
  auto result =
      store_.Write(resource, namespace_, name, [&](const ObjectRef& live) -> Result<WriteDecision> {
        if (!live) return NoSuchObject(resource, name);
        return WriteDecision{};
      });
  if (!result) return result.error();
  AfterWrite(resource, *result);
  return result->object->version;
}

void ObjectHandler::AfterWrite(const ServedResource& resource, const WriteResult& result) {
  if (IsDefinition(resource)) ServeDefinition(ToJson(resource, *result.object), result.deleted);
  if (IsNamespace(resource) && result.deleted) EmptyNamespace(result.object->name);
}

void ObjectHandler::ServeDefinition(const Json& definition, bool gone) {
  const Json* versions = At(definition, {"spec", "versions"});
  if (versions == nullptr || !versions->is_array()) return;
  for (const Json& version : *versions) {
    ServedResource resource = DefinedResource(definition, version);
    if (!gone && version.value("served", true)) {
      registry_.Put(std::move(resource));
      continue;
    }
    registry_.Remove(resource.info);
    auto page = store_.List(resource.info, Selection(), {});
    if (!gone || !page) continue;
    for (const ObjectRef& object : page->items) {
      (void)Remove(resource, object->namespace_, object->name);
    }
  }
}

void ObjectHandler::EmptyNamespace(const std::string& name) {
  for (const auto& resource : registry_.All()) {
    if (!resource->info.Namespaced()) continue;
    const auto selection = Selection::Parse(*resource, name, "", "");
    auto page = store_.List(resource->info, *selection, {});
    if (!page) continue;
    for (const ObjectRef& object : page->items) (void)Remove(*resource, name, object->name);
  }
}

}  // namespace k8s::inline v0::testing
