#include <k8s/codec/codec.hpp>

#include "codec/base64.hpp"
#include "codec/encoder.hpp"
#include "codec/number.hpp"
#include "codec/text.hpp"

namespace k8s::inline v0::codec {
namespace detail {
namespace {

const void* Member(const void* object, const Field& field) {
  return static_cast<const char*>(object) + field.offset;
}

/// Whether Go's omitempty leaves the value out.
bool IsEmpty(const TypeInfo& type, const void* object) {
  switch (type.form) {
    case Form::kBool:
      return !As<bool>(object);
    case Form::kInt32:
      return As<std::int32_t>(object) == 0;
    case Form::kInt64:
      return As<std::int64_t>(object) == 0;
    case Form::kFloat64:
      return As<double>(object) == 0;
    case Form::kString:
      return As<std::string>(object).empty();
    case Form::kBytes:
      return As<Bytes>(object).empty();
    case Form::kList:
    case Form::kRequiredList:
    case Form::kMap:
      return type.ops.size(object) == 0;
    case Form::kOptional:
    case Form::kBox:
      return type.ops.get(object) == nullptr;
    case Form::kScalar:
    case Form::kStruct:
      return false;
  }
  return false;
}

bool IsLeftOut(const Field& field, const void* member) {
  switch (field.omit) {
    case Omit::kNever:
      return false;
    case Omit::kEmpty:
      return IsEmpty(*field.type, member);
    case Omit::kZero:
      return IsZero(*field.type, member);
  }
  return false;
}

/// Whether a member that is always written is null. Go's nil is the only empty list or map that the
/// C++ types can hold, but for RequiredList, which knows by itself.
bool IsNull(const TypeInfo& type, const void* object) {
  const bool has_nil =
      type.form == Form::kList || type.form == Form::kMap || type.form == Form::kBytes;
  return has_nil && IsEmpty(type, object);
}

}  // namespace

void Encoder::Value(const TypeInfo& type, const void* object) {
  switch (type.form) {
    case Form::kBool:
      out_ += As<bool>(object) ? "true" : "false";
      return;
    case Form::kInt32:
      return AppendInteger(As<std::int32_t>(object), out_);
    case Form::kInt64:
      return AppendInteger(As<std::int64_t>(object), out_);
    case Form::kFloat64:
      return AppendDouble(As<double>(object), out_);
    case Form::kString:
      return AppendQuoted(As<std::string>(object), out_);
    case Form::kBytes:
      out_.push_back('"');
      AppendBase64(As<Bytes>(object), out_);
      out_.push_back('"');
      return;
    case Form::kScalar:
      return type.ops.marshal(object, out_);
    case Form::kStruct:
      return Struct(type, object);
    case Form::kList:
      return List(type, object);
    case Form::kRequiredList:
      return type.ops.is_null(object) ? Null() : List(type, object);
    case Form::kMap:
      return Map(type, object);
    case Form::kOptional:
    case Form::kBox:
      const void* const value = type.ops.get(object);
      return value ? Value(*type.element, value) : Null();
  }
}

void Encoder::Struct(const TypeInfo& type, const void* object) {
  out_.push_back('{');
  Members(type, object, false);
  out_.push_back('}');
}

void Encoder::TopLevel(const TypeInfo& type, const void* object, const ResourceInfo& info) {
  out_ += "{\"kind\":";
  AppendQuoted(info.kind, out_);
  out_ += ",\"apiVersion\":";
  AppendQuoted(info.ApiVersion(), out_);
  Members(type, object, true);
  out_.push_back('}');
}

void Encoder::Members(const TypeInfo& type, const void* object, bool is_top_level) {
  bool comma = is_top_level;
  for (const Field* field = type.fields; field != type.fields + type.field_count; ++field) {
    const void* const member = Member(object, *field);
    if (IsLeftOut(*field, member)) continue;
    if (is_top_level && (field->name == "kind" || field->name == "apiVersion")) continue;
    if (comma) out_.push_back(',');
    comma = true;
    AppendQuoted(field->name, out_);
    out_.push_back(':');
    if (IsNull(*field->type, member)) {
      Null();
    } else {
      Value(*field->type, member);
    }
  }
}

void Encoder::List(const TypeInfo& type, const void* list) {
  const auto* element = static_cast<const char*>(type.ops.data(list));
  out_.push_back('[');
  for (std::size_t i = 0; i < type.ops.size(list); ++i, element += type.element->size) {
    if (i > 0) out_.push_back(',');
    Value(*type.element, element);
  }
  out_.push_back(']');
}

void Encoder::Map(const TypeInfo& type, const void* map) {
  out_.push_back('{');
  for (std::size_t i = 0; i < type.ops.size(map); ++i) {
    if (i > 0) out_.push_back(',');
    AppendQuoted(*type.ops.key(map, i), out_);
    out_.push_back(':');
    Value(*type.element, type.ops.value(map, i));
  }
  out_.push_back('}');
}

}  // namespace detail

bool IsZero(const TypeInfo& type, const void* object) {
  if (type.form == Form::kScalar) return type.ops.is_zero(object);
  if (type.form == Form::kRequiredList) return type.ops.is_null(object);
  if (type.form != Form::kStruct) return detail::IsEmpty(type, object);
  for (const Field* field = type.fields; field != type.fields + type.field_count; ++field) {
    if (!IsZero(*field->type, detail::Member(object, *field))) return false;
  }
  return true;
}

void Encode(const TypeInfo& type, const void* object, std::string& out) {
  detail::Encoder(out).Value(type, object);
}

}  // namespace k8s::inline v0::codec
