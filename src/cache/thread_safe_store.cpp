#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/log.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace k8s::inline v0::cache {
namespace {

struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

struct Entry;

/// The objects with one value of one index. An entry knows its places, so that removal needs no
/// search.
struct Posting {
  std::vector<Entry*> entries;
};

struct Place {
  Posting* posting;
  const std::string* value;  ///< The key of `posting` in its index.
  std::uint32_t index;       ///< Number of the index.
  std::uint32_t position;    ///< In `posting->entries`.
};

struct Entry {
  runtime::AnyPtr object;
  const std::string* key = nullptr;
  std::vector<Place> places;
};

struct IndexData {
  std::string name;
  AnyIndexFunc func;
  std::unordered_map<std::string, Posting, StringHash, std::equal_to<>> postings;
};

}  // namespace

struct ThreadSafeStore::Data {
  mutable std::shared_mutex mutex;
  std::unordered_map<std::string, Entry, StringHash, std::equal_to<>> entries;
  std::vector<std::unique_ptr<IndexData>> indices;
  std::string resource_version;

  const IndexData* Find(std::string_view name) const {
    for (const auto& index : indices) {
      if (index->name == name) return index.get();
    }
    return nullptr;
  }

  std::vector<std::string> Values(const IndexData& index, const void* object) const {
    try {
      auto values = index.func(object);
      std::sort(values.begin(), values.end());
      values.erase(std::unique(values.begin(), values.end()), values.end());
      return values;
    } catch (const std::exception& e) {
      log::Write(log::Level::kError, "index function \"" + index.name + "\" threw: " + e.what());
    } catch (...) {
      log::Write(log::Level::kError, "index function \"" + index.name + "\" threw");
    }
    return {};
  }

  void Enter(Entry& entry, std::uint32_t number) {
    for (auto& value : Values(*indices[number], entry.object.get())) {
      const auto at = indices[number]->postings.try_emplace(std::move(value)).first;
      Posting& posting = at->second;
      entry.places.push_back(
          {&posting, &at->first, number, static_cast<std::uint32_t>(posting.entries.size())});
      posting.entries.push_back(&entry);
    }
  }

  // The last entry of a posting moves to the place that becomes free.
  static void Vacate(const Place& place) {
    auto& entries = place.posting->entries;
    Entry* last = entries.back();
    entries[place.position] = last;
    for (Place& other : last->places) {
      if (other.posting == place.posting) other.position = place.position;
    }
    entries.pop_back();
  }

  void Leave(Entry& entry) {
    for (const Place& place : entry.places) {
      Vacate(place);
      if (place.posting->entries.empty()) {
        auto& postings = indices[place.index]->postings;
        postings.erase(postings.find(*place.value));
      }
    }
    entry.places.clear();
  }

  bool SamePlaces(const Entry& entry, const void* object) const {
    std::size_t place = 0;
    for (const auto& index : indices) {
      for (const auto& value : Values(*index, object)) {
        if (place == entry.places.size() || *entry.places[place].value != value ||
            indices[entry.places[place].index] != index) {
          return false;
        }
        ++place;
      }
    }
    return place == entry.places.size();
  }

  void EnterAll(Entry& entry) {
    for (std::uint32_t i = 0; i < indices.size(); ++i) Enter(entry, i);
  }

  void Set(std::string key, runtime::AnyPtr object) {
    const auto [at, added] = entries.try_emplace(std::move(key));
    Entry& entry = at->second;
    if (!added && SamePlaces(entry, object.get())) {
      entry.object = std::move(object);
      return;
    }
    Leave(entry);
    entry.key = &at->first;
    entry.object = std::move(object);
    EnterAll(entry);
  }

  void Remove(std::string_view key) {
    const auto at = entries.find(key);
    if (at == entries.end()) return;
    Leave(at->second);
    entries.erase(at);
  }

  void SetVersion(std::string_view version) {
    if (!version.empty()) resource_version = version;
  }
};

ThreadSafeStore::ThreadSafeStore(std::shared_ptr<const runtime::ObjectType> type)
    : type_(std::move(type)), data_(std::make_unique<Data>()) {}

ThreadSafeStore::~ThreadSafeStore() = default;

void ThreadSafeStore::Set(std::string key, runtime::AnyPtr object) {
  const std::unique_lock lock(data_->mutex);
  data_->SetVersion(type_->meta(object.get()).resourceVersion);
  data_->Set(std::move(key), std::move(object));
}

void ThreadSafeStore::Remove(std::string_view key) {
  const std::unique_lock lock(data_->mutex);
  data_->Remove(key);
}

void ThreadSafeStore::Apply(std::vector<Change> changes, std::string_view resource_version) {
  const std::unique_lock lock(data_->mutex);
  for (Change& change : changes) {
    if (change.object) {
      data_->Set(std::move(change.key), std::move(change.object));
    } else {
      data_->Remove(change.key);
    }
  }
  data_->SetVersion(resource_version);
}

void ThreadSafeStore::Replace(std::vector<Change> objects, std::string_view resource_version) {
  decltype(data_->entries) old;
  const std::unique_lock lock(data_->mutex);
  for (auto& index : data_->indices) index->postings.clear();
  old.swap(data_->entries);  // Freed after the lock.
  data_->entries.reserve(objects.size());
  for (Change& change : objects) data_->Set(std::move(change.key), std::move(change.object));
  data_->SetVersion(resource_version);
}

void ThreadSafeStore::SetResourceVersion(std::string_view resource_version) {
  const std::unique_lock lock(data_->mutex);
  data_->SetVersion(resource_version);
}

runtime::AnyPtr ThreadSafeStore::Get(std::string_view key) const {
  const std::shared_lock lock(data_->mutex);
  const auto at = data_->entries.find(key);
  return at == data_->entries.end() ? nullptr : at->second.object;
}

bool ThreadSafeStore::Contains(std::string_view key) const {
  const std::shared_lock lock(data_->mutex);
  return data_->entries.find(key) != data_->entries.end();
}

std::vector<runtime::AnyPtr> ThreadSafeStore::List() const {
  const std::shared_lock lock(data_->mutex);
  std::vector<runtime::AnyPtr> objects;
  objects.reserve(data_->entries.size());
  for (const auto& [key, entry] : data_->entries) objects.push_back(entry.object);
  return objects;
}

std::vector<std::string> ThreadSafeStore::ListKeys() const {
  const std::shared_lock lock(data_->mutex);
  std::vector<std::string> keys;
  keys.reserve(data_->entries.size());
  for (const auto& [key, entry] : data_->entries) keys.push_back(key);
  return keys;
}

std::size_t ThreadSafeStore::size() const {
  const std::shared_lock lock(data_->mutex);
  return data_->entries.size();
}

std::string ThreadSafeStore::LastResourceVersion() const {
  const std::shared_lock lock(data_->mutex);
  return data_->resource_version;
}

Result<void> ThreadSafeStore::AddIndexers(
    std::vector<std::pair<std::string, AnyIndexFunc>> indexers) {
  const std::unique_lock lock(data_->mutex);
  for (std::size_t i = 0; i < indexers.size(); ++i) {
    const auto same = [&](const auto& other) { return other.first == indexers[i].first; };
    if (data_->Find(indexers[i].first) ||
        std::any_of(indexers.begin(), indexers.begin() + static_cast<std::ptrdiff_t>(i), same)) {
      return InvalidArgument("index \"" + indexers[i].first + "\" exists already");
    }
  }
  for (auto& [name, func] : indexers) {
    const auto number = static_cast<std::uint32_t>(data_->indices.size());
    data_->indices.push_back(std::make_unique<IndexData>());
    data_->indices.back()->name = std::move(name);
    data_->indices.back()->func = std::move(func);
    for (auto& [key, entry] : data_->entries) data_->Enter(entry, number);
  }
  return {};
}

bool ThreadSafeStore::HasIndex(std::string_view name) const {
  const std::shared_lock lock(data_->mutex);
  return data_->Find(name) != nullptr;
}

namespace {
Error UnknownIndex(std::string_view name) {
  return InvalidArgument("there is no index \"" + std::string(name) + "\"");
}
}  // namespace

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
  const std::shared_lock lock(data_->mutex);
  const IndexData* index = data_->Find(name);
  if (!index) return UnknownIndex(name);
  std::vector<const Entry*> found;
  for (const auto& value : data_->Values(*index, object)) {
    const auto at = index->postings.find(value);
    if (at == index->postings.end()) continue;
    found.insert(found.end(), at->second.entries.begin(), at->second.entries.end());
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<runtime::AnyPtr> objects;
  objects.reserve(found.size());
  for (const Entry* entry : found) objects.push_back(entry->object);
  return objects;
}

Result<std::vector<std::string>> ThreadSafeStore::IndexKeys(std::string_view name,
                                                            std::string_view value) const {
  const std::shared_lock lock(data_->mutex);
  const IndexData* index = data_->Find(name);
  if (!index) return UnknownIndex(name);
  std::vector<std::string> keys;
  if (const auto at = index->postings.find(value); at != index->postings.end()) {
    for (const Entry* entry : at->second.entries) keys.push_back(*entry->key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<std::string> ThreadSafeStore::ListIndexFuncValues(std::string_view name) const {
  const std::shared_lock lock(data_->mutex);
  std::vector<std::string> values;
  if (const IndexData* index = data_->Find(name)) {
    for (const auto& [value, posting] : index->postings) values.push_back(value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

std::vector<std::string> ThreadSafeStore::IndexNames() const {
  const std::shared_lock lock(data_->mutex);
  std::vector<std::string> names;
  for (const auto& index : data_->indices) names.push_back(index->name);
  std::sort(names.begin(), names.end());
  return names;
}

bool ThreadSafeStore::Visit(std::string_view name, std::string_view value,
                            const std::function<void(const runtime::AnyPtr&)>& visit) const {
  const std::shared_lock lock(data_->mutex);
  if (name.empty()) {
    for (const auto& [key, entry] : data_->entries) visit(entry.object);
    return true;
  }
  const IndexData* index = data_->Find(name);
  if (!index) return false;
  const auto at = index->postings.find(value);
  if (at == index->postings.end()) return true;
  for (const Entry* entry : at->second.entries) visit(entry->object);
  return true;
}

AnyIndexFunc NamespaceIndexFunc(std::shared_ptr<const runtime::ObjectType> type) {
  return [type = std::move(type)](const void* object) {
    return std::vector<std::string>{std::string(type->meta(object).namespace_)};
  };
}

}  // namespace k8s::inline v0::cache
