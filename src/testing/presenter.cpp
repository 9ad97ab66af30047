#include "presenter.hpp"

#include "status.hpp"
#include "times.hpp"

#include <algorithm>

namespace k8s::inline v0::testing {
namespace {

constexpr std::string_view kPartial =
    R"("kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1")";
constexpr std::string_view kTableHead = R"("kind":"Table","apiVersion":"meta.k8s.io/v1")";
constexpr std::string_view kColumns = R"([{"name":"Name","type":"string","format":"name",)"
                                      R"("description":"Name of the object.","priority":0},)"
                                      R"({"name":"Age","type":"string","format":"",)"
                                      R"("description":"Time since its creation.","priority":0}])";

std::string Text(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text.append(part);
  return text;
}

std::string MetadataOfList(const Presenter::ListMetadata& metadata, bool custom) {
  Json json = Json::object();
  if (custom) json["continue"] = metadata.continueToken;
  if (custom && metadata.remaining > 0) json["remainingItemCount"] = metadata.remaining;
  json["resourceVersion"] = std::to_string(metadata.version);
  if (!custom && !metadata.continueToken.empty()) json["continue"] = metadata.continueToken;
  if (!custom && metadata.remaining > 0) json["remainingItemCount"] = metadata.remaining;
  return "\"metadata\":" + Dump(json);
}

}  // namespace

std::string Presenter::Metadata(const StoredObject& object) const {
  return Text({"{", kPartial, ",", object.Metadata(), "}"});
}

std::string Presenter::Row(const StoredObject& object) const {
  const std::string shown = include_object_ == "None"     ? "null"
                            : include_object_ == "Object" ? ToText(*resource_, object)
                                                          : Metadata(object);
  return Text({"{\"cells\":[", Quote(object.name), ",", Quote(HumanAge(object.creationTimestamp)),
               "],\"object\":", shown, "}"});
}

std::string Presenter::Object(const StoredObject& object) const {
  switch (representation_) {
    case Representation::kMetadata:
      return Metadata(object);
    case Representation::kTable:
      return Text({"{", kTableHead, ",\"metadata\":{\"resourceVersion\":\"",
                   std::to_string(object.version), "\"},\"columnDefinitions\":", kColumns,
                   ",\"rows\":[", Row(object), "]}"});
    case Representation::kObject:
      break;
  }
  return ToText(*resource_, object);
}

std::string Presenter::Event(std::string_view type, const StoredObject& object) const {
  return Text({"{\"type\":\"", type, "\",\"object\":", Object(object), "}\n"});
}

std::string Presenter::Bookmark(std::uint64_t version, bool initial_events_end) const {
  const std::string number = "\"resourceVersion\":\"" + std::to_string(version) + "\"";
  const std::string_view mark = R"("annotations":{"k8s.io/initial-events-end":"true"})";
  // A custom resource's members are sorted by name, a built-in one's as its type declares them.
  const bool custom = resource_->custom;
  const std::string metadata = !initial_events_end ? Text({"\"metadata\":{", number, "}"})
                               : custom ? Text({"\"metadata\":{", mark, ",", number, "}"})
                                        : Text({"\"metadata\":{", number, ",", mark, "}"});
  std::string object;
  switch (representation_) {
    case Representation::kMetadata:
      object = Text({kPartial, ",", metadata});
      break;
    case Representation::kTable:
      object = Text({kTableHead, ",", metadata, ",\"columnDefinitions\":", kColumns,
                     ",\"rows\":[{\"cells\":[],\"object\":{", kPartial, ",", metadata, "}}]"});
      break;
    case Representation::kObject:
      object = Text({resource_->TypeMembers(), ",", metadata,
                     resource_->emptyBody.empty() ? "" : ",", resource_->emptyBody});
      break;
  }
  return Text({"{\"type\":\"BOOKMARK\",\"object\":{", object, "}}\n"});
}

std::string Presenter::ErrorEvent(const Error& error) {
  std::string status = StatusBody(error);
  status.pop_back();  // The line end belongs behind the event.
  return Text({"{\"type\":\"ERROR\",\"object\":", status, "}\n"});
}

std::string Presenter::ListBegin(const ListMetadata& metadata) const {
  const bool custom = resource_->custom;
  const std::string shown =
      MetadataOfList(metadata, custom && representation_ == Representation::kObject);
  const std::string version = "\"apiVersion\":" + Quote(resource_->info.ApiVersion());
  switch (representation_) {
    case Representation::kMetadata:
      return Text({R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1",)", shown,
                   ",\"items\":["});
    case Representation::kTable:
      return Text(
          {"{", kTableHead, ",", shown, ",\"columnDefinitions\":", kColumns, ",\"rows\":["});
    case Representation::kObject:
      break;
  }
  if (custom) return Text({"{", version, ",\"items\":["});
  return Text({"{\"kind\":", Quote(resource_->info.kind + "List"), ",", version, ",", shown,
               ",\"items\":["});
}

std::string Presenter::ListItem(const StoredObject& object) const {
  if (representation_ == Representation::kMetadata) return Metadata(object);
  if (representation_ == Representation::kTable) return Row(object);
  if (resource_->custom) return ToText(*resource_, object);
  return Text({"{", object.body, "}"});
}

std::string Presenter::ListEnd(const ListMetadata& metadata) const {
  if (!resource_->custom || representation_ != Representation::kObject) return "]}\n";
  return Text({"],\"kind\":", Quote(resource_->info.kind + "List"), ",",
               MetadataOfList(metadata, true), "}\n"});
}

std::size_t ListBody::EstimatedSize() const {
  std::size_t size = 0;
  for (const ObjectRef& object : page_.items) size += object->body.size();
  return size;
}

bool ListBody::Next(std::size_t size, std::string& out) {
  if (ended_) return false;
  const std::size_t begin = out.size();
  if (!std::exchange(begun_, true)) out += presenter_.ListBegin(metadata_);
  while (next_ < page_.items.size() && out.size() - begin < size) {
    if (next_ > 0) out += ',';
    out += presenter_.ListItem(*page_.items[next_++]);
  }
  if (next_ == page_.items.size()) {
    out += presenter_.ListEnd(metadata_);
    ended_ = true;
  }
  return true;
}

}  // namespace k8s::inline v0::testing
