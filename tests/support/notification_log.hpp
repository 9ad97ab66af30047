#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::test {

/// What a cache or a server knows of an object.
struct KnownObject {
  std::string uid;
  std::uint64_t resourceVersion = 0;
  friend bool operator==(const KnownObject&, const KnownObject&) = default;
};

/// Objects by "Kind namespace/name".
using KnownObjects = std::map<std::string, KnownObject>;

/// Reads a dump of informer-log. Throws std::runtime_error when a line is not one of its lines.
[[nodiscard]] KnownObjects ReadDump(const std::filesystem::path& path);

/// What differs, a line each, at most ten; empty when both are equal.
[[nodiscard]] std::string Difference(std::string_view left_name, const KnownObjects& left,
                                     std::string_view right_name, const KnownObjects& right);

/// Whose notifications are judged.
enum class Contract {
  kClientCpp,
  /// client-go's differs in two points. A new list is an update of every object, changed or not
  /// (without a resync period its processor never ceases to take a handler for one that is to be
  /// resynced). An object that was deleted and made anew in a gap is an update to another uid.
  kClientGo,
};

/// Replays the notifications that an informer's handler was told, and judges their order: no add of
/// what is there, no update or deletion of what is not or of another object under its name, each
/// update starts from the version that was told last, versions of an object only grow, nothing that
/// was deleted comes back, the initial objects come first.
class NotificationReplay {
 public:
  explicit NotificationReplay(Contract contract) : contract_(contract) {}

  /// One line of the log. What is wrong goes to `faults`.
  void Take(std::string_view line);

  [[nodiscard]] const KnownObjects& objects() const { return objects_; }
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] std::size_t count() const { return count_; }
  /// How many there were of a type.
  [[nodiscard]] std::size_t CountOf(std::string_view type) const;

 private:
  struct Notification;
  void Judge(const Notification& told, const KnownObject* known);
  void JudgeAdd(const Notification& told, const KnownObject* known);
  void JudgeUpdate(const Notification& told, const KnownObject& known);
  void JudgeDelete(const Notification& told, const KnownObject& known);
  void Fault(const Notification& told, const std::string& what);

  const Contract contract_;
  KnownObjects objects_;
  std::set<std::string> deleted_;       ///< uids
  std::set<std::string> past_initial_;  ///< Kinds that had a notification of something new.
  std::map<std::string, std::size_t, std::less<>> counts_;
  std::size_t count_ = 0;
  std::vector<std::string> faults_;
};

/// Replays a log that is still being written.
class FollowedLog {
 public:
  FollowedLog(std::filesystem::path path, Contract contract)
      : path_(std::move(path)), replay_(contract) {}

  /// Takes the lines that were finished since the last call.
  const NotificationReplay& Follow();

 private:
  const std::filesystem::path path_;
  std::ifstream file_;
  std::string unfinished_;
  NotificationReplay replay_;
};

}  // namespace k8s::test
