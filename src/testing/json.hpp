#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace k8s::inline v0::testing {

/// Keeps the order of members, as the bodies of a real server do.
using Json = nlohmann::ordered_json;

/// The member at a path of keys, or null when some part of the path is absent or no object.
inline const Json* At(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* at = &value;
  for (const std::string_view key : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(std::string(key));
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

/// The text at a path of keys, or "".
inline std::string TextAt(const Json& value, std::initializer_list<std::string_view> path) {
  const Json* at = At(value, path);
  return at != nullptr && at->is_string() ? at->get<std::string>() : std::string();
}

/// Compact JSON. Text that is not UTF-8 (a fault may hold any) is replaced, never thrown over.
inline std::string Dump(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// JSON text of a string, quotes included.
inline std::string Quote(std::string_view text) { return Dump(Json(std::string(text))); }

}  // namespace k8s::inline v0::testing
