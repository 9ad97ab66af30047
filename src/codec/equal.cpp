#include <k8s/codec/codec.hpp>

namespace k8s::inline v0::codec {
namespace {

using detail::As;

bool EqualStructs(const TypeInfo& type, const void* left, const void* right) {
  for (const Field* field = type.fields; field != type.fields + type.field_count; ++field) {
    const auto member = [&](const void* object) {
      return static_cast<const char*>(object) + field->offset;
    };
    if (!Equal(*field->type, member(left), member(right))) return false;
  }
  return true;
}

bool EqualLists(const TypeInfo& type, const void* left, const void* right) {
  const std::size_t size = type.ops.size(left);
  if (size != type.ops.size(right)) return false;
  const auto* left_element = static_cast<const char*>(type.ops.data(left));
  const auto* right_element = static_cast<const char*>(type.ops.data(right));
  for (std::size_t i = 0; i < size; ++i) {
    const std::size_t offset = i * type.element->size;
    if (!Equal(*type.element, left_element + offset, right_element + offset)) return false;
  }
  return true;
}

bool EqualMaps(const TypeInfo& type, const void* left, const void* right) {
  const std::size_t size = type.ops.size(left);
  if (size != type.ops.size(right)) return false;
  for (std::size_t i = 0; i < size; ++i) {
    if (*type.ops.key(left, i) != *type.ops.key(right, i)) return false;
    if (!Equal(*type.element, type.ops.value(left, i), type.ops.value(right, i))) return false;
  }
  return true;
}

bool EqualOptionals(const TypeInfo& type, const void* left, const void* right) {
  const void* const left_value = type.ops.get(left);
  const void* const right_value = type.ops.get(right);
  if (!left_value || !right_value) return left_value == right_value;
  return Equal(*type.element, left_value, right_value);
}

}  // namespace

bool Equal(const TypeInfo& type, const void* left, const void* right) {
  switch (type.form) {
    case Form::kBool:
      return As<bool>(left) == As<bool>(right);
    case Form::kInt32:
      return As<std::int32_t>(left) == As<std::int32_t>(right);
    case Form::kInt64:
      return As<std::int64_t>(left) == As<std::int64_t>(right);
    case Form::kFloat64:
      return As<double>(left) == As<double>(right);
    case Form::kString:
      return As<std::string>(left) == As<std::string>(right);
    case Form::kBytes:
      return As<Bytes>(left) == As<Bytes>(right);
    case Form::kScalar:
      return type.ops.equal(left, right);
    case Form::kStruct:
      return EqualStructs(type, left, right);
    case Form::kList:
      return EqualLists(type, left, right);
    case Form::kRequiredList:
      return type.ops.is_null(left) == type.ops.is_null(right) && EqualLists(type, left, right);
    case Form::kMap:
      return EqualMaps(type, left, right);
    case Form::kOptional:
    case Form::kBox:
      return EqualOptionals(type, left, right);
  }
  return false;
}

}  // namespace k8s::inline v0::codec
