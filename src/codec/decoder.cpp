#include "codec/decoder.hpp"

#include <k8s/codec/codec.hpp>

#include "codec/base64.hpp"

#include <utility>

namespace k8s::inline v0::codec {
namespace detail {
namespace {

void* Member(void* object, const Field& field) { return static_cast<char*>(object) + field.offset; }

std::string_view View(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Sets a string without spare capacity: assign() would make room for twice what fits in place.
void Assign(std::string& out, std::string_view text) {
  if (text.size() <= out.capacity()) {
    out.assign(text);
  } else {
    out = std::string(text);
  }
}

/// The field of that name, most likely `guess` or one soon behind it: encoders write fields in the
/// order of their declaration and leave some out.
const Field* Find(const TypeInfo& type, const Field* guess, std::string_view name) {
  const Field* const end = type.fields + type.field_count;
  for (const Field* field = guess; field != end; ++field) {
    if (EqualShort(field->name, name)) return field;
  }
  for (const Field* field = type.fields; field != guess; ++field) {
    if (EqualShort(field->name, name)) return field;
  }
  return nullptr;
}

/// What the value that begins with `c` is; empty when it can be none.
std::string_view KindOfValue(char c) {
  switch (c) {
    case '"':
      return "string";
    case '{':
      return "object";
    case '[':
      return "list";
    case 't':
    case 'f':
      return "bool";
    case 'n':
      return "null";
    default:
      return IsDigit(c) || c == '-' ? "number" : "";
  }
}

/// Lets a scalar's UnmarshalJSON, which may decode structs itself, count on from its own depth.
class OuterDepth {
 public:
  explicit OuterDepth(int depth) : before_(std::exchange(present_, depth)) {}
  ~OuterDepth() { present_ = before_; }
  OuterDepth(const OuterDepth&) = delete;
  OuterDepth& operator=(const OuterDepth&) = delete;
  [[nodiscard]] static int Present() { return present_; }

 private:
  static thread_local int present_;
  int before_;
};

thread_local int OuterDepth::present_ = 0;

std::string_view Belongs(const TypeInfo& type) {
  if (type.form == Form::kBytes) return "base64 string";
  return type.form == Form::kMap ? "object" : type.name;
}

}  // namespace

// ---- The forms

const char* Decoder::Value(const char* p, const TypeInfo& type, void* out, int depth) {
  switch (type.form) {
    case Form::kString:
      return String(p, type, As<std::string>(out));
    case Form::kStruct:
      return Struct(p, type, out, depth);
    case Form::kList:
    case Form::kRequiredList:
      return List(p, type, out, depth);
    case Form::kMap:
      return Map(p, type, out, depth);
    case Form::kOptional:
    case Form::kBox:
      return Optional(p, type, out, depth);
    case Form::kScalar:
      return Scalar(p, type, out, depth);
    case Form::kInt32:
    case Form::kInt64:
      return Integer(p, type, out);
    case Form::kBool:
      return Bool(p, As<bool>(out));
    case Form::kBytes:
      return Base64(p, type, As<Bytes>(out));
    case Form::kFloat64:
      return Double(p, type, As<double>(out));
  }
  return Fail("a type of no form");
}

const char* Decoder::Struct(const char* p, const TypeInfo& type, void* out, int depth) {
  if (!scanner_.At(p, '{')) return Other(p, type, out);
  if (depth >= kMaxTypedDepth) return scanner_.Fail(p, "nested too deeply");
  TypeMeta* const meta = std::exchange(meta_, nullptr);
  p = scanner_.Space(p + 1);
  if (scanner_.At(p, '}')) return p + 1;
  const Field* guess = type.fields;
  while (true) {
    std::string_view name;
    p = Name(p, name);
    if (!p) return nullptr;
    if (meta && name == "kind") [[unlikely]] {
      p = MetaMember(p, "kind", meta->kind);
    } else if (meta && name == "apiVersion") [[unlikely]] {
      p = MetaMember(p, "apiVersion", meta->apiVersion);
    } else if (const Field* field = Find(type, guess, name)) {
      p = Value(p, *field->type, detail::Member(out, *field), depth + 1);
      if (!p) return In(field->name);
      guess = field + 1;
    } else {
      p = scanner_.SkipUnread(p);
    }
    if (!p) return nullptr;
    p = scanner_.Space(p);
    if (scanner_.At(p, '}')) return p + 1;
    if (!scanner_.At(p, ',')) return scanner_.Fail(p, "',' or '}' belongs here");
    p = scanner_.Space(p + 1);
  }
}

const char* Decoder::List(const char* p, const TypeInfo& type, void* out, int depth) {
  if (!scanner_.At(p, '[')) return Other(p, type, out);
  type.ops.clear(out);
  if (type.form == Form::kRequiredList) type.ops.set_null(out, false);
  p = scanner_.Space(p + 1);
  if (scanner_.At(p, ']')) return p + 1;
  for (std::size_t index = 0;; ++index) {
    p = Value(p, *type.element, type.ops.append(out), depth);
    if (!p) return InElement(index);
    p = scanner_.Space(p);
    if (scanner_.At(p, ']')) break;
    if (!scanner_.At(p, ',')) return scanner_.Fail(p, "',' or ']' belongs here");
    p = scanner_.Space(p + 1);
  }
  type.ops.finish(out);
  return p + 1;
}

const char* Decoder::Map(const char* p, const TypeInfo& type, void* out, int depth) {
  if (!scanner_.At(p, '{')) return Other(p, type, out);
  p = scanner_.Space(p + 1);
  if (scanner_.At(p, '}')) return p + 1;
  while (true) {
    const char* const key_at = p;
    std::string key;
    if (!scanner_.At(p, '"')) return scanner_.Fail(p, "a key belongs here");
    p = Text(p + 1, key);
    if (p) p = scanner_.SkipColon(p);
    if (!p) return nullptr;
    p = Value(p, *type.element, type.ops.insert(out, std::move(key)), depth);
    if (!p) return InKey(View(key_at + 1, scanner_.SkipString(key_at + 1) - 1));
    p = scanner_.Space(p);
    if (scanner_.At(p, '}')) break;
    if (!scanner_.At(p, ',')) return scanner_.Fail(p, "',' or '}' belongs here");
    p = scanner_.Space(p + 1);
  }
  type.ops.finish(out);
  return p + 1;
}

const char* Decoder::Optional(const char* p, const TypeInfo& type, void* out, int depth) {
  if (scanner_.At(p, 'n')) return Null(p, type, out);
  // A field that is there twice is read into what the first left, as Go does.
  void* value = const_cast<void*>(type.ops.get(out));
  return Value(p, *type.element, value ? value : type.ops.emplace(out), depth);
}

const char* Decoder::String(const char* p, const TypeInfo& type, std::string& out) {
  if (!scanner_.At(p, '"')) return Other(p, type, &out);
  return Text(p + 1, out);
}

const char* Decoder::Scalar(const char* p, const TypeInfo& type, void* out, int depth) {
  const char* const after = scanner_.SkipValue(p);
  if (!after) return nullptr;
  const OuterDepth outer(depth);
  const char* const refusal = type.ops.unmarshal(out, View(p, after));
  return refusal ? Fail(refusal) : after;
}

const char* Decoder::Bool(const char* p, bool& out) {
  const bool value = scanner_.At(p, 't');
  if (!value && !scanner_.At(p, 'f')) return Other(p, Describe<bool>::info, &out);
  out = value;
  return scanner_.SkipWord(p, value ? "true" : "false");
}

const char* Decoder::Integer(const char* p, const TypeInfo& type, void* out) {
  std::int64_t value = 0;
  const char* const begin = p;
  const IntegerFault fault = ReadInteger(p, scanner_.end(), value);
  if (fault == IntegerFault::kNotANumber) return Other(p, type, out);
  if (fault == IntegerFault::kNotAnInteger) return Mismatch(p, "number not whole", type);
  const bool narrow = type.form == Form::kInt32;
  if (fault == IntegerFault::kOutOfRange || (narrow && !std::in_range<std::int32_t>(value))) {
    return Mismatch(begin, "number too large", type);
  }
  if (narrow) {
    As<std::int32_t>(out) = static_cast<std::int32_t>(value);
  } else {
    As<std::int64_t>(out) = value;
  }
  return p;
}

const char* Decoder::Double(const char* p, const TypeInfo& type, double& out) {
  const char* const after = SkipNumber(p, scanner_.end());
  if (!after) return Other(p, type, &out);
  return ReadDouble(p, after, out) ? after : Mismatch(p, "number too large", type);
}

const char* Decoder::Base64(const char* p, const TypeInfo& type, Bytes& out) {
  if (!scanner_.At(p, '"')) return Other(p, type, &out);
  const char* const begin = p + 1;
  const PlainText run = ScanPlainText(begin, scanner_.end());
  if (scanner_.At(run.end, '"')) {
    return DecodeBase64(View(begin, run.end), out) ? run.end + 1 : Fail("no base64");
  }
  scratch_.clear();
  p = scanner_.ReadString(begin, scratch_);
  if (!p) return nullptr;
  return DecodeBase64(scratch_, out) ? p : Fail("no base64");
}

// ---- Their parts

/// Reads a string; `p` is behind its opening quote.
const char* Decoder::Text(const char* p, std::string& out) {
  const PlainText run = ScanPlainText(p, scanner_.end());
  if (run.ascii && scanner_.At(run.end, '"')) [[likely]] {
    Assign(out, View(p, run.end));
    return run.end + 1;
  }
  std::string text;
  p = scanner_.ReadString(p, text);
  if (p) Assign(out, text);
  return p;
}

/// Reads a field's name and the colon behind it. `name` is valid until the next call.
const char* Decoder::Name(const char* p, std::string_view& name) {
  if (!scanner_.At(p, '"')) return scanner_.Fail(p, "a field's name belongs here");
  const PlainText run = ScanPlainText(p + 1, scanner_.end());
  if (run.ascii && scanner_.At(run.end, '"')) [[likely]] {
    name = View(p + 1, run.end);
    return scanner_.SkipColon(run.end + 1);
  }
  scratch_.clear();
  p = scanner_.ReadString(p + 1, scratch_);
  name = scratch_;
  return p ? scanner_.SkipColon(p) : nullptr;
}

const char* Decoder::MetaMember(const char* p, std::string_view name, std::string& out) {
  p = String(p, Describe<std::string>::info, out);
  return p ? p : In(name);
}

/// null leaves most values as they are, but unsets what can be unset.
const char* Decoder::Null(const char* p, const TypeInfo& type, void* out) {
  p = scanner_.SkipWord(p, "null");
  if (!p) return nullptr;
  if (type.form == Form::kBytes) As<Bytes>(out).clear();
  if (type.ops.clear) type.ops.clear(out);
  return p;
}

/// What does not begin as a value of this type: null, or a failure.
const char* Decoder::Other(const char* p, const TypeInfo& type, void* out) {
  if (scanner_.At(p, 'n')) return Null(p, type, out);
  const std::string_view found = p == scanner_.end() ? "" : KindOfValue(*p);
  if (found.empty()) return scanner_.Fail(p, "no JSON value");
  return Mismatch(p, found, type);
}

// ---- Failures

const char* Decoder::Fail(std::string message) {
  message_ = std::move(message);
  return nullptr;
}

const char* Decoder::Mismatch(const char* p, std::string_view found, const TypeInfo& type) {
  // Rather than of its type, say of a broken value that it is broken.
  if (!scanner_.SkipValue(p)) return nullptr;
  return Fail(std::string(found).append(" where ").append(Belongs(type)).append(" belongs"));
}

const char* Decoder::In(std::string_view field) {
  const bool last = path_.empty() || path_.front() == '[';
  path_.insert(0, std::string(field).append(last ? "" : "."));
  return nullptr;
}

const char* Decoder::InKey(std::string_view key) {
  constexpr std::size_t kLongest = 80;
  std::string step = "[";
  for (const char c : key.substr(0, kLongest)) step.push_back(c < 0x20 || c > 0x7E ? '?' : c);
  step += key.size() > kLongest ? "...]" : "]";
  return In(step);
}

const char* Decoder::InElement(std::size_t index) { return In("[" + std::to_string(index) + "]"); }

Error Decoder::Failure() const {
  std::string message = message_;
  if (message.empty()) {
    message = "invalid JSON at byte " + std::to_string(scanner_.fault()) + ": ";
    message += scanner_.reason();
  }
  return DecodeError(path_.empty() ? message : path_ + ": " + message);
}

Result<void> Decoder::Finish(const char* p) {
  if (p) p = scanner_.Space(p);
  if (p && p != scanner_.end()) p = scanner_.Fail(p, "text behind the value");
  if (!p) return Failure();
  return {};
}

Result<void> Decoder::Run(const TypeInfo& type, void* out) {
  return Finish(Value(scanner_.Space(scanner_.begin()), type, out, OuterDepth::Present()));
}

Result<void> Decoder::Run(const TypeInfo& type, void* out, TypeMeta& meta) {
  const char* const p = scanner_.Space(scanner_.begin());
  if (scanner_.At(p, 'n')) return Finish(Mismatch(p, "null", type));
  meta_ = &meta;
  return Finish(Value(p, type, out, OuterDepth::Present()));
}

}  // namespace detail

Result<void> Decode(std::string_view json, const TypeInfo& type, void* out) {
  return detail::Decoder(json).Run(type, out);
}

}  // namespace k8s::inline v0::codec
