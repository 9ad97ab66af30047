#include "model_round.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace k8s::test {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kHappeningsKept = 40;
constexpr std::size_t kMostHandlers = 5;

/// Indices that a round may add, beside the one by namespace.
const cache::Indexers<Item>& ExtraIndices() {
  static const cache::Indexers<Item> indices{
      {"value", [](const Item& item) { return std::vector{item.value}; }},
      {"several", [](const Item& item) -> std::vector<std::string> {
         if (item.value == "0") return {};
         return {item.name, "value-" + item.value};
       }}};
  return indices;
}

bool Accepted(const Item& item) { return item.value != "0"; }

std::uint64_t VersionOf(const Item& item) { return std::stoull(item.resourceVersion); }

/// Whether `told` is, key by key, how `step` begins.
bool Begins(std::vector<Told>::const_iterator told, std::vector<Told>::const_iterator end,
            ReferenceInformer::Step step) {
  for (; told != end; ++told) {
    const auto at = std::find_if(step.begin(), step.end(),
                                 [&](const Told& other) { return other.key == told->key; });
    if (at == step.end() || !(*at == *told)) return false;
    step.erase(at);
  }
  return true;
}

}  // namespace

/// A handler and what it has to have been told.
struct ModelRound::Handler {
  enum class Kind { kPlain, kThrows, kYields, kFilters, kRemovesItself };

  Handler(ModelRound& round, Kind what)
      : kind(what), checks(round.VersionPolicy(), [this, &round] { Afterwards(round); }) {}

  void Afterwards(ModelRound& round) {
    ++calls;
    if (kind == Kind::kYields) std::this_thread::yield();
    if (kind == Kind::kThrows && calls % 3 == 0) throw std::runtime_error("thrown by a handler");
    if (kind != Kind::kRemovesItself || calls < 10) return;
    const std::lock_guard lock(mutex);
    if (!registered || removed) return;
    round.informer_.RemoveEventHandler(registration);
    checks.End();
    removed = true;
  }
  void Register(cache::ResourceEventHandlerRegistration with) {
    const std::lock_guard lock(mutex);
    registration = std::move(with);
    registered = true;
  }
  /// All or, if it is gone or sees a part only, maybe less.
  [[nodiscard]] bool SeesAll() const {
    return kind != Kind::kFilters && kind != Kind::kRemovesItself;
  }

  const Kind kind;
  CheckedHandler<Item> checks;
  int calls = 0;  ///< Of the handler's thread.

  std::mutex mutex;
  cache::ResourceEventHandlerRegistration registration;
  bool registered = false;
  bool removed = false;

  // What it is to be told next: `welcome`, then the reference's steps from this one on.
  ReferenceInformer::Step welcome;
  std::size_t first_step = 0;
  std::size_t told_before = 0;  ///< In the phases before.
};

ModelRound::Nature::Nature(Dice& dice)
    : restores(dice.PerMille(200)),
      resync(dice.PerMille(120)),
      storm(dice.PerMille(80)),
      stops_midway(dice.PerMille(300)),
      source{.lagging = dice.Coin(),
             .watch_cache = dice.Coin(),
             .replays = dice.PerMille(200),
             .bookmarks = dice.PerMille(750),
             .keyless = dice.PerMille(200)} {}

ModelRound::ModelRound(unsigned seed)
    : dice_(seed),
      nature_(dice_),
      server_(dice_),
      source_(std::make_shared<ModelSource>(server_, reference_, dice_, *clock_, nature_.source,
                                            Hooks())),
      informer_(cache::SharedIndexInformer<Item>::New(source_, Options())),
      phases_left_(1 + dice_.Below(5)) {}

ModelRound::~ModelRound() = default;

cache::SharedInformerOptions ModelRound::Options() {
  constexpr std::int64_t kPageSizes[] = {0, 0, 1, 3, 7};
  cache::SharedInformerOptions options;
  if (nature_.resync) options.resyncPeriod = 30s;
  auto& reflector = options.reflector;
  reflector.useWatchList = dice_.Coin();
  reflector.streamingRetryAfter = dice_.Coin() ? Clock::Duration(1s) : 10min;
  reflector.listPageSize = kPageSizes[dice_.Below(std::size(kPageSizes))];
  reflector.watchIdleTimeout = dice_.Coin() ? 45s : 5s;
  if (dice_.PerMille(300)) reflector.maxInternalErrorRetryDuration = 10s;
  reflector.clock = clock_;
  reflector.random = [this] { return dice_.Below(1000) / 1000.0; };
  reflector.watchErrorHandler = [this](const Error& error) {
    Note("reported", ToString(error.kind), static_cast<std::uint64_t>(error.code));
    if (steps_left_ > 0 && dice_.Coin()) (void)server_.Write();
  };
  return options;
}

ModelSource::Hooks ModelRound::Hooks() {
  return {.run = [this] { return stop_.get_token(); },
          .step = [this] { Step(); },
          .settled = [this] { CheckSettled(); },
          .fault = [this](std::string_view fault) { Fail(fault); },
          .note = [this](const char* what, std::string_view key,
                         std::uint64_t version) { Note(what, key, version); }};
}

ModelRound::Versions ModelRound::VersionPolicy() const {
  const bool known_again = nature_.source.replays || nature_.source.keyless;
  return nature_.restores || known_again ? Versions::kMayGoBack : Versions::kOnlyGrow;
}

// ---- What happens

void ModelRound::Play() {
  for (unsigned n = dice_.Below(20); n > 0; --n) (void)server_.Write();
  for (unsigned n = dice_.Below(3); n > 0; --n) AddHandler();
  BeginPhase();
  std::optional<std::jthread> storm;
  if (nature_.storm) storm.emplace([this](std::stop_token stop) { Storm(stop); });
  if (auto ran = informer_.Run(stop_.get_token()); !ran) Fail(ran.error().ToString());
  storm.reset();
  CheckEnd();
}

void ModelRound::BeginPhase() {
  constexpr ModelSource::Weather kWeathers[] = {{0, 0}, {20, 5}, {100, 30}, {300, 150}};
  source_->SetWeather(kWeathers[dice_.Below(std::size(kWeathers))]);
  steps_left_ = 20 + dice_.Below(400);
}

void ModelRound::Step() {
  if (steps_left_ == 0) return;
  ++steps_;
  Happen();
  if (!nature_.source.lagging) server_.CatchUp();
  if (--steps_left_ == 0) source_->Settle();
}

void ModelRound::Happen() {
  const unsigned what = dice_.Below(1000);
  if (what < 600) {
    (void)server_.Write();
  } else if (what < 780) {
    server_.CatchUp(dice_.Below(ModelServer::kReplicas), 1 + dice_.Below(4));
  } else if (what < 900) {
    if (!source_->Streaming()) clock_->Step(std::chrono::milliseconds(dice_.Below(500)));
  } else if (what < 910) {
    server_.Compact();
  } else if (what < 915) {
    source_->EndStreams();
  } else if (what < 922) {
    server_.TakeBackup();
  } else if (what < 926) {
    if (nature_.restores && server_.Restore(reference_.version())) Note("restored", "", 0);
  } else if (what < 936) {
    AddHandler();
  } else if (what < 944) {
    RemoveHandler();
  } else if (what < 947) {
    AddIndex();
  } else if (what < 950 && nature_.stops_midway) {
    Note("stop", "", 0);
    stop_.request_stop();
  }
}

void ModelRound::AddHandler() {
  if (handlers_.size() >= kMostHandlers) return;
  const auto kind = static_cast<Handler::Kind>(dice_.Below(5));
  auto handler = std::make_unique<Handler>(*this, kind);
  auto functions = handler->checks.Functions();
  auto added = kind == Handler::Kind::kFilters
                   ? informer_.AddEventHandler(cache::FilteringResourceEventHandler<Item>{
                         .filter = Accepted, .handler = std::move(functions)})
                   : informer_.AddEventHandler(std::move(functions));
  if (!added) return Fail(added.error().ToString());
  handler->Register(*added);
  if (reference_.synced()) handler->welcome = reference_.Welcome();
  handler->first_step = reference_.steps().size();
  handlers_.push_back(std::move(handler));
  Note("handler added", "", handlers_.size());
}

void ModelRound::RemoveHandler() {
  if (handlers_.empty()) return;
  const auto at = handlers_.begin() + static_cast<std::ptrdiff_t>(dice_.Below(handlers_.size()));
  Handler& handler = **at;
  informer_.RemoveEventHandler(handler.registration);
  handler.checks.End();
  Note("handler removed", "", handlers_.size());
  CheckLog(handler, false);
  gone_.push_back(std::move(*at));
  handlers_.erase(at);
}

void ModelRound::AddIndex() {
  const auto& index = ExtraIndices()[dice_.Below(ExtraIndices().size())];
  const auto names = informer_.GetIndexer().GetIndexers();
  const bool taken = std::find(names.begin(), names.end(), index.first) != names.end();
  if (informer_.AddIndexers({index}).has_value() == taken) Fail("an index exists twice, or never");
}

// Handlers of another thread: what they are told has to fit together, whatever it is.
void ModelRound::Storm(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    CheckedHandler<Item> checks(VersionPolicy());
    auto added = informer_.AddEventHandler(checks.Functions());
    if (!added) return;
    for (int n = 0; n < 20; ++n) std::this_thread::yield();
    informer_.RemoveEventHandler(*added);
    checks.End();
    for (const auto& fault : checks.Faults()) ADD_FAILURE() << "in a storm: " << fault;
  }
}

void ModelRound::Note(const char* what, std::string_view key, std::uint64_t version) {
  happenings_.push_back({what, std::string(key), version});
  if (happenings_.size() > kHappeningsKept) happenings_.pop_front();
}

void ModelRound::Fail(std::string_view what) {
  if (!fault_.empty()) return;
  fault_ = std::string(what) + "\nat step " + std::to_string(steps_) + ", after:\n";
  for (const auto& [happened, key, version] : happenings_) {
    fault_ += std::string("  ") + happened + " " + key + " " + std::to_string(version) + "\n";
  }
  stop_.request_stop();
}

// ---- What has to hold

void ModelRound::CheckSettled() {
  ++settled_;
  Note("settled", "", server_.state().version);
  const auto newest = std::to_string(server_.state().version);
  if (informer_.LastSyncResourceVersion() != newest) Fail("the version received is not the newest");
  if (informer_.LastStoreSyncResourceVersion() != newest) Fail("the store's is not the newest");
  CheckStore();
  CheckIndices();
  for (auto& handler : handlers_) {
    if (fault_.empty()) CheckHandler(*handler);  // Which may wait for what never comes.
  }
  reference_.Forget();
  if (--phases_left_ == 0) {
    stop_.request_stop();
  } else {
    BeginPhase();
  }
}

void ModelRound::CheckStore() {
  const auto& expected = server_.state().objects;
  const auto stored = informer_.GetIndexer().List();
  if (stored.size() != expected.size()) Fail("the store has another number of objects");
  for (const auto& item : stored) {
    const auto at = expected.find(KeyOf(*item));
    const bool same = at != expected.end() && at->second->uid == item->uid &&
                      at->second->resourceVersion == item->resourceVersion &&
                      at->second->value == item->value;
    if (!same) Fail("the store has another " + KeyOf(*item) + " @" + item->resourceVersion);
  }
}

void ModelRound::CheckIndices() {
  auto indices = ExtraIndices();
  indices.emplace_back(cache::kNamespaceIndex,
                       [](const Item& item) { return std::vector{item.namespace_}; });
  const auto indexer = informer_.GetIndexer();
  for (const auto& [name, values_of] : indices) {
    std::map<std::string, std::vector<std::string>> expected;
    for (const auto& [key, item] : server_.state().objects) {
      for (const auto& value : values_of(*item)) expected[value].push_back(key);
    }
    if (!indexer.IndexKeys(name, "")) continue;  // Not added yet.
    std::vector<std::string> values;
    for (const auto& [value, keys] : expected) {
      values.push_back(value);
      if (indexer.IndexKeys(name, value).value() != keys) Fail("index " + name + " of " + value);
    }
    if (indexer.ListIndexFuncValues(name) != values) Fail("the values of index " + name);
  }
}

void ModelRound::CheckHandler(Handler& handler) {
  if (handler.SeesAll()) {
    std::size_t total = handler.told_before + handler.welcome.size();
    const auto& steps = reference_.steps();
    for (std::size_t i = handler.first_step; i < steps.size(); ++i) total += steps[i].size();
    if (!handler.checks.WaitForTold(total)) Fail("a handler was not told all");
    CheckLog(handler, true);
    handler.told_before = total;
    const auto state = handler.checks.state();
    for (const auto& item : informer_.GetIndexer().List()) {
      const auto at = state.find(KeyOf(*item));
      if (at == state.end() || at->second != item) Fail("a handler has not the store's objects");
    }
    if (state.size() != server_.state().objects.size()) Fail("a handler has more objects");
  } else if (handler.kind == Handler::Kind::kFilters) {
    std::map<std::string, std::uint64_t> expected;
    for (const auto& [key, item] : server_.state().objects) {
      if (Accepted(*item)) expected[key] = VersionOf(*item);
    }
    const auto same = [&](const auto& state) {
      return std::equal(state.begin(), state.end(), expected.begin(), expected.end(),
                        [](const auto& a, const auto& b) {
                          return a.first == b.first && VersionOf(*a.second) == b.second;
                        });
    };
    if (!handler.checks.WaitForState(same)) Fail("a filtering handler has another state");
    (void)handler.checks.TakeLog();
  }
  CheckFaults(handler);
  if (handler.kind != Handler::Kind::kRemovesItself) {
    handler.welcome.clear();
    handler.first_step = 0;
  }
}

void ModelRound::CheckLog(Handler& handler, bool whole) {
  CheckFaults(handler);
  if (!handler.SeesAll()) return;
  const auto log = handler.checks.TakeLog();
  told_ += log.size();
  auto told = log.begin();
  const auto compare = [&](const ReferenceInformer::Step& step) {
    const auto count = std::min<std::ptrdiff_t>(log.end() - told, std::ssize(step));
    const bool complete = count == std::ssize(step);
    if (!Begins(told, told + count, step) || (whole && !complete)) {
      std::string expected;
      for (const Told& one : step) expected += ToString(one) + ", ";
      Fail("a handler was told " + (count > 0 ? ToString(*told) : "nothing") + " in place of " +
           expected);
    }
    told += count;
  };
  compare(handler.welcome);
  for (std::size_t i = handler.first_step; i < reference_.steps().size(); ++i) {
    compare(reference_.steps()[i]);
  }
  if (told != log.end()) Fail("a handler was told more: " + ToString(*told));
}

void ModelRound::CheckFaults(const Handler& handler) {
  for (const auto& fault : handler.checks.Faults()) {
    Fail("handler of kind " + std::to_string(static_cast<int>(handler.kind)) + ": " + fault);
  }
}

void ModelRound::CheckEnd() {
  for (auto& handler : handlers_) handler->checks.End();
  for (auto& handler : handlers_) CheckLog(*handler, false);
  for (auto& handler : gone_) CheckFaults(*handler);
  ReferenceInformer::Objects stored;
  for (const auto& item : informer_.GetIndexer().List()) {
    stored[KeyOf(*item)] = {item->uid, VersionOf(*item)};
  }
  if (stored != reference_.objects()) Fail("the store differs from the reference at the end");
  if (informer_.AddEventHandler(CheckedHandler<Item>().Functions())) {
    Fail("an informer that has ended takes a handler");
  }
}

}  // namespace k8s::test
