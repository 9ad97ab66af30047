#include <k8s/apis/json.hpp>

#include "codec/wrong_kind.hpp"
#include "runtime/json_reader.hpp"

namespace k8s::inline v0::runtime {

Result<nlohmann::json> ParseObject(const ObjectType& type, std::string_view json) {
  auto object = detail::ReadJson(json);
  if (!object) return object.error();
  if (!object->is_object()) return DecodeError("no object where " + type.info.kind + " belongs");
  const auto kind = object->find("kind");
  if (kind == object->end() || kind->is_null()) return object;
  if (!kind->is_string()) return DecodeError("kind: no string");
  const auto& name = kind->get_ref<const std::string&>();
  if (!name.empty() && name != type.info.kind) return detail::WrongKind(type, name, json);
  return object;
}

void WriteObject(const ObjectType& type, nlohmann::json object, std::string& out) {
  object["kind"] = type.info.kind;
  object["apiVersion"] = type.info.ApiVersion();
  detail::WriteJson(object, out);
}

}  // namespace k8s::inline v0::runtime
