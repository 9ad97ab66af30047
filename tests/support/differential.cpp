#include "support/differential.hpp"

#include <gtest/gtest.h>
#include <k8s/cache/object_name.hpp>
#include <k8s/clock.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <thread>
#include <utility>

#include "support/loader.hpp"

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds kRound = 15s;
// Both clients wait for up to a minute after repeated failures; the rest is for a busy machine.
constexpr std::chrono::seconds kAgreementLimit = 180s;
constexpr double kWritesPerSecond = 150;
constexpr std::size_t kFaultsShown = 10;

dynamic::Client LoaderClient(rest::Config config) {
  config.qps = kWritesPerSecond;
  config.burst = 50;
  return dynamic::Client::New(config).value();
}

std::uint64_t EnvironmentNumber(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::stoull(text);
}

}  // namespace

void PauseBelow(std::chrono::milliseconds limit, Random& random) {
  RealClock()->SleepFor(
      std::chrono::milliseconds(random() % static_cast<std::uint64_t>(limit.count())), {});
}

std::vector<FaultAction> ProxyFaults(StallingProxy& proxy) {
  return {{"cut", [&proxy](Random&) { proxy.Cut(); }},
          {"stall",
           [&proxy](Random& random) {
             proxy.Stall();
             PauseBelow(2s, random);
             proxy.Resume();
           }},
          {"stall and cut",
           [&proxy](Random& random) {
             proxy.Stall();
             PauseBelow(2s, random);
             proxy.Cut();
           }},
          {"refuse", [&proxy](Random& random) {
             proxy.Refuse(true);
             proxy.Cut();
             PauseBelow(2s, random);
             proxy.Refuse(false);
           }}};
}

DifferentialOptions DifferentialOptions::FromEnvironment() {
  DifferentialOptions options;
  options.seed = EnvironmentNumber("CLIENT_CPP_DIFFERENTIAL_SEED", std::random_device()());
  options.length = std::chrono::seconds(EnvironmentNumber(
      "CLIENT_CPP_DIFFERENTIAL_SECONDS", static_cast<std::uint64_t>(options.length.count())));
  return options;
}

Differential::Differential(DifferentialSetup setup, DifferentialOptions options)
    : setup_(std::move(setup)),
      options_(options),
      client_(LoaderClient(setup_.direct)),
      random_(options.seed) {}

void Differential::Run() {
  SCOPED_TRACE("to repeat: CLIENT_CPP_DIFFERENTIAL_SEED=" + std::to_string(options_.seed));
  std::cout << "Seed " << options_.seed << std::endl;
  ASSERT_NO_FATAL_FAILURE(StartWatchers());
  const auto end = SteadyClock::now() + options_.length;
  do {
    ++rounds_;
    MakeTrouble();
    AwaitAgreement();
  } while (SteadyClock::now() < end && !::testing::Test::HasFailure());
  Finish();
  Report();
  if (!::testing::Test::HasFailure()) return;
  folder_.Keep();
  std::cout << "Logs and dumps are kept in " << folder_.path() << std::endl;
}

void Differential::StartWatchers() {
  std::vector<std::string> resources;
  for (const TestResource& resource : LoadedResources()) resources.push_back(resource.flag);
  for (const WatcherProgram& program : setup_.programs) {
    auto started = Watcher::Start(program, setup_.kubeconfig, folder_.path(), resources);
    ASSERT_TRUE(started.has_value()) << started.error().ToString();
    watchers_.push_back(std::move(*started));
  }
}

void Differential::MakeTrouble() {
  Loader loader(client_, random_());
  {
    const std::jthread loading([&loader](std::stop_token stop) { loader.Run(std::move(stop)); });
    const auto end = SteadyClock::now() + std::min<SteadyClock::duration>(kRound, options_.length);
    do {
      PauseBelow(1500ms, random_);
      const FaultAction& fault = setup_.faults[random_() % setup_.faults.size()];
      fault.act(random_);
      ++faults_[fault.name];
    } while (SteadyClock::now() < end);
  }
  writes_ += loader.writes();
  setup_.calm();
}

KnownObjects Differential::ListServer() const {
  KnownObjects objects;
  for (const TestResource& resource : LoadedResources()) {
    const auto list = client_.Resource(resource.info.Gvr()).List();
    if (!list) {
      ADD_FAILURE() << list.error().ToString();
      continue;
    }
    for (const auto& item : list->items) {
      const cache::ObjectName name{std::string(item->GetNamespace()), std::string(item->GetName())};
      objects[resource.info.kind + " " + name.ToString()] = {
          std::string(item->GetUID()), std::stoull(std::string(item->GetResourceVersion()))};
    }
  }
  return objects;
}

bool Differential::Agrees(Watcher& watcher, const KnownObjects& server, std::string& difference) {
  difference = Difference("server", server, watcher.name() + "'s store", watcher.Dump());
  if (difference.empty()) {
    difference =
        Difference("server", server, watcher.name() + "'s events", watcher.Told().objects());
  }
  return difference.empty();
}

void Differential::AwaitAgreement() {
  const KnownObjects server = ListServer();
  for (const auto& watcher : watchers_) {
    std::string difference;
    EXPECT_TRUE(Eventually(kAgreementLimit, [&] { return Agrees(*watcher, server, difference); }))
        << "round " << rounds_ << ":\n"
        << difference;
    EXPECT_EQ(ListServer(), server) << "somebody else writes";
    const auto& faults = watcher->Told().faults();
    for (std::size_t i = 0; i < std::min(faults.size(), kFaultsShown); ++i) {
      ADD_FAILURE() << watcher->name() << ", round " << rounds_ << ": " << faults[i];
    }
  }
}

// What is told while a program stops must be right as well, and its stores stay.
void Differential::Finish() {
  const KnownObjects server = ListServer();
  for (const auto& watcher : watchers_) {
    EXPECT_EQ(Difference("server", server, watcher->name(), watcher->Stop()), "");
    EXPECT_EQ(Difference("server", server, watcher->name(), watcher->Told().objects()), "");
  }
}

void Differential::Report() const {
  const int faults = std::accumulate(faults_.begin(), faults_.end(), 0,
                                     [](int sum, const auto& kind) { return sum + kind.second; });
  std::cout << rounds_ << " rounds, " << writes_ << " writes, " << faults << " faults:";
  for (const auto& [name, count] : faults_) std::cout << " " << count << " " << name << ";";
  std::cout << std::endl;
  for (const auto& watcher : watchers_) {
    const auto& told = watcher->Told();
    std::cout << watcher->name() << " told of " << told.count() << " events:";
    for (const char* type : {"add", "update", "delete", "tombstone"}) {
      std::cout << " " << told.CountOf(type) << " " << type << ";";
    }
    std::cout << std::endl;
  }
}

}  // namespace k8s::test
