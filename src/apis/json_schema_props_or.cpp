#include <k8s/apis/apiextensions/v1.hpp>

#include <k8s/codec/codec.hpp>

#include <utility>

// Three types of apiextensions/v1 whose JSON is either a schema or something simpler. Their structs
// are generated, their JSON is not.

namespace k8s::inline v0 {
namespace apiextensionsv1 {
namespace {

constexpr const char* kNotASchema = "not a valid JSON schema";
template <class T>
const char* Read(std::string_view raw, T& out, const char* reason) {
  return codec::Decode(raw, codec::TypeOf<T>(), &out) ? nullptr : reason;
}

template <class T>
void Write(const T& value, std::string& out) {
  codec::Encode(codec::TypeOf<T>(), &value, out);
}

}  // namespace

const char* JSONSchemaPropsOrArray::UnmarshalJSON(std::string_view raw) {
  *this = {};
  if (raw.front() == '{') return Read(raw, schema.emplace(), kNotASchema);
  if (raw.front() == '[') return Read(raw, jsonSchemas, kNotASchema);
  return nullptr;  // As Go: anything else is neither.
}

void JSONSchemaPropsOrArray::MarshalJSON(std::string& out) const {
  if (jsonSchemas.empty()) return Write(schema, out);
  Write(jsonSchemas, out);
}

bool JSONSchemaPropsOrArray::IsZero() const { return !schema && jsonSchemas.empty(); }

bool operator==(const JSONSchemaPropsOrArray& a, const JSONSchemaPropsOrArray& b) {
  return a.schema == b.schema && a.jsonSchemas == b.jsonSchemas;
}

const char* JSONSchemaPropsOrBool::UnmarshalJSON(std::string_view raw) {
  *this = {};
  if (raw.front() == '{') {
    allows = true;
    return Read(raw, schema.emplace(), kNotASchema);
  }
  return codec::Decode(raw, codec::TypeOf<bool>(), &allows) ? nullptr
                                                            : "neither a bool nor a JSON schema";
}

void JSONSchemaPropsOrBool::MarshalJSON(std::string& out) const {
  if (schema) return Write(schema, out);
  out += allows ? "true" : "false";
}

bool JSONSchemaPropsOrBool::IsZero() const { return !allows && !schema; }

bool operator==(const JSONSchemaPropsOrBool& a, const JSONSchemaPropsOrBool& b) {
  return a.allows == b.allows && a.schema == b.schema;
}

const char* JSONSchemaPropsOrStringArray::UnmarshalJSON(std::string_view raw) {
  *this = {};
  if (raw.front() == '{') return Read(raw, schema.emplace(), kNotASchema);
  if (raw.front() == '[') return Read(raw, property, "not a list of strings");
  return nullptr;  // As Go: anything else is neither.
}

void JSONSchemaPropsOrStringArray::MarshalJSON(std::string& out) const {
  if (property.empty()) return Write(schema, out);
  Write(property, out);
}

bool JSONSchemaPropsOrStringArray::IsZero() const { return !schema && property.empty(); }

bool operator==(const JSONSchemaPropsOrStringArray& a, const JSONSchemaPropsOrStringArray& b) {
  return a.schema == b.schema && a.property == b.property;
}

}  // namespace apiextensionsv1

namespace codec {
namespace {

/// A scalar that can live in a Box.
template <class T>
constexpr TypeInfo BoxableScalar(std::string_view name) {
  TypeOps ops = detail::ScalarOps<T>();
  const TypeOps heap = detail::StructOps<T>();
  ops.create = heap.create;
  ops.destroy = heap.destroy;
  ops.clone = heap.clone;
  return {.form = Form::kScalar, .size = sizeof(T), .name = name, .ops = ops};
}

}  // namespace

constinit const TypeInfo Describe<apiextensionsv1::JSONSchemaPropsOrArray>::info =
    BoxableScalar<apiextensionsv1::JSONSchemaPropsOrArray>("JSONSchemaPropsOrArray");
constinit const TypeInfo Describe<apiextensionsv1::JSONSchemaPropsOrBool>::info =
    BoxableScalar<apiextensionsv1::JSONSchemaPropsOrBool>("JSONSchemaPropsOrBool");
constinit const TypeInfo Describe<apiextensionsv1::JSONSchemaPropsOrStringArray>::info =
    BoxableScalar<apiextensionsv1::JSONSchemaPropsOrStringArray>("JSONSchemaPropsOrStringArray");

}  // namespace codec
}  // namespace k8s::inline v0
