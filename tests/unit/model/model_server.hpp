#pragma once

#include <k8s/cache/listwatch.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "dice.hpp"
#include "support/item.hpp"

namespace k8s::test {

/// What a cluster's API servers remember of one resource: the state, the changes since the last
/// compaction, the watch caches of two replicas that may lag behind, and backups that the state can
/// be set back to. Nothing of it knows of requests.
class ModelServer {
 public:
  using Objects = std::map<std::string, ObjectPtr<Item>>;
  struct Change {
    watch::EventType type;
    ObjectPtr<Item> object;  ///< Its version is the change's.
    std::uint64_t version;
  };
  struct State {
    std::uint64_t version = 1;
    Objects objects = {};
  };

  explicit ModelServer(Dice& dice) : dice_(dice) {}

  // ---- What happens to it

  /// Creates, modifies, deletes, or deletes and creates an object, as the dice want it. Returns its
  /// key; nothing if there is no room for a further version now.
  std::optional<std::string> Write();
  /// Changes that object, or creates it. Returns as Write.
  bool Touch(const std::string& key);
  /// Watches and continued lists from before now are no longer possible.
  void Compact();
  void TakeBackup() { backup_ = state_; }
  /// Goes back to the last backup. Until `Noticed` no version reaches `known`, which a client has
  /// seen: a client that sees that version again cannot find out what happened.
  /// Returns false when there is no backup.
  bool Restore(std::uint64_t known);
  void Noticed() { ceiling_.reset(); }
  [[nodiscard]] bool Unnoticed() const { return ceiling_.has_value(); }
  void CatchUp(std::size_t replica, std::size_t changes);
  void CatchUp();

  // ---- What it knows

  [[nodiscard]] const State& state() const { return state_; }
  [[nodiscard]] const State& replica(std::size_t number) const { return replicas_.at(number); }
  [[nodiscard]] std::uint64_t compacted() const { return compacted_; }
  /// Counts the restores: watches and tokens of another generation are void.
  [[nodiscard]] int generation() const { return generation_; }
  /// The first change after a version; null when there is none.
  [[nodiscard]] const Change* After(std::uint64_t version) const;

  static constexpr std::size_t kReplicas = 2;

 private:
  [[nodiscard]] bool HasRoom() const;
  std::uint64_t NextVersion();
  void Create(const std::string& key);
  void Modify(const std::string& key);
  void Delete(const std::string& key);
  void Record(watch::EventType type, Item item);

  Dice& dice_;
  State state_;
  std::deque<Change> history_;
  std::uint64_t compacted_ = 1;
  std::array<State, kReplicas> replicas_;
  std::optional<State> backup_;
  std::optional<std::uint64_t> ceiling_;
  std::set<std::uint64_t> used_;  ///< Versions of changes, those of lost timelines too.
  int generation_ = 0;
  unsigned created_ = 0;
};

}  // namespace k8s::test
