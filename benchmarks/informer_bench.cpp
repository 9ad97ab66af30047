// Measures this library's pod informer against the server in peers/server. What it does, in which
// order, and the line that it prints are described in peers/README.md, "A client's contract".

#include <k8s/apis/core/v1.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/rest/config.hpp>
#include <k8s/version.hpp>

#include <curl/curl.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

using k8s::ObjectPtr;
using k8s::corev1::Pod;
using namespace std::chrono_literals;

constexpr std::chrono::minutes kPhaseLimit{5};
constexpr std::string_view kEndPod = "bench-end";
constexpr std::string_view kEndNamespace = "bench/";
constexpr std::string_view kSentAnnotation = "bench/sent-ns";

struct Flags {
  std::string server;
  std::string ca;
  std::string mode = "list";
  int handlers = 1;
  int expect_events = 0;
  int rate = 2000;
  int rate_events = 0;
};

// ---- Measures

class Stopwatch {
 public:
  [[nodiscard]] double Seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  [[nodiscard]] double Milliseconds() const { return Seconds() * 1e3; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

double CpuSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// A field of /proc/self/status in KiB: VmRSS or VmHWM.
long StatusKiB(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stol(line.substr(field.size() + 1));
  }
  throw std::runtime_error("no such field in /proc/self/status: " + std::string(field));
}

std::int64_t WallNanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// ---- The event handler

/// One handler's counts. All but `AwaitEnd` runs on its informer's thread for it.
class Counter {
 public:
  /// `keep_latencies`: this handler also notes how old each update of a paced churn is.
  explicit Counter(bool keep_latencies) : keep_latencies_(keep_latencies) {}

  void OnAdd(const Pod& pod) {
    if (pod.metadata.name != kEndPod) return;
    {
      const std::lock_guard lock(mutex_);
      updates_at_end_ = std::exchange(updates_, 0);
    }
    ended_.notify_one();
  }

  void OnUpdate(const Pod& pod) {
    ++updates_;
    if (keep_latencies_ && paced.load(std::memory_order_relaxed)) NoteLatency(pod);
  }

  /// The updates of the churn that just ended. Blocking: until its end was seen.
  int AwaitEnd() {
    std::unique_lock lock(mutex_);
    if (!ended_.wait_for(lock, kPhaseLimit, [this] { return updates_at_end_.has_value(); })) {
      throw std::runtime_error("the end of the churn did not come");
    }
    return *std::exchange(updates_at_end_, std::nullopt);
  }

  /// Only after `AwaitEnd`.
  std::vector<std::int64_t>& latencies() { return latencies_; }

  /// Whether the churn under way is the paced one.
  static inline std::atomic<bool> paced{false};

 private:
  void NoteLatency(const Pod& pod) {
    const auto sent = pod.metadata.annotations.find(kSentAnnotation);
    if (sent == pod.metadata.annotations.end()) return;
    std::int64_t nanoseconds = 0;
    const std::string& text = sent->second;
    std::from_chars(text.data(), text.data() + text.size(), nanoseconds);
    latencies_.push_back(WallNanoseconds() - nanoseconds);
  }

  const bool keep_latencies_;
  int updates_ = 0;
  std::vector<std::int64_t> latencies_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<int> updates_at_end_;
};

// ---- The run

void Post(const Flags& flags, const std::string& path) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(),
                                                                 &curl_easy_cleanup);
  curl_easy_setopt(curl.get(), CURLOPT_URL, (flags.server + path).c_str());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, "");
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  if (!flags.ca.empty()) curl_easy_setopt(curl.get(), CURLOPT_CAINFO, flags.ca.c_str());
  const CURLcode result = curl_easy_perform(curl.get());
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  if (result != CURLE_OK || status != 202) {
    throw std::runtime_error(path + ": " + curl_easy_strerror(result) + ", status " +
                             std::to_string(status));
  }
}

class Bench {
 public:
  explicit Bench(const Flags& flags)
      : flags_(flags),
        factory_(Client(flags), {.useWatchList = flags.mode == "watchlist"}),
        pods_(factory_.Core().V1().Pods()) {
    for (int i = 0; i < flags_.handlers; ++i) AddHandler();
    line_ = {{"client", "client-cpp"},
             {"variant", "json"},
             {"version", CLIENT_CPP_VERSION_STRING},
             {"mode", flags_.mode},
             {"handlers", flags_.handlers}};
  }

  nlohmann::ordered_json Run() {
    Sync();
    if (flags_.expect_events > 0) FlatOutChurn();
    if (flags_.rate_events > 0) PacedChurn();
    std::this_thread::sleep_for(500ms);  // The server deletes the end pod after 200 ms.
    ReadLister();
    line_["rss_end_kib"] = StatusKiB("VmRSS");
    return line_;
  }

 private:
  static k8s::kubernetes::Clientset Client(const Flags& flags) {
    k8s::rest::Config config{.host = flags.server, .qps = 1000, .burst = 1000};
    config.tls.caFile = flags.ca;
    return k8s::kubernetes::Clientset::New(config).value();
  }

  void AddHandler() {
    auto counter = std::make_shared<Counter>(counters_.empty());
    registrations_.push_back(
        pods_.Informer()
            .AddEventHandler(
                {.onAdd = [counter](const ObjectPtr<Pod>& pod, bool) { counter->OnAdd(*pod); },
                 .onUpdate = [counter](const ObjectPtr<Pod>&,
                                       const ObjectPtr<Pod>& pod) { counter->OnUpdate(*pod); }})
            .value());
    counters_.push_back(std::move(counter));
  }

  void Sync() {
    line_["rss_start_kib"] = StatusKiB("VmRSS");
    const double cpu = CpuSeconds();
    const Stopwatch watch;
    factory_.Start(stop_.get_token());
    if (auto synced = factory_.WaitForCacheSync(stop_.get_token(), kPhaseLimit); !synced) {
      throw std::runtime_error(synced.error().ToString());
    }
    line_["sync_ms"] = watch.Milliseconds();
    for (auto& registration : registrations_) {
      if (!registration.WaitForSync(stop_.get_token())) throw std::runtime_error("handlers' sync");
    }
    line_["handlers_sync_ms"] = watch.Milliseconds();
    line_["cpu_sync_s"] = CpuSeconds() - cpu;
    line_["rss_sync_kib"] = StatusKiB("VmRSS");
    line_["items"] = pods_.Informer().GetIndexer().ListKeys().size();
    std::this_thread::sleep_for(1s);
    line_["rss_settle_kib"] = StatusKiB("VmRSS");
    line_["rss_peak_kib"] = StatusKiB("VmHWM");
  }

  struct Churn {
    int events = 0;
    double wall = 0;
    double cpu = 0;
  };

  Churn RunChurn(int events, int rate) {
    Counter::paced = rate > 0;
    const double cpu = CpuSeconds();
    const Stopwatch watch;
    Post(flags_, "/bench/churn?events=" + std::to_string(events) + "&rate=" + std::to_string(rate));
    int received = 0;
    for (auto& counter : counters_) received += counter->AwaitEnd();
    return {received / static_cast<int>(counters_.size()), watch.Seconds(), CpuSeconds() - cpu};
  }

  void FlatOutChurn() {
    const Churn churn = RunChurn(flags_.expect_events, 0);
    line_["churn_events"] = churn.events;
    line_["churn_wall_s"] = churn.wall;
    line_["churn_events_per_s"] = churn.events / churn.wall;
    line_["churn_cpu_s"] = churn.cpu;
    line_["churn_cpu_s_per_100k"] = churn.cpu / std::max(churn.events, 1) * 1e5;
    line_["rss_churn_kib"] = StatusKiB("VmRSS");
    line_["rss_churn_peak_kib"] = StatusKiB("VmHWM");
  }

  void PacedChurn() {
    std::this_thread::sleep_for(500ms);
    const Churn churn = RunChurn(flags_.rate_events, flags_.rate);
    line_["paced_events"] = churn.events;
    line_["paced_wall_s"] = churn.wall;
    line_["paced_cpu_s"] = churn.cpu;
    std::vector<std::int64_t>& latencies = counters_.front()->latencies();
    if (latencies.empty()) return;
    std::sort(latencies.begin(), latencies.end());
    constexpr std::array<std::pair<const char*, double>, 5> kQuantiles = {{{"lat_p50_us", .5},
                                                                           {"lat_p90_us", .9},
                                                                           {"lat_p99_us", .99},
                                                                           {"lat_p999_us", .999},
                                                                           {"lat_max_us", 1}}};
    for (const auto& [name, quantile] : kQuantiles) {
      const auto at = static_cast<std::size_t>(quantile * static_cast<double>(latencies.size()));
      line_[name] = static_cast<double>(latencies[std::min(at, latencies.size() - 1)]) / 1e3;
    }
  }

  /// 1000 lists by namespace and a million gets by key, on this thread.
  void ReadLister() {
    std::vector<std::string> keys = pods_.Informer().GetIndexer().ListKeys();
    std::erase_if(keys, [](const std::string& key) { return key.starts_with(kEndNamespace); });
    std::sort(keys.begin(), keys.end());
    if (keys.empty()) return;
    std::vector<std::string> namespaces;
    for (const std::string& key : keys) namespaces.push_back(key.substr(0, key.find('/')));
    namespaces.erase(std::unique(namespaces.begin(), namespaces.end()), namespaces.end());
    std::shuffle(keys.begin(), keys.end(), std::mt19937_64(7));
    ListNamespaces(namespaces);
    GetKeys(keys);
  }

  void ListNamespaces(const std::vector<std::string>& namespaces) {
    constexpr std::size_t kCalls = 1000;
    const auto lister = pods_.Lister();
    std::size_t objects = 0;
    const Stopwatch watch;
    for (std::size_t i = 0; i < kCalls; ++i) {
      objects +=
          lister.Pods(namespaces[i % namespaces.size()]).List(k8s::labels::Everything()).size();
    }
    const double seconds = watch.Seconds();
    line_["list_ns_calls"] = kCalls;
    line_["list_ns_objects"] = objects;
    line_["list_ns_s"] = seconds;
    line_["list_ns_us_per_call"] = seconds / kCalls * 1e6;
  }

  void GetKeys(const std::vector<std::string>& keys) {
    constexpr std::size_t kCalls = 1'000'000;
    const auto indexer = pods_.Informer().GetIndexer();
    std::size_t found = 0;
    const Stopwatch watch;
    for (std::size_t i = 0; i < kCalls; ++i) {
      if (indexer.GetByKey(keys[i % keys.size()]) != nullptr) ++found;
    }
    const double seconds = watch.Seconds();
    line_["get_calls"] = kCalls;
    line_["get_found"] = found;
    line_["get_s"] = seconds;
    line_["get_ns_per_call"] = seconds / kCalls * 1e9;
  }

  Flags flags_;
  std::stop_source stop_;
  k8s::informers::SharedInformerFactory factory_;
  k8s::informers::TypedInformer<Pod> pods_;
  std::vector<std::shared_ptr<Counter>> counters_;
  std::vector<k8s::cache::ResourceEventHandlerRegistration> registrations_;
  nlohmann::ordered_json line_;
};

}  // namespace

int main(int argc, char** argv) {
  Flags flags;
  CLI::App app("Measures the pod informer; see benchmarks/peers/README.md");
  app.add_option("--server", flags.server, "URL of the benchmark's server")->required();
  app.add_option("--ca", flags.ca, "CA certificate for an https server");
  app.add_option("--mode", flags.mode)->check(CLI::IsMember({"list", "watchlist"}));
  app.add_option("--handlers", flags.handlers)->check(CLI::PositiveNumber);
  app.add_option("--expect-events", flags.expect_events, "Events of the flat-out churn; 0: none");
  app.add_option("--rate", flags.rate, "Events per second of the paced churn");
  app.add_option("--rate-events", flags.rate_events, "Events of the paced churn; 0: none");
  CLI11_PARSE(app, argc, argv);
  try {
    std::puts(Bench(flags).Run().dump().c_str());
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "informer-bench: %s\n", failure.what());
    return 1;
  }
  return 0;
}
