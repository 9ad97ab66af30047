// recovery-times: how long informers of client-go and of this library take to show a write that was
// made after a fault.
//
//   recovery-times [--only TEXT] [--repeat N] [--jobs N]
//
// For each fault, client and repetition: a server of its own, a proxy before it and an informer-log
// (client-go's: informerlog) behind that; the informer shows a first object; the fault happens; an
// object is written; the time until the informer tells of it is taken. Writes a Markdown table.
// scripts/recovery-times.sh builds and runs all that is needed. The environment's
// CLIENT_CPP_INFORMERLOG and CLIENT_CPP_REALSERVER name client-go's program and the real API
// server.

#include <k8s/clock.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"
#include "support/watcher.hpp"

namespace {

using namespace std::chrono_literals;
using namespace k8s::test;
using k8s::testing::FakeApiServer;
using k8s::testing::FaultKind;
using Seconds = std::chrono::duration<double>;

constexpr auto kPatience = 120s;
constexpr auto kWhile = 10s;
constexpr auto kMinute = 60s;

std::string ConfigMapJson(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"default","name":")" +
         name + R"("}})";
}

template <class T>
T Must(k8s::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// A server and the way to it.
class Scene {
 public:
  virtual ~Scene() = default;
  /// Makes a config map.
  virtual void Write(const std::string& name) = 0;
  [[nodiscard]] virtual std::string Kubeconfig() const = 0;

  [[nodiscard]] StallingProxy& proxy() const { return *proxy_; }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_.path(); }

 protected:
  void Proxy(int port) { proxy_ = std::make_unique<StallingProxy>(port); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<StallingProxy> proxy_;
};

class FakeScene final : public Scene {
 public:
  /// `direct`: without the proxy, which accepts connections even while the server refuses them.
  explicit FakeScene(bool direct = false) : direct_(direct) { Proxy(server_.port()); }

  FakeApiServer& server() { return server_; }
  void Write(const std::string& name) override { server_.Add(ConfigMapJson(name)); }
  [[nodiscard]] std::string Kubeconfig() const override {
    return KubeconfigFor("http://127.0.0.1:" +
                         std::to_string(direct_ ? server_.port() : proxy().port()));
  }

 private:
  const bool direct_;
  FakeApiServer server_;
};

class RealScene : public Scene {
 public:
  RealScene() : server_(Must(RealServer::Start())) {
    const std::string& url = server_->Url();
    Proxy(std::stoi(url.substr(url.rfind(':') + 1)));
    std::ifstream file(server_->AdminKubeconfig());
    kubeconfig_.assign(std::istreambuf_iterator<char>(file), {});
    kubeconfig_.replace(kubeconfig_.find(url), url.size(),
                        "https://127.0.0.1:" + std::to_string(proxy().port()));
  }

  [[nodiscard]] RealServer& server() const { return *server_; }
  void Write(const std::string& name) override {
    const auto made = Must(
        server_->Request("POST", "/api/v1/namespaces/default/configmaps", ConfigMapJson(name)));
    if (made.code != 201) throw std::runtime_error(made.body);
  }
  [[nodiscard]] std::string Kubeconfig() const override { return kubeconfig_; }

 private:
  std::unique_ptr<RealServer> server_;
  std::string kubeconfig_;
};

/// The real server, for a service account whose token is in a file.
class TokenScene final : public RealScene {
 public:
  TokenScene() {
    Post(core_ + "serviceaccounts", R"({"metadata":{"name":"watcher"}})");
    Post("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
         R"({"metadata":{"name":"watcher"},"subjects":[{"kind":"ServiceAccount","name":"watcher",)"
         R"("namespace":"default"}],"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)"
         R"("kind":"ClusterRole","name":"cluster-admin"}})");
    first_ = NewToken("first");
    second_ = NewToken("second");
    Install(first_);
  }

  /// The file has another token, and the server refuses the one that it had.
  void Rotate() {
    Install(second_);
    Must(server().Request("DELETE", core_ + "secrets/first"));
    // The server remembers good ones for ten seconds.
    if (!Eventually(60s, [&] { return !IsGood(first_); })) {
      throw std::runtime_error("a token without its secret is still good");
    }
  }
  [[nodiscard]] std::string Kubeconfig() const override {
    return "{clusters: [{name: c, cluster: {server: 'https://127.0.0.1:" +
           std::to_string(proxy().port()) + "', certificate-authority: '" + server().CaFile() +
           "'}}], users: [{name: u, user: {tokenFile: '" + TokenFile() +
           "'}}], contexts: [{name: x, context: {cluster: c, user: u}}], current-context: x}";
  }

 private:
  using Json = nlohmann::json;

  Json Post(const std::string& path, const std::string& body) {
    const auto answer = Must(server().Request("POST", path, body));
    if (answer.code != 201) throw std::runtime_error(answer.body);
    return Json::parse(answer.body);
  }
  /// One that is good for as long as its secret exists.
  std::string NewToken(const std::string& secret) {
    Post(core_ + "secrets", R"({"metadata":{"name":")" + secret + "\"}}");
    return Post(core_ + "serviceaccounts/watcher/token",
                R"({"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":")" +
                    secret + "\"}}}")["status"]["token"];
  }
  bool IsGood(const std::string& token) {
    const auto review = Post("/apis/authentication.k8s.io/v1/tokenreviews",
                             R"({"spec":{"token":")" + token + "\"}}");
    return review["status"].value("authenticated", false);
  }
  [[nodiscard]] std::string TokenFile() const { return folder() / "token"; }
  void Install(const std::string& token) const { std::ofstream(TokenFile()) << token; }

  const std::string core_ = "/api/v1/namespaces/default/";
  std::string first_;
  std::string second_;
};

struct Fault {
  std::string name;
  std::function<std::unique_ptr<Scene>()> scene;
  /// Returns when the write is to be made.
  std::function<void(Scene&)> happen;
  bool real = false;          ///< Needs a real API server.
  bool before_start = false;  ///< Happens before the informer starts.
};

Fault Fake(std::string name, std::function<void(FakeScene&)> happen, bool before_start = false) {
  return {.name = std::move(name),
          .scene = [] { return std::make_unique<FakeScene>(); },
          .happen = [happen = std::move(happen)](
                        Scene& scene) { happen(dynamic_cast<FakeScene&>(scene)); },
          .before_start = before_start};
}

Fault Real(std::string name, std::function<void(RealScene&)> happen) {
  return {.name = std::move(name),
          .scene = [] { return std::make_unique<RealScene>(); },
          .happen = [happen = std::move(happen)](
                        Scene& scene) { happen(dynamic_cast<RealScene&>(scene)); },
          .real = true};
}

Fault RotatedToken() {
  Fault fault =
      Real("token rotated and the old one revoked, connection reset", [](RealScene& scene) {
        dynamic_cast<TokenScene&>(scene).Rotate();
        scene.proxy().Cut();
      });
  fault.scene = [] { return std::make_unique<TokenScene>(); };
  return fault;
}

void Pass(std::chrono::seconds time) { k8s::RealClock()->SleepFor(time, {}); }

/// All requests, or all watches, are answered so from now on; open watches end.
void Answer(FakeScene& scene, const std::string& verb, int status, int times,
            std::optional<int> retry_after = {}) {
  scene.server().InjectFault({.kind = FaultKind::kStatus,
                              .match = {.verb = verb, .resource = "configmaps"},
                              .times = times,
                              .status = status,
                              .retryAfter = retry_after});
  scene.server().EndWatches();
}

Fault AnsweredFor(std::chrono::seconds time, int status) {
  return Fake(std::to_string(status) + " to everything for " + std::to_string(time.count()) + " s",
              [=](FakeScene& scene) {
                Answer(scene, "", status, -1);
                Pass(time);
                scene.server().ClearFaults();
              });
}

/// Nobody listens.
Fault RefusedFor(std::chrono::seconds time) {
  Fault fault =
      Fake("connections refused for " + std::to_string(time.count()) + " s", [=](FakeScene& scene) {
        scene.server().Kill();
        Pass(time);
        scene.server().Restart();
      });
  fault.scene = [] { return std::make_unique<FakeScene>(true); };
  return fault;
}

/// A load balancer without a server behind it.
Fault ResetFor(std::chrono::seconds time) {
  return Fake("connections accepted and reset for " + std::to_string(time.count()) + " s",
              [=](FakeScene& scene) {
                scene.proxy().Refuse(true);
                scene.proxy().Cut();
                Pass(time);
                scene.proxy().Refuse(false);
              });
}

Fault ErrorEvent(int status, const std::string& reason) {
  return Fake(std::to_string(status) + " as an event", [=](FakeScene& scene) {
    scene.server().SendRaw({}, R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1",)"
                               R"("status":"Failure","reason":")" +
                                   reason + R"(","code":)" + std::to_string(status) + "}}\n");
    scene.server().EndWatches();
  });
}

/// These bytes come in the open watches, and then their connections are reset.
Fault BrokenOff(const std::string& name, const std::string& bytes) {
  return Fake(name, [=](FakeScene& scene) {
    scene.server().SendRaw({}, bytes);
    scene.server().ResetWatches();
  });
}

std::vector<Fault> Faults() {
  return {Real("API server killed with -9 and restarted (HTTP/2, TLS)",
               [](RealScene& scene) {
                 scene.server().Kill();
                 Must(scene.server().Restart());
               }),
          Real("API server killed with -9 and back after 60 s (HTTP/2, TLS)",
               [](RealScene& scene) {
                 scene.server().Kill();
                 Pass(kMinute);
                 Must(scene.server().Restart());
               }),
          Fake("connection reset", [](FakeScene& scene) { scene.proxy().Cut(); }),
          Fake("half-open connection, HTTP/1.1", [](FakeScene& scene) { scene.proxy().Stall(); }),
          Real("half-open connection, HTTP/2 over TLS",
               [](RealScene& scene) { scene.proxy().Stall(); }),
          Fake("silent stream on a living connection",
               [](FakeScene& scene) { scene.server().StallWatches(); }),
          Fake(
              "streaming list without its end bookmark",
              [](FakeScene& scene) {
                scene.server().InjectFault(
                    {.kind = FaultKind::kNoBookmarks, .match = {.verb = "watch"}, .times = -1});
              },
              true),
          ErrorEvent(410, "Expired"),
          Fake("410 when the watch is opened",
               [](FakeScene& scene) { Answer(scene, "watch", 410, 1); }),
          Fake("429 with Retry-After of 5 s when the watch is opened",
               [](FakeScene& scene) { Answer(scene, "watch", 429, 1, 5); }),
          ErrorEvent(429, "TooManyRequests"),
          AnsweredFor(kWhile, 500),
          AnsweredFor(kMinute, 500),
          RefusedFor(kWhile),
          RefusedFor(kMinute),
          ResetFor(kWhile),
          ResetFor(kMinute),
          BrokenOff("event cut off by a reset", R"({"type":"ADDED","object":{"kind":"Conf)"),
          Fake("malformed event",
               [](FakeScene& scene) { scene.server().SendRaw({}, "{\"type\":\"ADDED\",,}\n"); }),
          AnsweredFor(kWhile, 401),
          Fake("permission revoked, granted again after 10 s",
               [](FakeScene& scene) {
                 scene.server().SetForbidden({{.match = {.resource = "configmaps"}}});
                 scene.server().EndWatches();
                 Pass(kWhile);
                 scene.server().SetForbidden({});
               }),
          RotatedToken()};
}

bool Shows(Watcher& watcher, const std::string& name) {
  return watcher.Told().objects().contains("ConfigMap default/" + name);
}

/// Nothing: not within `kPatience`.
std::optional<Seconds> Measure(const Fault& fault, const WatcherProgram& program) {
  const auto scene = fault.scene();
  if (fault.before_start) fault.happen(*scene);
  const auto watcher =
      Must(Watcher::Start(program, scene->Kubeconfig(), scene->folder(), {"configmaps"}));
  if (!fault.before_start) {
    scene->Write("before");
    if (!Eventually(60s, [&] { return Shows(*watcher, "before"); })) {
      throw std::runtime_error(program.name + " shows nothing even without a fault");
    }
    fault.happen(*scene);
  }
  const auto begin = std::chrono::steady_clock::now();
  scene->Write("after");
  if (!Eventually(kPatience, [&] { return Shows(*watcher, "after"); })) return std::nullopt;
  return std::chrono::steady_clock::now() - begin;
}

/// "1.2 s", "1.2 s (0.9 to 1.7)": the median and what lies around it.
std::string Text(std::vector<std::optional<Seconds>> times) {
  // Nothing is the longest.
  std::sort(times.begin(), times.end(), [](const auto& a, const auto& b) {
    return a.value_or(2 * kPatience) < b.value_or(2 * kPatience);
  });
  const auto text = [](const std::optional<Seconds>& time) {
    char buffer[32];
    std::snprintf(buffer, sizeof(buffer), "%.1f", time.value_or(kPatience).count());
    return time ? std::string(buffer) : "never";
  };
  const auto median = times[times.size() / 2];
  const std::string never = "not within " + std::to_string(kPatience.count()) + " s";
  const std::string most = median ? text(median) + " s" : never;
  if (text(times.front()) == text(times.back())) return most;
  return most + " (" + text(times.front()) + " to " + text(times.back()) + ")";
}

struct Row {
  Fault fault;
  std::vector<std::vector<std::optional<Seconds>>> times;  ///< By program.
};

/// Calls `work` with 0 to `count` - 1, in so many threads. An error is told and ends the program.
void InParallel(std::size_t count, std::size_t threads,
                const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "recovery-times: %s\n", error.what());
        std::_Exit(1);
      }
    }
  };
  std::vector<std::jthread> pool;
  for (std::size_t i = 0; i < threads; ++i) pool.emplace_back(run);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("How long informers take to show a write that was made after a fault.");
  std::string only;
  std::size_t repeat = 3;
  std::size_t jobs = 4;
  app.add_option("--only", only, "Only faults whose name contains this");
  app.add_option("--repeat", repeat, "Measurements of each")->capture_default_str();
  app.add_option("--jobs", jobs, "Measurements at a time")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  const auto own = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "informer-log";
  std::vector<WatcherProgram> programs = {ClientGoProgram(), {"client-cpp", own}};
  if (programs[0].path.empty()) {
    std::fprintf(stderr, "Without client-go: CLIENT_CPP_INFORMERLOG is not set\n");
    programs.erase(programs.begin());
  }
  const std::string no_real = RealServer::Unavailable();
  if (!no_real.empty()) std::fprintf(stderr, "Without a real server: %s\n", no_real.c_str());

  std::vector<Row> rows;
  for (Fault& fault : Faults()) {
    if (fault.name.find(only) == std::string::npos) continue;
    if (fault.real && !no_real.empty()) continue;
    rows.push_back({std::move(fault), {}});
    rows.back().times.resize(programs.size());
  }
  std::mutex mutex;
  InParallel(rows.size() * programs.size() * repeat, jobs, [&](std::size_t i) {
    Row& row = rows[i / programs.size() % rows.size()];
    const std::size_t program = i % programs.size();
    const auto time = Measure(row.fault, programs[program]);
    const std::lock_guard lock(mutex);
    row.times[program].push_back(time);
    std::fprintf(stderr, "%s: %s: %s\n", row.fault.name.c_str(), programs[program].name.c_str(),
                 Text({time}).c_str());
  });

  std::string header = "| Fault |";
  std::string line = "|---|";
  for (const auto& program : programs) {
    header += " " + program.name + " |";
    line += "---|";
  }
  std::printf("%s\n%s\n", header.c_str(), line.c_str());
  for (const Row& row : rows) {
    std::string text = "| " + row.fault.name + " |";
    for (const auto& times : row.times) text += " " + Text(times) + " |";
    std::printf("%s\n", text.c_str());
  }
}
