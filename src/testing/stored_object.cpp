#include "stored_object.hpp"

#include <array>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

constexpr std::array kMetadataOrder = {"name",
                                       "generateName",
                                       "namespace",
                                       "uid",
                                       "resourceVersion",
                                       "generation",
                                       "creationTimestamp",
                                       "deletionTimestamp",
                                       "deletionGracePeriodSeconds",
                                       "labels",
                                       "annotations",
                                       "ownerReferences",
                                       "finalizers",
                                       "managedFields"};

Json OrderedMetadata(Json metadata) {
  Json ordered = Json::object();
  for (const char* key : kMetadataOrder) {
    const auto found = metadata.find(key);
    if (found == metadata.end()) continue;
    ordered[key] = std::move(*found);
    metadata.erase(found);
  }
  for (auto& [key, value] : metadata.items()) ordered[key] = std::move(value);
  return ordered;
}

std::string FieldValue(const Json& object, std::string_view path) {
  const Json* at = &object;
  for (std::size_t begin = 0; begin <= path.size();) {
    const auto dot = std::min(path.find('.', begin), path.size());
    at = At(*at, {path.substr(begin, dot - begin)});
    if (at == nullptr) break;
    begin = dot + 1;
  }
  // The server compares booleans and numbers by their text, absent ones by that of Go's zero value.
  const bool is_bool = path == "spec.unschedulable" || path == "spec.hostNetwork";
  if (at == nullptr || at->is_null()) return is_bool ? "false" : "";
  return at->is_string() ? at->get<std::string>() : Dump(*at);
}

void ReadIndexed(const ServedResource& resource, const Json& object, StoredObject& stored) {
  if (const Json* labels = At(object, {"metadata", "labels"}); labels && labels->is_object()) {
    for (const auto& [key, value] : labels->items()) {
      if (value.is_string()) stored.labels[key] = value.get<std::string>();
    }
  }
  for (const std::string& path : FieldLabels(resource.info)) {
    stored.fields.push_back(FieldValue(object, path));
  }
}

}  // namespace

ObjectRef MakeStored(const ServedResource& resource, Json object, std::uint64_t version) {
  auto stored = std::make_shared<StoredObject>();
  Json metadata = OrderedMetadata(std::move(object["metadata"]));
  metadata["resourceVersion"] = std::to_string(version);
  metadata = OrderedMetadata(std::move(metadata));
  stored->name = TextAt(metadata, {"name"});
  stored->namespace_ = TextAt(metadata, {"namespace"});
  stored->creationTimestamp = TextAt(metadata, {"creationTimestamp"});
  stored->version = version;
  stored->body = "\"metadata\":" + Dump(metadata);
  stored->metadata_size = stored->body.size();
  object["metadata"] = std::move(metadata);
  for (const auto& [key, value] : object.items()) {
    if (key == "kind" || key == "apiVersion" || key == "metadata") continue;
    stored->body.append(",").append(Quote(key)).append(":").append(Dump(value));
  }
  ReadIndexed(resource, object, *stored);
  return stored;
}

ObjectRef WithVersion(const StoredObject& object, std::uint64_t version) {
  auto copy = std::make_shared<StoredObject>(object);
  constexpr std::string_view kMember = "\"resourceVersion\":\"";
  // Metadata comes first and only names precede the version in it: the first hit is the right one.
  const std::size_t begin = copy->body.find(kMember) + kMember.size();
  const std::size_t size = copy->body.find('"', begin) - begin;
  const std::string text = std::to_string(version);
  copy->body.replace(begin, size, text);
  copy->metadata_size = copy->metadata_size - size + text.size();
  copy->version = version;
  return copy;
}

Json ToJson(const ServedResource& resource, const StoredObject& object) {
  return Json::parse(ToText(resource, object));
}

std::string ToText(const ServedResource& resource, const StoredObject& object) {
  return "{" + resource.TypeMembers() + "," + object.body + "}";
}

}  // namespace k8s::inline v0::testing
