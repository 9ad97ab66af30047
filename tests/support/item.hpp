#pragma once

#include <k8s/runtime/object_type.hpp>
#include <k8s/string_map.hpp>

#include <memory>
#include <string>
#include <utility>

namespace k8s::test {

/// An object with as much as caches look at, and a value.
struct Item {
  std::string name;
  std::string namespace_ = "default";
  std::string value = {};
  std::string uid = {};
  std::string resourceVersion = {};
  StringMap<std::string> labels = {};
};

inline ObjectPtr<Item> MakeItem(Item item) { return std::make_shared<Item>(std::move(item)); }

inline std::string KeyOf(const Item& item) {
  return item.namespace_.empty() ? item.name : item.namespace_ + "/" + item.name;
}

}  // namespace k8s::test

template <>
inline const k8s::runtime::ObjectType& k8s::runtime::ObjectTypeOf<k8s::test::Item>() {
  static const ObjectType type{
      .info = {.group = "test.example", .version = "v1", .kind = "Item", .plural = "items"},
      .meta = [](const void* object) -> ObjectMetaView {
        const auto& item = *static_cast<const k8s::test::Item*>(object);
        return {item.name, item.namespace_, item.uid, item.resourceVersion};
      },
      .labels =
          [](const void* object) { return &static_cast<const k8s::test::Item*>(object)->labels; }};
  return type;
}

namespace k8s::test {

/// The type as the compiled core takes it.
inline std::shared_ptr<const runtime::ObjectType> ItemType() {
  return {std::shared_ptr<const void>(), &runtime::ObjectTypeOf<Item>()};
}

}  // namespace k8s::test
