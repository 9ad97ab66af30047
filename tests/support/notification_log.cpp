#include "support/notification_log.hpp"

#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace k8s::test {
namespace {

/// Etcd's revisions: the only form that servers use, and comparable by their contract.
std::uint64_t Version(const std::string& text) { return std::stoull(text); }

std::string Name(const nlohmann::json& line) {
  return line.at("kind").get<std::string>() + " " + line.at("key").get<std::string>();
}

KnownObject Known(const nlohmann::json& line) {
  return {line.at("uid").get<std::string>(), Version(line.at("rv").get<std::string>())};
}

std::string Text(const KnownObject& object) {
  return object.uid + " at " + std::to_string(object.resourceVersion);
}

}  // namespace

KnownObjects ReadDump(const std::filesystem::path& path) {
  std::ifstream file(path);
  KnownObjects objects;
  std::string last;
  for (std::string text; std::getline(file, text);) {
    const auto line = nlohmann::json::parse(text);
    // Sorted by kind and key: below the space there is no character that a kind may have.
    const std::string name = Name(line);
    if (name <= last) throw std::runtime_error("not sorted: " + last + " is before " + name);
    objects.emplace(last = name, Known(line));
  }
  return objects;
}

std::string Difference(std::string_view left_name, const KnownObjects& left,
                       std::string_view right_name, const KnownObjects& right) {
  constexpr int kLines = 10;
  std::ostringstream out;
  int lines = 0;
  const auto tell = [&](const std::string& name, const KnownObject* l, const KnownObject* r) {
    if (++lines > kLines) return;
    out << name << ": " << left_name << " " << (l ? Text(*l) : "none") << ", " << right_name << " "
        << (r ? Text(*r) : "none") << "\n";
  };
  for (const auto& [name, object] : left) {
    const auto other = right.find(name);
    if (other == right.end()) {
      tell(name, &object, nullptr);
    } else if (other->second != object) {
      tell(name, &object, &other->second);
    }
  }
  for (const auto& [name, object] : right) {
    if (!left.contains(name)) tell(name, nullptr, &object);
  }
  return out.str();
}

struct NotificationReplay::Notification {
  std::string text;
  std::string type;
  std::string kind;
  std::string name;
  KnownObject object;
  std::string old;
  bool initial = false;
};

void NotificationReplay::Take(std::string_view line) {
  Notification told;
  try {
    const auto json = nlohmann::json::parse(line);
    told = {.text = std::string(line),
            .type = json.at("type"),
            .kind = json.at("kind"),
            .name = Name(json),
            .object = Known(json),
            .old = json.at("oldRv"),
            .initial = json.at("initial")};
  } catch (const std::exception& error) {
    faults_.push_back(std::string(error.what()) + ": " + std::string(line));
    return;
  }
  ++count_;
  ++counts_[told.type];
  const auto known = objects_.find(told.name);
  Judge(told, known == objects_.end() ? nullptr : &known->second);
  if (told.type == "add" || told.type == "update") {
    objects_[told.name] = told.object;
  } else {
    deleted_.insert(told.object.uid);
    objects_.erase(told.name);
  }
}

void NotificationReplay::Judge(const Notification& told, const KnownObject* known) {
  if (told.object.uid.empty()) Fault(told, "an object without a uid");
  if (told.initial && (told.type != "add" || past_initial_.contains(told.kind))) {
    Fault(told, "initial after the initial objects");
  }
  if (!told.initial) past_initial_.insert(told.kind);
  if (told.type == "add") return JudgeAdd(told, known);
  if (told.type != "update" && told.type != "delete" && told.type != "tombstone") {
    return Fault(told, "an unknown type");
  }
  if (known == nullptr) return Fault(told, told.type + " of what is not there");
  told.type == "update" ? JudgeUpdate(told, *known) : JudgeDelete(told, *known);
}

void NotificationReplay::JudgeAdd(const Notification& told, const KnownObject* known) {
  if (known != nullptr) Fault(told, "an add of what is there as " + Text(*known));
  if (deleted_.contains(told.object.uid)) Fault(told, "an add of what was deleted");
}

void NotificationReplay::JudgeUpdate(const Notification& told, const KnownObject& known) {
  if (told.old != std::to_string(known.resourceVersion)) {
    Fault(told, "an update that does not start from " + Text(known));
  }
  const bool go = contract_ == Contract::kClientGo;
  if (told.object.uid != known.uid && !go)
    Fault(told, "an update to another object than " + Text(known));
  if (told.object.resourceVersion < known.resourceVersion) {
    Fault(told, "an update to before " + Text(known));
  }
  if (told.object == known && !go) Fault(told, "an update that changes nothing");
}

void NotificationReplay::JudgeDelete(const Notification& told, const KnownObject& known) {
  if (told.object.uid != known.uid) Fault(told, "a deletion of another object than " + Text(known));
  if (told.object.resourceVersion < known.resourceVersion) {
    Fault(told, "a deletion before " + Text(known));
  }
}

void NotificationReplay::Fault(const Notification& told, const std::string& what) {
  faults_.push_back(what + ": " + told.text);
}

std::size_t NotificationReplay::CountOf(std::string_view type) const {
  const auto found = counts_.find(type);
  return found == counts_.end() ? 0 : found->second;
}

const NotificationReplay& FollowedLog::Follow() {
  if (!file_.is_open()) file_.open(path_, std::ios::binary);
  file_.clear();  // The end of before is not the end any more.
  unfinished_.append(std::istreambuf_iterator<char>(file_), {});
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = unfinished_.find('\n', begin)) != std::string::npos;
       begin = end + 1) {
    replay_.Take(std::string_view(unfinished_).substr(begin, end - begin));
  }
  unfinished_.erase(0, begin);
  return replay_;
}

}  // namespace k8s::test
