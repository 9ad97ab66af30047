#include "model_server.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace k8s::test {
namespace {

constexpr unsigned kNamespaces = 2;
constexpr unsigned kNames = 5;
constexpr unsigned kLongestJump = 3;

}  // namespace

bool ModelServer::HasRoom() const {
  // A write makes up to two changes, each of which may pass over versions that were used.
  const auto used = std::distance(used_.upper_bound(state_.version), used_.end());
  const auto most = 2 * kLongestJump + static_cast<std::uint64_t>(used);
  return !ceiling_ || state_.version + most < *ceiling_;
}

std::uint64_t ModelServer::NextVersion() {
  // Other resources have changes too.
  std::uint64_t version = state_.version + 1 + dice_.Below(kLongestJump);
  while (!used_.insert(version).second) ++version;
  return version;
}

std::optional<std::string> ModelServer::Write() {
  const std::string key =
      "ns-" + std::to_string(dice_.Below(kNamespaces)) + "/n" + std::to_string(dice_.Below(kNames));
  if (!HasRoom()) return std::nullopt;
  if (!state_.objects.contains(key)) {
    Create(key);
  } else if (const unsigned how = dice_.Below(10); how < 6) {
    Modify(key);
  } else {
    Delete(key);
    if (how == 9) Create(key);
  }
  return key;
}

bool ModelServer::Touch(const std::string& key) {
  if (!HasRoom()) return false;
  state_.objects.contains(key) ? Modify(key) : Create(key);
  return true;
}

void ModelServer::Create(const std::string& key) {
  const auto slash = key.find('/');
  Record(watch::EventType::kAdded, {.name = key.substr(slash + 1),
                                    .namespace_ = key.substr(0, slash),
                                    .uid = "uid-" + std::to_string(++created_)});
}

void ModelServer::Modify(const std::string& key) {
  Record(watch::EventType::kModified, *state_.objects.at(key));
}

void ModelServer::Delete(const std::string& key) {
  Record(watch::EventType::kDeleted, *state_.objects.at(key));
}

void ModelServer::Record(watch::EventType type, Item item) {
  const std::string key = KeyOf(item);
  state_.version = NextVersion();
  item.resourceVersion = std::to_string(state_.version);
  item.value = std::to_string(dice_.Below(4));
  auto object = MakeItem(std::move(item));
  if (type == watch::EventType::kDeleted) {
    state_.objects.erase(key);
  } else {
    state_.objects[key] = object;
  }
  history_.push_back({type, std::move(object), state_.version});
}

void ModelServer::Compact() {
  compacted_ = state_.version;
  history_.clear();
  replicas_.fill(state_);
}

bool ModelServer::Restore(std::uint64_t known) {
  if (!backup_) return false;
  if (known > backup_->version) ceiling_ = known;
  state_ = *backup_;
  ++generation_;
  Compact();
  return true;
}

void ModelServer::CatchUp(std::size_t number, std::size_t changes) {
  State& replica = replicas_.at(number);
  for (; changes > 0; --changes) {
    const Change* next = After(replica.version);
    if (next == nullptr) {
      replica.version = state_.version;  // Told of the progress of other resources.
      return;
    }
    if (next->type == watch::EventType::kDeleted) {
      replica.objects.erase(KeyOf(*next->object));
    } else {
      replica.objects[KeyOf(*next->object)] = next->object;
    }
    replica.version = next->version;
  }
}

void ModelServer::CatchUp() {
  for (std::size_t i = 0; i < kReplicas; ++i) CatchUp(i, history_.size() + 1);
}

const ModelServer::Change* ModelServer::After(std::uint64_t version) const {
  const auto at =
      std::upper_bound(history_.begin(), history_.end(), version,
                       [](std::uint64_t v, const Change& change) { return v < change.version; });
  return at == history_.end() ? nullptr : &*at;
}

}  // namespace k8s::test
