#include <k8s/runtime/status.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <atomic>
#include <nlohmann/json.hpp>
#include <utility>

#include "runtime/json_reader.hpp"
#include "runtime/unstructured_list.hpp"

namespace k8s::inline v0 {

using Json = nlohmann::json;

/// Labels as selectors want them are made on first use. Objects are shared between threads once
/// nobody changes them any more: the first to have made the map publishes it.
struct Unstructured::Data {
  Data() : value(Json::object()) {}
  explicit Data(Json object) : value(std::move(object)) {}
  Data(const Data& other) : value(other.value) {}
  Data& operator=(const Data&) = delete;
  ~Data() { delete labels.load(std::memory_order_relaxed); }

  void DropLabels() { delete labels.exchange(nullptr, std::memory_order_relaxed); }

  Json value;
  mutable std::atomic<const StringMap<std::string>*> labels{nullptr};
};

struct UnstructuredAccess {
  static const StringMap<std::string>* Labels(const Unstructured& object) {
    auto& slot = object.data_->labels;
    if (const auto* made = slot.load(std::memory_order_acquire)) return made;
    auto fresh = std::make_unique<const StringMap<std::string>>(object.GetLabels());
    const StringMap<std::string>* there = nullptr;
    if (slot.compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel)) {
      return fresh.release();
    }
    return there;
  }
};

namespace {

const Json* Find(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(std::string(key));
  return found == object.end() ? nullptr : &*found;
}

std::string_view TextOf(const Json* value) {
  if (value == nullptr || !value->is_string()) return {};
  return value->get_ref<const std::string&>();
}

StringMap<std::string> ToStringMap(const Json* value) {
  StringMap<std::string> map;
  if (value == nullptr || !value->is_object()) return map;
  for (const auto& [key, text] : value->items()) {
    if (text.is_string()) map.insert_or_assign(key, text.get<std::string>());
  }
  return map;
}

Json ToJsonMap(const StringMap<std::string>& map) {
  auto object = Json::object();
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

/// The object's member, made an object if it is none.
Json& MakeObject(Json& value) {
  if (!value.is_object()) value = Json::object();
  return value;
}

Result<Json> ReadObject(std::string_view text) {
  auto value = runtime::detail::ReadJson(text);
  if (!value) return value;
  if (!value->is_object()) return DecodeError("not a JSON object");
  return value;
}

}  // namespace

Unstructured::Unstructured() : data_(std::make_unique<Data>()) {}
Unstructured::Unstructured(Json object) : data_(std::make_unique<Data>(std::move(object))) {}
Unstructured::Unstructured(const Unstructured& other)
    : data_(std::make_unique<Data>(*other.data_)) {}
Unstructured::Unstructured(Unstructured&& other) noexcept = default;
Unstructured& Unstructured::operator=(const Unstructured& other) {
  if (this != &other) data_ = std::make_unique<Data>(*other.data_);
  return *this;
}
Unstructured& Unstructured::operator=(Unstructured&& other) noexcept = default;
Unstructured::~Unstructured() = default;

Result<Unstructured> Unstructured::Parse(std::string_view text) {
  auto value = ReadObject(text);
  if (!value) return std::move(value).error();
  Unstructured object(std::move(*value));
  if (object.GetKind().empty()) return DecodeError("the object has no kind");
  return object;
}

std::string Unstructured::ToJson() const {
  std::string out;
  runtime::detail::WriteJson(json(), out);
  return out;
}

const Json& Unstructured::json() const { return data_->value; }
Json& Unstructured::json() {
  data_->DropLabels();
  return data_->value;
}

std::string_view Unstructured::GetAPIVersion() const { return NestedString({"apiVersion"}); }
std::string_view Unstructured::GetKind() const { return NestedString({"kind"}); }
std::string_view Unstructured::GetName() const { return NestedString({"metadata", "name"}); }
std::string_view Unstructured::GetNamespace() const {
  return NestedString({"metadata", "namespace"});
}
std::string_view Unstructured::GetUID() const { return NestedString({"metadata", "uid"}); }
std::string_view Unstructured::GetResourceVersion() const {
  return NestedString({"metadata", "resourceVersion"});
}
StringMap<std::string> Unstructured::GetLabels() const {
  return ToStringMap(NestedField({"metadata", "labels"}));
}
StringMap<std::string> Unstructured::GetAnnotations() const {
  return ToStringMap(NestedField({"metadata", "annotations"}));
}

void Unstructured::SetAPIVersion(std::string_view value) {
  MakeObject(json())["apiVersion"] = std::string(value);
}
void Unstructured::SetKind(std::string_view value) {
  MakeObject(json())["kind"] = std::string(value);
}
void Unstructured::SetName(std::string_view value) {
  MakeObject(MakeObject(json())["metadata"])["name"] = std::string(value);
}
void Unstructured::SetNamespace(std::string_view value) {
  MakeObject(MakeObject(json())["metadata"])["namespace"] = std::string(value);
}
void Unstructured::SetResourceVersion(std::string_view value) {
  MakeObject(MakeObject(json())["metadata"])["resourceVersion"] = std::string(value);
}
void Unstructured::SetLabels(const StringMap<std::string>& labels) {
  MakeObject(MakeObject(json())["metadata"])["labels"] = ToJsonMap(labels);
}
void Unstructured::SetAnnotations(const StringMap<std::string>& annotations) {
  MakeObject(MakeObject(json())["metadata"])["annotations"] = ToJsonMap(annotations);
}

const Json* Unstructured::NestedField(std::initializer_list<std::string_view> path) const {
  const auto* value = &data_->value;
  for (const auto key : path) {
    value = Find(*value, key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string_view Unstructured::NestedString(std::initializer_list<std::string_view> path) const {
  return TextOf(NestedField(path));
}

bool operator==(const Unstructured& a, const Unstructured& b) { return a.json() == b.json(); }

namespace runtime {

namespace {

const Unstructured& Ref(const void* object) { return *static_cast<const Unstructured*>(object); }

void FillType(Unstructured& object, std::string_view kind, std::string_view api_version) {
  if (object.GetKind().empty()) object.SetKind(kind);
  if (object.GetAPIVersion().empty()) object.SetAPIVersion(api_version);
}

Result<std::shared_ptr<Unstructured>> Read(const ObjectType& type, std::string_view text) {
  auto value = ReadObject(text);
  if (!value) return std::move(value).error();
  auto object = std::make_shared<Unstructured>(std::move(*value));
  const auto kind = object->GetKind();
  if (kind == "Status" && type.info.kind != "Status") {
    if (auto failure = ErrorFromStatus(text)) return std::move(*failure);
  }
  // Columns for people; it would be taken for an object of the resource otherwise.
  if (kind == "Table" && type.info.kind != "Table") return DecodeError("a Table is no object");
  if (!kind.empty() && !type.info.kind.empty() && kind != type.info.kind) {
    return DecodeError("an object of kind " + std::string(kind) + " where " + type.info.kind +
                       " belongs");
  }
  return object;
}

Result<AnyPtr> Decode(const ObjectType& type, std::string_view text) {
  auto object = Read(type, text);
  if (!object) return std::move(object).error();
  if (!type.info.kind.empty()) FillType(**object, type.info.kind, type.info.ApiVersion());
  if ((*object)->GetKind().empty()) return DecodeError("the object has no kind");
  return AnyPtr(std::move(*object));
}

void Encode(const ObjectType& type, const void* object, std::string& out) {
  const auto& original = Ref(object);
  if (!original.GetKind().empty() && !original.GetAPIVersion().empty()) {
    detail::WriteJson(original.json(), out);
    return;
  }
  auto named = original;
  FillType(named, type.info.kind, type.info.ApiVersion());
  detail::WriteJson(std::as_const(named).json(), out);
}

ObjectMetaView Meta(const void* object) {
  const auto& ref = Ref(object);
  return {.name = ref.GetName(),
          .namespace_ = ref.GetNamespace(),
          .uid = ref.GetUID(),
          .resourceVersion = ref.GetResourceVersion()};
}

const StringMap<std::string>* Labels(const void* object) {
  return UnstructuredAccess::Labels(Ref(object));
}

}  // namespace

std::shared_ptr<const ObjectType> UnstructuredType(ResourceInfo info) {
  return std::make_shared<const ObjectType>(ObjectType{.info = std::move(info),
                                                       .decode = &Decode,
                                                       .encode = &Encode,
                                                       .meta = &Meta,
                                                       .labels = &Labels});
}

namespace detail {

Result<AnyPtr> DecodeUntypedItem(const ObjectType& type, std::string_view json) {
  auto object = Read(type, json);
  if (!object) return std::move(object).error();
  return AnyPtr(std::move(*object));
}

void AdoptListKind(const AnyPtr& item, std::string_view list_kind, std::string_view api_version) {
  constexpr std::string_view kSuffix = "List";
  if (list_kind.ends_with(kSuffix)) list_kind.remove_suffix(kSuffix.size());
  FillType(*const_cast<Unstructured*>(&Ref(item.get())), list_kind, api_version);
}

}  // namespace detail

}  // namespace runtime
}  // namespace k8s::inline v0
