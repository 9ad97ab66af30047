#include "protobuf.hpp"

#include <k8s/apis/meta/time.hpp>
#include <k8s/codec/describe.hpp>
#include <k8s/resource/quantity.hpp>
#include <k8s/util/intstr.hpp>

#include "status.hpp"

#include <bit>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0::testing {
namespace {

using codec::Field;
using codec::Form;
using codec::Omit;
using codec::TypeInfo;

/// One field of a message as it stands on the wire.
struct WireField {
  std::uint32_t number = 0;
  std::uint64_t value = 0;      ///< Varints and fixed numbers.
  std::string_view bytes = {};  ///< Everything that has a length.
};

/// Thrown inside this file only.
struct Malformed : std::runtime_error {
  Malformed() : std::runtime_error("malformed protobuf") {}
};

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : bytes_(bytes) {}

  std::optional<WireField> Next() {
    if (bytes_.empty()) return std::nullopt;
    const std::uint64_t tag = Varint();
    WireField field{static_cast<std::uint32_t>(tag >> 3)};
    switch (tag & 7) {
      case 0:
        field.value = Varint();
        break;
      case 1:
        field.value = Fixed(8);
        break;
      case 2:
        field.bytes = Take(Varint());
        break;
      case 5:
        field.value = Fixed(4);
        break;
      default:
        throw Malformed();
    }
    return field;
  }

 private:
  std::string_view Take(std::uint64_t size) {
    if (size > bytes_.size()) throw Malformed();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::uint64_t Varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(Take(1).front());
      value |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return value;
    }
    throw Malformed();
  }

  std::uint64_t Fixed(std::uint64_t size) {
    std::uint64_t value = 0;
    int shift = 0;
    for (const char byte : Take(size)) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte)) << shift;
      shift += 8;
    }
    return value;
  }

  std::string_view bytes_;
};

WireField Find(std::string_view message, std::uint32_t number) {
  WireReader reader(message);
  while (auto field = reader.Next()) {
    if (field->number == number) return *field;
  }
  return {};
}

std::string Base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = (group << 8) | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kAlphabet[(group >> (18 - 6 * j)) & 63] : '=';
    }
  }
  return text;
}

Json TimeText(std::string_view message, bool micro) {
  if (message.empty()) return {};
  const auto seconds = static_cast<std::time_t>(Find(message, 1).value);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[64];
  std::string out(text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts));
  if (micro) {
    std::snprintf(text, sizeof(text), ".%06d", static_cast<int>(Find(message, 2).value / 1000));
    out += text;
  }
  return out + "Z";
}

Json RawJson(std::string_view message) {
  const std::string_view raw = Find(message, 1).bytes;
  Json value = Json::parse(raw, nullptr, false);
  return value.is_discarded() ? Json() : value;
}

/// The types that are written by hand: each has a message of its own.
Json Scalar(const TypeInfo& type, std::string_view message) {
  const auto is = [&type](const TypeInfo& other) { return &type == &other; };
  if (is(codec::TypeOf<metav1::Time>())) return TimeText(message, false);
  if (is(codec::TypeOf<metav1::MicroTime>())) return TimeText(message, true);
  if (is(codec::TypeOf<resource::Quantity>())) return std::string(Find(message, 1).bytes);
  if (is(codec::TypeOf<intstr::IntOrString>())) {
    if (Find(message, 1).value != 0) return std::string(Find(message, 3).bytes);
    return static_cast<std::int32_t>(Find(message, 2).value);
  }
  return RawJson(message);
}

Json Message(const TypeInfo& type, std::string_view bytes);

Json Value(const TypeInfo& type, const WireField& field) {
  switch (type.form) {
    case Form::kBool:
      return field.value != 0;
    case Form::kInt32:
      return static_cast<std::int32_t>(field.value);
    case Form::kInt64:
      return static_cast<std::int64_t>(field.value);
    case Form::kFloat64:
      return std::bit_cast<double>(field.value);
    case Form::kString:
      return std::string(field.bytes);
    case Form::kBytes:
      return Base64(field.bytes);
    case Form::kScalar:
      return Scalar(type, field.bytes);
    case Form::kStruct:
      return Message(type, field.bytes);
    case Form::kOptional:
    case Form::kBox:
      return Value(*type.element, field);
    case Form::kList:
    case Form::kRequiredList:
    case Form::kMap:
      break;
  }
  // A list as a map's value has a message around it.
  Json list = Json::array();
  WireReader reader(field.bytes);
  while (auto item = reader.Next()) list.push_back(Value(*type.element, *item));
  return list;
}

void Add(const TypeInfo& type, const WireField& field, Json& member) {
  if (type.form == Form::kList || type.form == Form::kRequiredList) {
    member.push_back(Value(*type.element, field));
  } else if (type.form == Form::kMap) {
    if (member.is_null()) member = Json::object();
    WireField value;
    WireReader reader(field.bytes);
    while (auto part = reader.Next()) {
      if (part->number == 2) value = *part;
    }
    member[std::string(Find(field.bytes, 1).bytes)] = Value(*type.element, value);
  } else {
    member = Value(type, field);
  }
}

/// Whether fields of the struct stand in the message at `path` (Field::proto_inline) or within it.
bool HasInlined(const TypeInfo& type, std::uint32_t path) {
  const std::uint32_t mask = path > 0xff ? 0xffff : 0xff;
  for (std::uint32_t i = 0; i < type.field_count; ++i) {
    if ((type.fields[i].proto_inline & mask) == path) return true;
  }
  return false;
}

void ReadFields(const TypeInfo& type, std::string_view bytes, std::uint32_t path,
                std::vector<Json>& members) {
  WireReader reader(bytes);
  while (auto field = reader.Next()) {
    bool known = false;
    for (std::uint32_t i = 0; i < type.field_count && !known; ++i) {
      const Field& row = type.fields[i];
      known = row.proto_inline == path && row.proto == field->number;
      if (known) Add(*row.type, *field, members[i]);
    }
    const std::uint32_t within = path == 0 ? field->number : path | field->number << 8;
    if (!known && path <= 0xff && HasInlined(type, within)) {
      ReadFields(type, field->bytes, within, members);
    }
  }
}

/// What Go's encoder leaves out: empty values; structs only where the rule says so.
bool IsOmitted(const Field& row, const Json& value) {
  if (row.omit == Omit::kNever) return false;
  if (row.type->form == Form::kOptional || row.type->form == Form::kBox) return value.is_null();
  if (row.type->form == Form::kStruct) return row.omit == Omit::kZero && value.empty();
  if (row.type->form == Form::kScalar) return row.omit == Omit::kZero && value.is_null();
  return value.is_null() || value == Json(false) || value == Json(0) || value == Json("") ||
         (value.is_structured() && value.empty());
}

/// The value of a member that is not on the wire.
Json Absent(const TypeInfo& type) {
  switch (type.form) {
    case Form::kBool:
      return false;
    case Form::kInt32:
    case Form::kInt64:
    case Form::kFloat64:
      return 0;
    case Form::kString:
      return "";
    case Form::kStruct:
      return Message(type, {});
    default:
      return {};
  }
}

Json Message(const TypeInfo& type, std::string_view bytes) {
  std::vector<Json> members(type.field_count);
  ReadFields(type, bytes, 0, members);
  Json object = Json::object();
  for (std::uint32_t i = 0; i < type.field_count; ++i) {
    const Field& row = type.fields[i];
    Json value = members[i].is_null() ? Absent(*row.type) : std::move(members[i]);
    if (!IsOmitted(row, value)) object[std::string(row.name)] = std::move(value);
  }
  return object;
}

}  // namespace

Result<Json> FromProtobuf(std::string_view bytes, const TypeInfo& type) {
  constexpr std::string_view kMagic{"k8s\0", 4};
  if (!bytes.starts_with(kMagic))
    return BadRequest("provided data does not appear to be a protobuf message");
  bytes.remove_prefix(kMagic.size());
  try {
    const std::string_view type_meta = Find(bytes, 1).bytes;
    Json object = Message(type, Find(bytes, 2).bytes);
    object["apiVersion"] = std::string(Find(type_meta, 1).bytes);
    object["kind"] = std::string(Find(type_meta, 2).bytes);
    return object;
  } catch (const Malformed& error) {
    return BadRequest(error.what());
  }
}

}  // namespace k8s::inline v0::testing
