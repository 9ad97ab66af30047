// informer-log: writes down what informers tell their handlers, and what is in their stores.
//
//   informer-log --kubeconfig FILE --log FILE --dump FILE
//                [--resource pods --resource GROUP/VERSION/PLURAL ...]
//
// The log gets a JSON line per notification, written before the handler returns. On SIGUSR1, and at
// the end after SIGTERM or SIGINT, the dump is replaced by a JSON line per object in the stores,
// sorted by kind and key. tests/go/informerlog does the same with client-go.
//
// Built-in resources are decoded as their types, all others as Unstructured. Exits with 2 when it
// is called wrongly, with 1 when it cannot work.

#include <k8s/apis/resources.hpp>
#include <k8s/apis/scheme.hpp>
#include <k8s/cache/event_handler.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/thread_safe_store.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/kubernetes/resource_client_core.hpp>
#include <k8s/rest/client.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace {

using k8s::cache::SharedInformerCore;
using k8s::runtime::AnyPtr;
using k8s::runtime::ObjectType;
using Line = nlohmann::ordered_json;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "informer-log: %s\n", why.c_str());
  std::_Exit(1);
}

/// The log. A line is one write to the end of the file, so that a killed process loses nothing and
/// lines of several threads do not mix.
class Log {
 public:
  explicit Log(std::string path)
      : path_(std::move(path)),
        file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644)) {
    if (file_ < 0) Die(path_ + ": " + std::strerror(errno));
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() { close(file_); }

  void Write(const Line& line) const {
    const std::string text = line.dump() + '\n';
    const auto written = write(file_, text.data(), text.size());
    if (written < 0) Die(path_ + ": " + std::strerror(errno));
    if (static_cast<std::size_t>(written) < text.size()) Die(path_ + ": no space left");
  }

 private:
  const std::string path_;
  const int file_;
};

/// The kind of an object: the type's, or the object's own where the type is for any kind.
std::string KindOf(const ObjectType& type, const void* object) {
  if (!type.info.kind.empty()) return type.info.kind;
  return std::string(static_cast<const k8s::Unstructured*>(object)->GetKind());
}

Line Describe(const ObjectType& type, const AnyPtr& object) {
  const auto meta = type.meta(object.get());
  return {{"kind", KindOf(type, object.get())},
          {"key", k8s::cache::MetaNamespaceKey(meta)},
          {"uid", meta.uid},
          {"rv", meta.resourceVersion}};
}

class LoggingHandler final : public k8s::cache::detail::AnyEventHandler {
 public:
  LoggingHandler(const Log& log, const ObjectType& type) : log_(log), type_(type) {}

  void OnAdd(const AnyPtr& object, bool initial) override { Write("add", object, "", initial); }
  void OnUpdate(const AnyPtr& before, const AnyPtr& after) override {
    Write("update", after, type_.meta(before.get()).resourceVersion, false);
  }
  void OnDelete(const std::string& key, const AnyPtr& object, const AnyPtr&,
                bool unknown) override {
    if (object == nullptr) Die("a deletion without a last state: " + key);
    Write(unknown ? "tombstone" : "delete", object, "", false);
  }

 private:
  void Write(const char* what, const AnyPtr& object, std::string_view old, bool initial) const {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    Line line{{"t", std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()},
              {"src", "client-cpp"},
              {"type", what}};
    line.update(Describe(type_, object));
    line["oldRv"] = old;
    line["initial"] = initial;
    log_.Write(line);
  }

  const Log& log_;
  const ObjectType& type_;
};

/// The PLURAL of a core resource, or GROUP/VERSION/PLURAL. No value: neither.
std::optional<k8s::GroupVersionResource> ParseResource(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  if (std::find(parts.begin(), parts.end(), "") != parts.end()) return std::nullopt;
  if (parts.size() == 1) return k8s::GroupVersionResource{"", "v1", parts[0]};
  if (parts.size() == 3) return k8s::GroupVersionResource{parts[0], parts[1], parts[2]};
  return std::nullopt;
}

std::shared_ptr<const ObjectType> TypeOf(const k8s::GroupVersionResource& resource) {
  if (const auto* facts = k8s::apis::FindResource(resource)) {
    if (const auto* type = k8s::apis::FindObjectType(facts->Info().Gvk())) {
      return {std::shared_ptr<const void>(), type};
    }
  }
  return k8s::runtime::UnstructuredType(
      {.group = resource.group, .version = resource.version, .plural = resource.resource});
}

std::shared_ptr<SharedInformerCore> MakeInformer(const k8s::rest::Client& client,
                                                 const k8s::GroupVersionResource& resource,
                                                 const Log& log) {
  auto type = TypeOf(resource);
  auto informer = std::make_shared<SharedInformerCore>(
      type,
      k8s::cache::NewListWatchFromClient(k8s::kubernetes::ResourceClientCore(client, type, "")),
      k8s::cache::SharedInformerOptions{});
  auto added = informer->AddEventHandler(std::make_unique<LoggingHandler>(log, *type), {});
  if (!added) Die(added.error().ToString());
  return informer;
}

using Informers = std::vector<std::shared_ptr<SharedInformerCore>>;

/// A reader of the file sees the state of before or that of now, never a part.
void Dump(const std::string& path, const Informers& informers) {
  std::vector<Line> lines;
  for (const auto& informer : informers) {
    for (const AnyPtr& object : informer->store()->List()) {
      lines.push_back(Describe(informer->type(), object));
    }
  }
  std::sort(lines.begin(), lines.end(), [](const Line& a, const Line& b) {
    return std::pair(a["kind"], a["key"]) < std::pair(b["kind"], b["key"]);
  });
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished, std::ios::binary);
  for (const Line& line : lines) file << line << '\n';
  file.close();
  if (!file) Die(unfinished + ": " + std::strerror(errno));
  std::error_code failed;
  std::filesystem::rename(unfinished, path, failed);
  if (failed) Die(path + ": " + failed.message());
}

/// The signals that `main` waits for. Blocked before there is any other thread, which inherits it.
sigset_t BlockSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  return signals;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes down what informers tell their handlers, and what is in their stores.");
  std::string kubeconfig;
  std::string log_path;
  std::string dump_path;
  std::vector<std::string> names = {"pods"};
  app.add_option("--kubeconfig", kubeconfig, "How to reach the API server")->required();
  app.add_option("--log", log_path, "File that gets a line per notification")->required();
  app.add_option("--dump", dump_path, "File that gets the stores")->required();
  app.add_option("--resource", names,
                 "PLURAL of the core group or GROUP/VERSION/PLURAL; may be repeated")
      ->capture_default_str()
      ->check([](const std::string& name) {
        return ParseResource(name) ? "" : name + " is neither PLURAL nor GROUP/VERSION/PLURAL";
      });
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const sigset_t signals = BlockSignals();

  auto config = k8s::clientcmd::BuildConfigFromFlags("", kubeconfig);
  if (!config) Die(config.error().ToString());
  auto client = k8s::rest::Client::New(*config);
  if (!client) Die(client.error().ToString());
  const Log log(log_path);
  Informers informers;
  for (const std::string& name : names) {
    informers.push_back(MakeInformer(*client, *ParseResource(name), log));
  }
  {
    std::list<std::jthread> running;
    for (const auto& informer : informers) {
      running.emplace_back([informer](std::stop_token stop) { (void)informer->Run(stop); });
    }
    int signal = 0;
    while (sigwait(&signals, &signal) == 0 && signal == SIGUSR1) Dump(dump_path, informers);
    for (auto& thread : running) thread.request_stop();
  }
  Dump(dump_path, informers);
}
