#pragma once

#include <k8s/cache/listwatch.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "support/checked_handler.hpp"
#include "support/item.hpp"

namespace k8s::test {

/// What an informer has to know, and to tell its handlers, after what it was sent: the model that a
/// real one is compared with. It knows identities only, no objects.
class ReferenceInformer {
 public:
  struct Known {
    std::string uid;
    std::uint64_t version = 0;
    friend bool operator==(const Known&, const Known&) = default;
  };
  using Objects = std::map<std::string, Known>;
  /// What is told in one step: in the order of time for each key, in any order of keys.
  using Step = std::vector<Told>;

  // ---- What it is sent

  /// A list or a stream of the whole state begins; what was collected before counts for nothing.
  void BeginState() { collected_.clear(); }
  void Collect(const Item& item);
  void CollectDeletion(const Item& item) { collected_.erase(KeyOf(item)); }
  /// Something of that key came and could not be read: what is known of the key stays.
  void CollectUnreadable(const std::string& key);
  void CompleteState(std::uint64_t version);

  void Change(watch::EventType type, const Item& item);
  /// An event of which nothing but the version can be used.
  void Nameless(std::uint64_t version);
  /// Returns whether the server seems to have gone back: the second bookmark in a row that is older
  /// than what is known.
  bool Bookmark(std::uint64_t version);

  // ---- What follows from it

  [[nodiscard]] bool synced() const { return synced_; }
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const Objects& objects() const { return objects_; }
  /// What handlers were to be told since the last `Forget`.
  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  void Forget() { steps_.clear(); }
  /// What a handler is told that comes now.
  [[nodiscard]] Step Welcome() const;

 private:
  void Set(Step& step, const std::string& key, const Known& after, Told::Kind add);
  void Apply(watch::EventType type, const std::string& key, const Known& state);

  Objects objects_;
  Objects collected_;
  std::uint64_t version_ = 0;
  bool synced_ = false;
  int older_bookmarks_ = 0;
  std::vector<Step> steps_;
};

}  // namespace k8s::test
