#pragma once

#include <k8s/codec/type_info.hpp>
#include <k8s/resource.hpp>

#include <string>

namespace k8s::inline v0::codec::detail {

/// Appends objects' JSON by their field tables.
class Encoder {
 public:
  explicit Encoder(std::string& out) : out_(out) {}

  void Value(const TypeInfo& type, const void* object);
  /// An object with the kind and apiVersion of `info` in front, in place of its own.
  void TopLevel(const TypeInfo& type, const void* object, const ResourceInfo& info);

 private:
  void Null() { out_ += "null"; }
  void Struct(const TypeInfo& type, const void* object);
  void Members(const TypeInfo& type, const void* object, bool is_top_level);
  void List(const TypeInfo& type, const void* list);
  void Map(const TypeInfo& type, const void* map);

  std::string& out_;
};

}  // namespace k8s::inline v0::codec::detail
