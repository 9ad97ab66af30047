// The codec on pods as an API server sent them: cutting a list up, reading objects whole and in
// part, writing them, each beside nlohmann's DOM on the same bytes, and the heap that an object
// takes.

#include <k8s/apis/core/v1.hpp>
#include <k8s/codec/codec.hpp>
#include <k8s/codec/splitter.hpp>
#include <k8s/fields.hpp>

#include <benchmark/benchmark.h>
#include <malloc.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Six fields, as a router or scheduler might want them.
struct PodView {
  struct Spec {
    std::string nodeName;
  };
  struct Status {
    std::string phase;
    std::string podIP;
  };
  k8s::ObjectRef metadata;
  Spec spec;
  Status status;
};
CLIENT_CPP_FIELDS(PodView::Spec, nodeName);
CLIENT_CPP_FIELDS(PodView::Status, phase, podIP);
CLIENT_CPP_FIELDS(PodView, metadata, spec, status);

namespace {

const std::string& ListBody() {
  static const std::string body = [] {
    std::ifstream file(CLIENT_CPP_TEST_DATA "/recorded/lists/core_v1_pods.json");
    return std::string(std::istreambuf_iterator<char>(file), {});
  }();
  if (body.empty()) std::abort();
  return body;
}

const std::vector<std::string>& Pods() {
  static const std::vector<std::string> pods = [] {
    std::vector<std::string> items;
    k8s::codec::ListSplitter splitter;
    splitter.Feed(ListBody());
    while (auto item = splitter.Next().value()) items.emplace_back(*item);
    return items;
  }();
  return pods;
}

void CountBytes(benchmark::State& state, std::size_t bytes, std::size_t objects) {
  const auto rounds = static_cast<std::int64_t>(state.iterations());
  state.SetBytesProcessed(rounds * static_cast<std::int64_t>(bytes));
  state.SetItemsProcessed(rounds * static_cast<std::int64_t>(objects));
}

void CountPods(benchmark::State& state) {
  std::size_t bytes = 0;
  for (const auto& pod : Pods()) bytes += pod.size();
  CountBytes(state, bytes, Pods().size());
}

template <class Make>
void ReportHeap(benchmark::State& state, Make make) {
  using Object = decltype(make(Pods().front()));
  std::vector<Object> objects;
  objects.reserve(Pods().size());
  const auto before = mallinfo2().uordblks;
  for (const auto& pod : Pods()) objects.push_back(make(pod));
  const auto heap = mallinfo2().uordblks - before;
  state.counters["heap_per_object"] =
      static_cast<double>(heap) / static_cast<double>(Pods().size());
}

template <class T>
std::shared_ptr<T> Decode(std::string_view json) {
  auto object = std::make_shared<T>();
  k8s::codec::Decode(json, k8s::codec::TypeOf<T>(), object.get()).value();
  return object;
}

void BM_SplitList(benchmark::State& state) {
  const auto chunk_size = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    k8s::codec::ListSplitter splitter;
    std::string_view rest = ListBody();
    while (!rest.empty()) {
      splitter.Feed(rest.substr(0, chunk_size));
      rest.remove_prefix(std::min(chunk_size, rest.size()));
      while (auto item = splitter.Next().value()) benchmark::DoNotOptimize(item->data());
    }
    benchmark::DoNotOptimize(splitter.Finish().has_value());
  }
  CountBytes(state, ListBody().size(), Pods().size());
}
BENCHMARK(BM_SplitList)->Arg(16 << 10)->Arg(1 << 20);

template <class T>
void BM_Decode(benchmark::State& state) {
  for (auto _ : state) {
    for (const auto& pod : Pods()) benchmark::DoNotOptimize(Decode<T>(pod).get());
  }
  CountPods(state);
  ReportHeap(state, [](const std::string& pod) { return Decode<T>(pod); });
}
BENCHMARK(BM_Decode<k8s::corev1::Pod>);
BENCHMARK(BM_Decode<PodView>);

void BM_Valid(benchmark::State& state) {
  for (auto _ : state) {
    for (const auto& pod : Pods()) benchmark::DoNotOptimize(k8s::codec::Valid(pod));
  }
  CountPods(state);
}
BENCHMARK(BM_Valid);

void BM_NlohmannDom(benchmark::State& state) {
  for (auto _ : state) {
    for (const auto& pod : Pods()) benchmark::DoNotOptimize(nlohmann::json::parse(pod).size());
  }
  CountPods(state);
  ReportHeap(state, [](const std::string& pod) {
    return std::make_shared<nlohmann::json>(nlohmann::json::parse(pod));
  });
}
BENCHMARK(BM_NlohmannDom);

void BM_Encode(benchmark::State& state) {
  std::vector<std::shared_ptr<k8s::corev1::Pod>> pods;
  for (const auto& pod : Pods()) pods.push_back(Decode<k8s::corev1::Pod>(pod));
  std::string out;
  for (auto _ : state) {
    for (const auto& pod : pods) {
      out.clear();
      k8s::codec::Encode(k8s::codec::TypeOf<k8s::corev1::Pod>(), pod.get(), out);
      benchmark::DoNotOptimize(out.data());
    }
  }
  CountPods(state);
}
BENCHMARK(BM_Encode);

void BM_NlohmannDump(benchmark::State& state) {
  std::vector<nlohmann::json> pods;
  for (const auto& pod : Pods()) pods.push_back(nlohmann::json::parse(pod));
  for (auto _ : state) {
    for (const auto& pod : pods) benchmark::DoNotOptimize(pod.dump().data());
  }
  CountPods(state);
}
BENCHMARK(BM_NlohmannDump);

void BM_Equal(benchmark::State& state) {
  std::vector<k8s::corev1::Pod> pods;
  for (const auto& pod : Pods()) pods.push_back(*Decode<k8s::corev1::Pod>(pod));
  const auto copies = pods;
  for (auto _ : state) benchmark::DoNotOptimize(pods == copies);
  CountPods(state);
}
BENCHMARK(BM_Equal);

}  // namespace
