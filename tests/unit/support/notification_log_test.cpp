#include "support/notification_log.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "support/watcher.hpp"

namespace k8s::test {
namespace {

std::string Line(const std::string& type, const std::string& uid, int version,
                 const std::string& old = "", bool initial = false) {
  return R"({"t":1,"src":"x","type":")" + type + R"(","kind":"Pod","key":"ns/a","uid":")" + uid +
         R"(","rv":")" + std::to_string(version) + R"(","oldRv":")" + old + R"(","initial":)" +
         (initial ? "true" : "false") + "}";
}

std::size_t FaultsOf(Contract contract, const std::vector<std::string>& lines) {
  NotificationReplay replay(contract);
  for (const std::string& line : lines) replay.Take(line);
  EXPECT_EQ(replay.count(), lines.size());
  return replay.faults().size();
}

TEST(NotificationReplayTest, ALifeIsReplayed) {
  NotificationReplay replay(Contract::kClientCpp);
  replay.Take(Line("add", "u", 1, "", true));
  replay.Take(Line("update", "u", 3, "1"));
  EXPECT_EQ(replay.objects(), (KnownObjects{{"Pod ns/a", {"u", 3}}}));
  replay.Take(Line("delete", "u", 4));
  EXPECT_TRUE(replay.objects().empty());
  replay.Take(Line("add", "v", 5));
  replay.Take(Line("tombstone", "v", 5));
  EXPECT_TRUE(replay.objects().empty());
  EXPECT_TRUE(replay.faults().empty());
  EXPECT_EQ(replay.CountOf("add"), 2u);
}

TEST(NotificationReplayTest, EachBreachIsAFault) {
  const struct {
    const char* name;
    std::vector<std::string> lines;
  } rows[] = {
      {"added twice", {Line("add", "u", 1), Line("add", "u", 2)}},
      {"update of nothing", {Line("update", "u", 2, "1")}},
      {"deletion of nothing", {Line("delete", "u", 2)}},
      {"tombstone of nothing", {Line("tombstone", "u", 2)}},
      {"deleted twice", {Line("add", "u", 1), Line("delete", "u", 2), Line("delete", "u", 2)}},
      {"from another version", {Line("add", "u", 1), Line("update", "u", 4, "3")}},
      {"back in time", {Line("add", "u", 5), Line("update", "u", 4, "5")}},
      {"deleted before its last state", {Line("add", "u", 5), Line("delete", "u", 4)}},
      {"another object deleted", {Line("add", "u", 5), Line("delete", "v", 6)}},
      {"back from the dead", {Line("add", "u", 1), Line("delete", "u", 2), Line("add", "u", 1)}},
      {"initial too late",
       {Line("add", "u", 1), Line("delete", "u", 2), Line("add", "v", 3, "", true)}},
      {"no uid", {Line("add", "", 1)}},
      {"unknown type", {Line("what", "u", 1)}}};
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(FaultsOf(Contract::kClientCpp, row.lines), 1u);
    EXPECT_EQ(FaultsOf(Contract::kClientGo, row.lines), 1u);
  }
}

TEST(NotificationReplayTest, OnlyClientGoMayTellOfNoChangeAndOfAnotherUid) {
  const std::vector<std::string> unchanged = {Line("add", "u", 1), Line("update", "u", 1, "1")};
  const std::vector<std::string> replaced = {Line("add", "u", 1), Line("update", "v", 3, "1")};
  EXPECT_EQ(FaultsOf(Contract::kClientCpp, unchanged), 1u);
  EXPECT_EQ(FaultsOf(Contract::kClientCpp, replaced), 1u);
  EXPECT_EQ(FaultsOf(Contract::kClientGo, unchanged), 0u);
  EXPECT_EQ(FaultsOf(Contract::kClientGo, replaced), 0u);
}

TEST(NotificationReplayTest, ALineThatIsNoneIsAFault) {
  NotificationReplay replay(Contract::kClientCpp);
  replay.Take("{");
  replay.Take("{}");
  EXPECT_EQ(replay.faults().size(), 2u);
}

TEST(FollowedLogTest, TakesALineWhenItIsFinished) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "log";
  FollowedLog log(path, Contract::kClientCpp);
  EXPECT_EQ(log.Follow().count(), 0u);  // There is no file yet.
  const std::string line = Line("add", "u", 1) + "\n";
  std::ofstream file(path);
  file << line.substr(0, 20) << std::flush;
  EXPECT_EQ(log.Follow().count(), 0u);
  file << line.substr(20) << std::flush;
  EXPECT_EQ(log.Follow().count(), 1u);
  EXPECT_EQ(log.Follow().count(), 1u);
}

TEST(DumpTest, MustBeSorted) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "dump";
  const std::string a = R"({"kind":"Pod","key":"a","uid":"u","rv":"1"})";
  const std::string b = R"({"kind":"Pod","key":"b","uid":"v","rv":"2"})";
  std::ofstream(path) << a << "\n" << b << "\n";
  EXPECT_EQ(ReadDump(path), (KnownObjects{{"Pod a", {"u", 1}}, {"Pod b", {"v", 2}}}));
  std::ofstream(path) << b << "\n" << a << "\n";
  EXPECT_THROW((void)ReadDump(path), std::runtime_error);
}

TEST(DifferenceTest, NamesWhatDiffers) {
  const KnownObjects left = {{"Pod a", {"u", 1}}, {"Pod b", {"v", 2}}, {"Pod c", {"w", 3}}};
  const KnownObjects right = {{"Pod a", {"u", 1}}, {"Pod b", {"v", 4}}, {"Pod d", {"x", 5}}};
  EXPECT_EQ(Difference("l", left, "r", left), "");
  EXPECT_EQ(Difference("l", left, "r", right),
            "Pod b: l v at 2, r v at 4\nPod c: l w at 3, r none\nPod d: l none, r x at 5\n");
}

}  // namespace
}  // namespace k8s::test
