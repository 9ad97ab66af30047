#pragma once

#include "json.hpp"
#include "served_resource.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// One version of one object. Immutable once it is in the store. Kept as text: answers are made of
/// it without another encoding.
struct StoredObject {
  std::string namespace_;
  std::string name;
  std::uint64_t version = 0;
  /// The members after kind and apiVersion, without braces; "metadata" comes first.
  std::string body;
  std::size_t metadata_size = 0;  ///< Length of `"metadata":{...}` at the beginning of `body`.
  std::map<std::string, std::string, std::less<>> labels;
  std::vector<std::string> fields;  ///< Values of FieldLabels(), in that order.
  std::string creationTimestamp;

  [[nodiscard]] std::string Key() const { return MakeKey(namespace_, name); }
  [[nodiscard]] std::string_view Metadata() const {
    return std::string_view(body).substr(0, metadata_size);
  }
  [[nodiscard]] static std::string MakeKey(std::string_view namespace_, std::string_view name) {
    return std::string(namespace_).append("/").append(name);
  }
};

using ObjectRef = std::shared_ptr<const StoredObject>;

/// Makes the text form of an object at a resource version. kind and apiVersion are dropped,
/// metadata gets the server's order.
[[nodiscard]] ObjectRef MakeStored(const ServedResource& resource, Json object,
                                   std::uint64_t version);

/// The same object with another resource version, as a watch with selectors shows an object that
/// has left the selection.
[[nodiscard]] ObjectRef WithVersion(const StoredObject& object, std::uint64_t version);

/// The object as a document with kind and apiVersion.
[[nodiscard]] Json ToJson(const ServedResource& resource, const StoredObject& object);

/// The object's JSON text with kind and apiVersion.
[[nodiscard]] std::string ToText(const ServedResource& resource, const StoredObject& object);

}  // namespace k8s::inline v0::testing
