// The measure of the fake API server: client-go's own clients and kubectl work with it unchanged.

#include <k8s/testing/fake_api_server.hpp>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace k8s::testing {
namespace {

using namespace std::chrono_literals;

struct Outcome {
  int code = -1;
  std::string output;  ///< Standard output and, unless the command sends it elsewhere, errors.
};

Outcome Execute(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> buffer;
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    outcome.output.append(buffer.data(), got);
  }
  const int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

/// The path of a Go program of tests/go; empty where scripts/e2e.sh could not build it.
std::string Program(const char* variable) {
  const char* path = std::getenv(variable);
  return path == nullptr ? "" : path;
}

std::size_t CountLines(const std::string& text, std::string_view prefix) {
  std::istringstream lines(text);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) count += line.starts_with(prefix) ? 1 : 0;
  return count;
}

struct Modes {
  bool client = true;  ///< client-go's informers ask for streaming lists.
  bool server = true;  ///< The server serves them.
};

std::string Text(bool value) { return value ? "true" : "false"; }

void RunClientGo(Modes streaming) {
  const std::string clientgo = Program("CLIENT_CPP_CLIENTGO");
  if (clientgo.empty()) GTEST_SKIP() << "scripts/e2e.sh builds clientgo where Go 1.26 is";
  FakeApiServer server({.historySize = 200, .bookmarkInterval = 300ms});
  server.SetWatchList(streaming.server);
  const Outcome run = Execute("timeout 150 " + clientgo + " -url " + server.url() +
                              " -watch-list=" + Text(streaming.client) +
                              " -server-watch-list=" + Text(streaming.server));
  EXPECT_EQ(run.code, 0) << run.output;
  EXPECT_GE(CountLines(run.output, "ok   "), 47U) << run.output;
}

TEST(ClientGoConformanceTest, EveryCheckPassesWithStreamingLists) { RunClientGo({}); }

TEST(ClientGoConformanceTest, EveryCheckPassesWithListsInPages) { RunClientGo({.client = false}); }

TEST(ClientGoConformanceTest, EveryCheckPassesWhenStreamingListsAreRefused) {
  RunClientGo({.server = false});
}

/// kubectl with a configuration for one server, and a folder of its own for all it keeps.
class KubectlTest : public ::testing::Test {
 protected:
  void SetUp() override {
    kubectl_ = Program("CLIENT_CPP_KUBECTL");
    if (kubectl_.empty()) GTEST_SKIP() << "scripts/e2e.sh builds kubectl where Go 1.26 is";
    std::string folder = (std::filesystem::temp_directory_path() / "kubectl-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    Write("config",
          "apiVersion: v1\nkind: Config\ncurrent-context: f\n"
          "clusters: [{name: f, cluster: {server: '" +
              server_.url() +
              "'}}]\n"
              "contexts: [{name: f, context: {cluster: f, user: f}}]\n"
              "users: [{name: f, user: {}}]\n");
  }

  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }

  [[nodiscard]] std::string Command(const std::string& arguments) const {
    return "cd " + folder_.string() + " && HOME=" + folder_.string() + " timeout 60 " + kubectl_ +
           " --kubeconfig=config --cache-dir=cache " + arguments;
  }

  /// Expects success and returns the output.
  std::string Kubectl(const std::string& arguments) const {
    const Outcome outcome = Execute(Command(arguments));
    EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.output;
    return outcome.output;
  }

  FakeApiServer server_;
  std::filesystem::path folder_;
  std::string kubectl_;
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

std::string Deployment(int replicas) {
  return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, labels: {a: b}}\n"
         "spec:\n  replicas: " +
         std::to_string(replicas) +
         "\n  selector: {matchLabels: {app: web}}\n  template:\n"
         "    metadata: {labels: {app: web}}\n"
         "    spec: {containers: [{name: c, image: 'registry.example.com/app:1'}]}\n";
}

TEST_F(KubectlTest, GetsListsTablesAndObjects) {
  server_.CreateMany(3);
  EXPECT_HAS(Kubectl("version"), "v1.37.2");
  EXPECT_HAS(Kubectl("api-resources"), "deployments");
  const std::string table = Kubectl("get pods");
  EXPECT_HAS(table, "NAME");
  EXPECT_HAS(table, "pod-00002");
  EXPECT_HAS(Kubectl("get po,ns -A"), "kube-system");
  EXPECT_EQ(Kubectl("get pod pod-00001 -o jsonpath={.status.podIP}"), "10.64.0.2");
  EXPECT_HAS(Kubectl("get pods --chunk-size=1 -o name"), "pod/pod-00002");
  EXPECT_HAS(Kubectl("get pods -l app=pod --field-selector spec.nodeName=node-001"), "pod-00001");
  EXPECT_HAS(Kubectl("describe pod pod-00000"), "node-000");
  const Outcome absent = Execute(Command("get pod none"));
  EXPECT_EQ(absent.code, 1);
  EXPECT_HAS(absent.output, R"(Error from server (NotFound): pods "none" not found)");
}

TEST_F(KubectlTest, AppliesOnTheClientsSide) {
  Write("web.yaml", Deployment(2));
  EXPECT_HAS(Kubectl("apply -f web.yaml"), "deployment.apps/web created");
  EXPECT_HAS(Kubectl("apply -f web.yaml"), "deployment.apps/web unchanged");
  Write("web.yaml", Deployment(3));
  EXPECT_HAS(Kubectl("apply -f web.yaml"), "deployment.apps/web configured");
  EXPECT_EQ(Kubectl("get deploy web -o jsonpath={.spec.replicas}"), "3");
  EXPECT_HAS(Kubectl("delete -f web.yaml --wait=true"), "deleted");
  EXPECT_FALSE(server_.Has({"apps", "deployments"}, "default", "web"));
}

TEST_F(KubectlTest, AppliesOnTheServersSide) {
  Write("web.yaml", Deployment(2));
  EXPECT_HAS(Kubectl("apply --server-side --field-manager=one -f web.yaml"), "serverside-applied");
  Write("web.yaml", Deployment(4));
  const Outcome conflict = Execute(Command("apply --server-side --field-manager=two -f web.yaml"));
  EXPECT_NE(conflict.code, 0);
  EXPECT_HAS(conflict.output, "conflict with \"one\": .spec.replicas");
  Kubectl("apply --server-side --field-manager=two --force-conflicts -f web.yaml");
  EXPECT_EQ(Kubectl("get deploy web -o jsonpath={.spec.replicas}"), "4");
}

TEST_F(KubectlTest, CreatesPatchesLabelsAndDeletes) {
  EXPECT_HAS(Kubectl("create configmap c --from-literal=a=b"), "configmap/c created");
  EXPECT_HAS(Kubectl("patch cm c --type=merge -p '{\"data\":{\"x\":\"1\"}}'"), "patched");
  EXPECT_HAS(Kubectl("label cm c tier=front"), "labeled");
  EXPECT_HAS(Kubectl("annotate cm c note=yes"), "annotated");
  EXPECT_EQ(Kubectl("get cm c -o jsonpath={.data.a}{.data.x}{.metadata.labels.tier}"), "b1front");
  EXPECT_HAS(Kubectl("delete cm c"), "deleted");
  EXPECT_HAS(Kubectl("create ns fresh"), "namespace/fresh created");
  EXPECT_HAS(Kubectl("delete ns fresh --wait=true"), "deleted");
}

TEST_F(KubectlTest, WatchesPods) {
  server_.CreateMany(1);
  std::thread changes([this] {
    ASSERT_TRUE(server_.WaitForOpenWatches({.verb = "watch", .resource = "pods"}, 1, 30s));
    server_.CreateMany(1, "default", "later-");
    server_.Delete({"", "pods"}, "default", "pod-00000");
    ASSERT_TRUE(server_.WaitForOpenWatches({.verb = "watch", .resource = "pods"}, 1, 30s));
    server_.EndWatches();
  });
  const std::string output = Kubectl("get pods -w --output-watch-events");
  changes.join();
  EXPECT_HAS(output, "ADDED");
  EXPECT_HAS(output, "later-00000");
  EXPECT_HAS(output, "DELETED");
}

TEST_F(KubectlTest, DefinesCustomResources) {
  Write("crd.yaml",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: crontabs.stable.example.com}\nspec:\n  group: stable.example.com\n"
        "  scope: Namespaced\n  names: {plural: crontabs, singular: crontab, kind: CronTab, "
        "shortNames: [ct]}\n  versions:\n  - {name: v1, served: true, storage: true, "
        "schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}\n");
  Write("cron.yaml",
        "apiVersion: stable.example.com/v1\nkind: CronTab\nmetadata: {name: c}\n"
        "spec: {image: i, replicas: 2}\n");
  Kubectl("apply -f crd.yaml");
  Kubectl("wait --for=condition=Established crd/crontabs.stable.example.com --timeout=30s");
  EXPECT_HAS(Kubectl("apply -f cron.yaml"), "crontab.stable.example.com/c created");
  EXPECT_HAS(Kubectl("get ct"), "c ");
  EXPECT_EQ(Kubectl("get ct c -o jsonpath={.spec.replicas}"), "2");
}

}  // namespace
}  // namespace k8s::testing
