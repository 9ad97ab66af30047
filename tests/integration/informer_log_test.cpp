// The program informer-log: what it writes, and when.

#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/child_process.hpp"
#include "support/loader.hpp"
#include "support/watcher.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using testing::FakeApiServer;

std::string Object(const std::string& api_version, const std::string& kind,
                   const std::string& name) {
  return R"({"apiVersion":")" + api_version + R"(","kind":")" + kind +
         R"(","metadata":{"namespace":"d","name":")" + name + R"("}})";
}

std::string ReadText(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class InformerLogTest : public ::testing::Test {
 protected:
  void Start(const std::vector<std::string>& resources) {
    auto started = Watcher::Start({"client-cpp", CLIENT_CPP_INFORMER_LOG, Contract::kClientCpp},
                                  KubeconfigFor(server_.url()), folder_.path(), resources);
    ASSERT_TRUE(started.has_value()) << started.error().ToString();
    watcher_ = std::move(*started);
  }
  bool AwaitCount(std::size_t count) {
    return Eventually(60s, [&] { return watcher_->Told().count() == count; });
  }
  /// Exit status of a call that ends by itself; what it says is in `said_`.
  int Call(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), CLIENT_CPP_INFORMER_LOG);
    const int status = ChildProcess::Start(std::move(arguments), File("said")).value().Wait();
    said_ = ReadText(File("said"));
    return status;
  }
  [[nodiscard]] std::string File(const std::string& name) const { return folder_.path() / name; }

  FakeApiServer server_;
  TemporaryFolder folder_;
  std::unique_ptr<Watcher> watcher_;
  std::string said_;
};

TEST_F(InformerLogTest, WritesALinePerNotificationOfPods) {
  server_.Add(Object("v1", "Pod", "a"));
  ASSERT_NO_FATAL_FAILURE(Start({}));
  ASSERT_TRUE(AwaitCount(1));
  server_.Modify(
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"d","name":"a","labels":{"x":"y"}}})");
  server_.Delete(Object("v1", "Pod", "a"));
  server_.Add(Object("v1", "Pod", "b"));
  ASSERT_TRUE(AwaitCount(4));
  EXPECT_EQ(watcher_->Told().faults(), std::vector<std::string>());
  EXPECT_EQ(watcher_->Stop(), watcher_->Told().objects());

  std::ifstream log(File("client-cpp.log"));
  std::vector<nlohmann::json> lines;
  for (std::string line; std::getline(log, line);) lines.push_back(nlohmann::json::parse(line));
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["src"], "client-cpp");
  EXPECT_EQ(lines[0]["type"], "add");
  EXPECT_EQ(lines[0]["kind"], "Pod");
  EXPECT_EQ(lines[0]["key"], "d/a");
  EXPECT_EQ(lines[0]["initial"], true);
  EXPECT_EQ(lines[1]["type"], "update");
  EXPECT_EQ(lines[1]["oldRv"], lines[0]["rv"]);
  EXPECT_EQ(lines[2]["type"], "delete");
  EXPECT_EQ(lines[2]["uid"], lines[0]["uid"]);
  EXPECT_EQ(lines[3]["initial"], false);
  EXPECT_GE(lines[3]["t"], lines[0]["t"]);
}

TEST_F(InformerLogTest, DumpsTypedAndUntypedResourcesAndGoesOn) {
  server_.AddResource(LoadedResources().back().info);
  server_.Add(Object("differential.test/v1", "Widget", "w"));
  server_.Add(Object("v1", "ConfigMap", "c"));
  ASSERT_NO_FATAL_FAILURE(Start({"configmaps", "differential.test/v1/widgets"}));
  ASSERT_TRUE(AwaitCount(2));
  const KnownObjects first = watcher_->Dump();
  EXPECT_EQ(first.size(), 2u);
  EXPECT_TRUE(first.contains("ConfigMap d/c"));
  EXPECT_TRUE(first.contains("Widget d/w"));
  server_.Add(Object("v1", "ConfigMap", "c2"));
  ASSERT_TRUE(AwaitCount(3));
  EXPECT_EQ(watcher_->Dump().size(), 3u);
  EXPECT_EQ(watcher_->Stop().size(), 3u);
}

TEST_F(InformerLogTest, TellsOfADeletionInAGapAsATombstone) {
  server_.Add(Object("v1", "Pod", "a"));
  ASSERT_NO_FATAL_FAILURE(Start({}));
  ASSERT_TRUE(AwaitCount(1));
  server_.Kill();
  server_.Delete(Object("v1", "Pod", "a"));
  server_.Compact();
  server_.Restart();
  ASSERT_TRUE(AwaitCount(2));
  EXPECT_EQ(watcher_->Told().CountOf("tombstone"), 1u);
}

TEST_F(InformerLogTest, SaysWhatIsWrong) {
  EXPECT_EQ(Call({}), 2);
  EXPECT_NE(said_.find("--kubeconfig"), std::string::npos) << said_;
  EXPECT_EQ(Call({"--kubeconfig", "k", "--log", "l", "--dump", "d", "--resource", "a/b"}), 2);
  EXPECT_NE(said_.find("GROUP/VERSION/PLURAL"), std::string::npos) << said_;
  EXPECT_EQ(Call({"--kubeconfig", File("none"), "--log", File("l"), "--dump", File("d")}), 1);
  EXPECT_NE(said_.find(File("none")), std::string::npos) << said_;
  std::ofstream(File("k")) << KubeconfigFor(server_.url());
  EXPECT_EQ(Call({"--kubeconfig", File("k"), "--log", File("no/log"), "--dump", File("d")}), 1);
  EXPECT_NE(said_.find(File("no/log")), std::string::npos) << said_;
}

}  // namespace
}  // namespace k8s::test
