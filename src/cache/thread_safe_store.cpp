#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/detail/shared_mutex.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <unordered_map>

#include "util/log_budget.hpp"
#include "util/user_code.hpp"

namespace k8s::inline v0::cache {
namespace {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

template <class V>
using ByString = std::unordered_map<std::string, V, StringHash, std::equal_to<>>;

struct Entry;

/// The objects with one value of one index. An entry knows its places, so that removal needs no
/// search.
struct Posting {
  std::vector<Entry*> entries;
};
using Postings = ByString<Posting>;

struct Place {
  Posting* posting;
  const std::string* value;  ///< The key of `posting` in its index.
  std::uint32_t index;       ///< Number of the index.
  std::uint32_t position;    ///< In `posting->entries`.
};

struct Entry {
  runtime::AnyPtr object;
  const std::string* key = nullptr;
  std::vector<Place> places;  ///< Readers never look at them.
};

struct IndexDefinition {
  std::string name;
  AnyIndexFunc func;
  mutable util::detail::LogBudget thrown = {};
};

/// Where an object belongs: its values in all indices, by number of the index.
using Values = std::vector<std::pair<std::uint32_t, std::string>>;

std::vector<std::string> CallIndexFunc(const IndexDefinition& index, const void* object) {
  std::vector<std::string> values;
  if (const auto thrown = util::detail::Thrown([&] { values = index.func(object); })) {
    index.thrown.Write(log::Level::kError, Clock::TimePoint::clock::now(),
                       "index function \"" + index.name + "\" threw: " + *thrown);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

/// Objects and their places in the indices.
class Content {
 public:
  ByString<Entry> entries;
  std::vector<Postings> postings;  ///< By number of the index.

  /// Afterwards `object` is what was stored before, for the caller to free without the lock.
  void Set(std::string key, runtime::AnyPtr& object, Values values) {
    const auto [at, added] = entries.try_emplace(std::move(key));
    Entry& entry = at->second;
    entry.key = &at->first;
    entry.object.swap(object);
    if (!added && SamePlaces(entry, values)) return;
    Leave(entry);
    entry.places.reserve(values.size());
    for (auto& [index, value] : values) Enter(entry, index, std::move(value), postings[index]);
  }

  runtime::AnyPtr Remove(std::string_view key) {
    const auto at = entries.find(key);
    if (at == entries.end()) return nullptr;
    Leave(at->second);
    auto object = std::move(at->second.object);
    entries.erase(at);
    return object;
  }

  static void Enter(Entry& entry, std::uint32_t index, std::string value, Postings& postings) {
    const auto at = postings.try_emplace(std::move(value)).first;
    auto& fellows = at->second.entries;
    entry.places.push_back(
        {&at->second, &at->first, index, static_cast<std::uint32_t>(fellows.size())});
    fellows.push_back(&entry);
  }

 private:
  static bool SamePlaces(const Entry& entry, const Values& values) {
    return std::equal(entry.places.begin(), entry.places.end(), values.begin(), values.end(),
                      [](const Place& place, const auto& value) {
                        return place.index == value.first && *place.value == value.second;
                      });
  }

  // The last entry of a posting moves to the place that becomes free.
  static void Vacate(const Place& place) {
    auto& fellows = place.posting->entries;
    Entry* last = fellows.back();
    fellows[place.position] = last;
    for (Place& other : last->places) {
      if (other.posting == place.posting) other.position = place.position;
    }
    fellows.pop_back();
  }

  void Leave(Entry& entry) {
    for (const Place& place : entry.places) {
      Vacate(place);
      if (place.posting->entries.empty()) {
        postings[place.index].erase(postings[place.index].find(*place.value));
      }
    }
    entry.places.clear();
  }
};

Error UnknownIndex(std::string_view name) {
  return InvalidArgument("there is no index \"" + std::string(name) + "\"");
}

}  // namespace

namespace detail {
Error NullObject() { return InvalidArgument("the object is null"); }
}  // namespace detail

struct ThreadSafeStore::Data {
  /// Held by a writer from start to end, while index functions run too. Locked before `mutex`.
  std::mutex writers;
  /// Guards all below. Whoever holds `writers` may read without it, since nobody else writes.
  mutable k8s::detail::SharedMutex mutex;
  Content content;
  std::vector<std::unique_ptr<const IndexDefinition>> indices;  ///< Only ever grows.
  std::string resource_version;

  [[nodiscard]] std::optional<std::uint32_t> Number(std::string_view name) const {
    for (std::uint32_t i = 0; i < indices.size(); ++i) {
      if (indices[i]->name == name) return i;
    }
    return std::nullopt;
  }

  // Requires: writers.
  [[nodiscard]] Values ValuesOf(const void* object) const {
    Values values;
    for (std::uint32_t i = 0; i < indices.size(); ++i) {
      for (auto& value : CallIndexFunc(*indices[i], object))
        values.emplace_back(i, std::move(value));
    }
    return values;
  }

  // Requires: mutex.
  void SetVersion(std::string_view version) {
    if (!version.empty()) resource_version = version;
  }

  // Requires: mutex. Null for a value that no object has.
  [[nodiscard]] const Posting* Find(std::uint32_t index, std::string_view value) const {
    const auto at = content.postings[index].find(value);
    return at == content.postings[index].end() ? nullptr : &at->second;
  }
};

ThreadSafeStore::ThreadSafeStore(std::shared_ptr<const runtime::ObjectType> type)
    : type_(std::move(type)), data_(std::make_unique<Data>()) {}

ThreadSafeStore::~ThreadSafeStore() = default;

void ThreadSafeStore::Set(std::string key, runtime::AnyPtr object) {
  const std::string version(type_->meta(object.get()).resourceVersion);
  std::vector<Change> changes;
  changes.push_back({std::move(key), std::move(object)});
  Apply(std::move(changes), version);
}

void ThreadSafeStore::Remove(std::string_view key) {
  std::vector<Change> changes;
  changes.push_back({std::string(key), nullptr});
  Apply(std::move(changes), {});
}

void ThreadSafeStore::Apply(std::vector<Change> changes, std::string_view resource_version) {
  const std::lock_guard writing(data_->writers);
  std::vector<Values> values(changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].object) values[i] = data_->ValuesOf(changes[i].object.get());
  }
  const std::unique_lock lock(data_->mutex);
  for (std::size_t i = 0; i < changes.size(); ++i) {
    Change& change = changes[i];
    if (change.object) {
      data_->content.Set(std::move(change.key), change.object, std::move(values[i]));
    } else {
      change.object = data_->content.Remove(change.key);
    }
  }
  data_->SetVersion(resource_version);
}

void ThreadSafeStore::Replace(std::vector<Change> objects, std::string_view resource_version) {
  const std::lock_guard writing(data_->writers);
  Content content;
  content.postings.resize(data_->indices.size());
  content.entries.reserve(objects.size());
  for (Change& change : objects) {
    auto values = data_->ValuesOf(change.object.get());
    content.Set(std::move(change.key), change.object, std::move(values));
  }
  const std::unique_lock lock(data_->mutex);
  std::swap(data_->content, content);  // The old one is freed after the lock.
  data_->SetVersion(resource_version);
}

void ThreadSafeStore::SetResourceVersion(std::string_view resource_version) {
  const std::lock_guard writing(data_->writers);
  const std::unique_lock lock(data_->mutex);
  data_->SetVersion(resource_version);
}

runtime::AnyPtr ThreadSafeStore::Get(std::string_view key) const {
  const std::shared_lock lock(data_->mutex);
  const auto at = data_->content.entries.find(key);
  return at == data_->content.entries.end() ? nullptr : at->second.object;
}

bool ThreadSafeStore::Contains(std::string_view key) const {
  const std::shared_lock lock(data_->mutex);
  return data_->content.entries.find(key) != data_->content.entries.end();
}

std::vector<runtime::AnyPtr> ThreadSafeStore::List() const {
  std::vector<runtime::AnyPtr> objects;
  const std::shared_lock lock(data_->mutex);
  objects.reserve(data_->content.entries.size());
  for (const auto& [key, entry] : data_->content.entries) objects.push_back(entry.object);
  return objects;
}

std::vector<std::string> ThreadSafeStore::ListKeys() const {
  std::vector<std::string> keys;
  const std::shared_lock lock(data_->mutex);
  keys.reserve(data_->content.entries.size());
  for (const auto& [key, entry] : data_->content.entries) keys.push_back(key);
  return keys;
}

std::size_t ThreadSafeStore::size() const {
  const std::shared_lock lock(data_->mutex);
  return data_->content.entries.size();
}

std::string ThreadSafeStore::LastResourceVersion() const {
  const std::shared_lock lock(data_->mutex);
  return data_->resource_version;
}

Result<void> ThreadSafeStore::AddIndexers(
    std::vector<std::pair<std::string, AnyIndexFunc>> indexers) {
  const std::lock_guard writing(data_->writers);
  for (std::size_t i = 0; i < indexers.size(); ++i) {
    const auto same = [&](const auto& other) { return other.first == indexers[i].first; };
    if (data_->Number(indexers[i].first) ||
        std::any_of(indexers.begin(), indexers.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return InvalidArgument("index \"" + indexers[i].first + "\" exists already");
    }
    if (!indexers[i].second) {
      return InvalidArgument("the function of index \"" + indexers[i].first + "\" is empty");
    }
  }
  for (auto& [name, func] : indexers) {
    const auto number = static_cast<std::uint32_t>(data_->indices.size());
    auto index = std::unique_ptr<const IndexDefinition>(
        new IndexDefinition{std::move(name), std::move(func)});
    Postings postings;  // Nobody sees it before it is complete.
    for (auto& [key, entry] : data_->content.entries) {
      for (auto& value : CallIndexFunc(*index, entry.object.get())) {
        Content::Enter(entry, number, std::move(value), postings);
      }
    }
    const std::unique_lock lock(data_->mutex);
    data_->indices.push_back(std::move(index));
    data_->content.postings.push_back(std::move(postings));
  }
  return {};
}

bool ThreadSafeStore::HasIndex(std::string_view name) const {
  const std::shared_lock lock(data_->mutex);
  return data_->Number(name).has_value();
}

Result<std::vector<runtime::AnyPtr>> ThreadSafeStore::ByIndex(std::string_view name,
                                                              std::string_view value) const {
  std::vector<runtime::AnyPtr> objects;
  const bool known =
      Visit(name, value, [&](const runtime::AnyPtr& object) { objects.push_back(object); });
  if (name.empty() || !known) return UnknownIndex(name);
  return objects;
}

Result<std::vector<runtime::AnyPtr>> ThreadSafeStore::Index(std::string_view name,
                                                            const void* object) const {
  const auto definition = [&]() -> const IndexDefinition* {
    const std::shared_lock lock(data_->mutex);
    const auto number = data_->Number(name);
    return number ? data_->indices[*number].get() : nullptr;
  }();
  if (!definition) return UnknownIndex(name);
  const auto values = CallIndexFunc(*definition, object);  // Without a lock.

  std::vector<runtime::AnyPtr> objects;
  const std::shared_lock lock(data_->mutex);
  std::vector<const Entry*> found;
  for (const auto& value : values) {
    const Posting* posting = data_->Find(*data_->Number(name), value);
    if (!posting) continue;
    found.insert(found.end(), posting->entries.begin(), posting->entries.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  objects.reserve(found.size());
  for (const Entry* entry : found) objects.push_back(entry->object);
  return objects;
}

Result<std::vector<std::string>> ThreadSafeStore::IndexKeys(std::string_view name,
                                                            std::string_view value) const {
  std::vector<std::string> keys;
  {
    const std::shared_lock lock(data_->mutex);
    const auto number = data_->Number(name);
    if (!number) return UnknownIndex(name);
    if (const Posting* posting = data_->Find(*number, value)) {
      for (const Entry* entry : posting->entries) keys.push_back(*entry->key);
    }
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> ThreadSafeStore::ListIndexFuncValues(std::string_view name) const {
  std::vector<std::string> values;
  {
    const std::shared_lock lock(data_->mutex);
    if (const auto number = data_->Number(name)) {
      for (const auto& [value, posting] : data_->content.postings[*number]) values.push_back(value);
    }
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::string> ThreadSafeStore::IndexNames() const {
  std::vector<std::string> names;
  {
    const std::shared_lock lock(data_->mutex);
    for (const auto& index : data_->indices) names.push_back(index->name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool ThreadSafeStore::Visit(std::string_view name, std::string_view value,
                            const std::function<void(const runtime::AnyPtr&)>& visit) const {
  const std::shared_lock lock(data_->mutex);
  if (name.empty()) {
    for (const auto& [key, entry] : data_->content.entries) visit(entry.object);
    return true;
  }
  const auto number = data_->Number(name);
  if (!number) return false;
  if (const Posting* posting = data_->Find(*number, value)) {
    for (const Entry* entry : posting->entries) visit(entry->object);
  }
  return true;
}

AnyIndexFunc NamespaceIndexFunc(std::shared_ptr<const runtime::ObjectType> type) {
  return [type = std::move(type)](const void* object) {
    return std::vector<std::string>{std::string(type->meta(object).namespace_)};
  };
}

}  // namespace k8s::inline v0::cache
