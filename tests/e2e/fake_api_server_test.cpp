// The fake API server against the clients that everybody uses: what they do works unchanged.

#include <gtest/gtest.h>
#include <k8s/testing/fake_api_server.hpp>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace k8s::test {
namespace {

struct Outcome {
  int status = -1;
  std::string output;
};

Outcome RunShell(const std::string& command) {
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return {.status = -1, .output = "popen failed"};
  std::string output;
  std::array<char, 4096> buffer;
  while (std::size_t got = fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), got);
  }
  return {.status = pclose(pipe), .output = std::move(output)};
}

/// The path of a Go program of tests/go; empty where it was not built.
std::string Program(const char* variable) {
  const char* path = std::getenv(variable);
  return path == nullptr ? "" : path;
}

class ClientGoTest : public ::testing::TestWithParam<bool> {};

// Every check of tests/go/clientgo, with and without streaming lists.
TEST_P(ClientGoTest, WorksWithTheFakeApiServer) {
  const std::string clientgo = Program("CLIENT_CPP_CLIENTGO");
  if (clientgo.empty()) GTEST_SKIP() << "scripts/e2e.sh builds clientgo where Go 1.26 is";
  testing::FakeApiServer server({.historySize = 200});
  const Outcome run = RunShell(clientgo + " -url " + server.url() +
                               " -watch-list=" + (GetParam() ? "true" : "false"));
  EXPECT_EQ(run.status, 0) << run.output;
}

INSTANTIATE_TEST_SUITE_P(StreamingLists, ClientGoTest, ::testing::Bool());

TEST(KubectlTest, AppliesGetsAndDeletesOnTheFakeApiServer) {
  const std::string program = Program("CLIENT_CPP_KUBECTL");
  if (program.empty()) GTEST_SKIP() << "scripts/e2e.sh builds kubectl where Go 1.26 is";
  testing::FakeApiServer server;
  const std::string kubectl =
      "KUBECONFIG=/dev/null " + program + " --cache-dir=$(mktemp -d) -s " + server.url() + " ";
  const std::string settings = R"({"apiVersion":"v1","kind":"ConfigMap","data":{"colour":"red"},)"
                               R"("metadata":{"name":"settings","namespace":"default"}})";

  const Outcome created = RunShell("echo '" + settings + "' | " + kubectl + "apply -f -");
  EXPECT_EQ(created.output, "configmap/settings created\n");
  const Outcome again = RunShell("echo '" + settings + "' | " + kubectl + "apply -f -");
  EXPECT_EQ(again.output, "configmap/settings unchanged\n");
  const Outcome got = RunShell(kubectl + "get configmap settings -o jsonpath='{.data.colour}'");
  EXPECT_EQ(got.output, "red");
  const Outcome deleted = RunShell(kubectl + "delete configmap settings");
  EXPECT_EQ(deleted.status, 0) << deleted.output;
  EXPECT_FALSE(server.Has({.group = "", .resource = "configmaps"}, "default", "settings"));
}

}  // namespace
}  // namespace k8s::test
