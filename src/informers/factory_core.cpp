#include <k8s/cache/listwatch.hpp>
#include <k8s/cache/metrics.hpp>
#include <k8s/cache/reflector.hpp>
#include <k8s/informers/factory_core.hpp>
#include <k8s/metadata/client.hpp>
#include <k8s/runtime/unstructured.hpp>

#include "cache/watch_timer.hpp"
#include "informers/factory_core_impl.hpp"
#include "informers/scope_resolver.hpp"
#include "util/deadline.hpp"

#include <algorithm>
#include <utility>

namespace k8s::inline v0::informers {

// ---- FactoryEntry

void FactoryEntry::Start(std::stop_token stop) {
  const std::lock_guard lock(mutex_);
  if (started_.exchange(true)) return;
  can_be_stopped_ = stop.stop_possible();
  follow_.emplace(std::move(stop), [this] { stop_.request_stop(); });
  thread_ = std::thread([this] { (void)informer_->Run(stop_.get_token()); });
}

void FactoryEntry::Join() {
  const std::lock_guard lock(mutex_);
  if (thread_.joinable()) thread_.join();
}

// ---- FactoryCore

FactoryCore::FactoryCore(ListerWatcherFunc lister_watchers, FactoryOptions options)
    : lister_watchers_(std::move(lister_watchers)),
      options_(std::move(options)),
      clock_(options_.clock ? options_.clock : RealClock()) {}

FactoryCore::~FactoryCore() { Shutdown(true); }

std::shared_ptr<cache::SharedInformerCore> FactoryCore::InformerFor(
    const runtime::ObjectType& type) {
  // The type's table lives as long as the program: nothing to own.
  return FindOrMake({.type = &type}, [&] {
    return std::shared_ptr<const runtime::ObjectType>(std::shared_ptr<const void>(), &type);
  });
}

std::shared_ptr<cache::SharedInformerCore> FactoryCore::InformerFor(
    const GroupVersionResource& resource, Content content) {
  return FindOrMake({.resource = resource, .content = content}, [&] {
    auto info = KnownInfo(resource);
    return content == Content::kMetadata ? metadata::MetadataType(resource, info.scope)
                                         : runtime::UnstructuredType(std::move(info));
  });
}

std::shared_ptr<cache::SharedInformerCore> FactoryCore::Find(const Key& key) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [known, entry] : entries_) {
    if (known == key) return entry->informer();
  }
  return nullptr;
}

std::shared_ptr<cache::SharedInformerCore> FactoryCore::FindOrMake(
    const Key& key, const std::function<std::shared_ptr<const runtime::ObjectType>()>& type) {
  if (auto found = Find(key)) return found;
  // Outside the lock, for this calls the user's function. Of two threads the first one wins.
  auto entry = std::make_shared<FactoryEntry>(Make(type()));
  const std::lock_guard lock(mutex_);
  for (const auto& [known, other] : entries_) {
    if (known == key) return other->informer();
  }
  entries_.emplace_back(key, entry);
  return entry->informer();
}

std::shared_ptr<cache::SharedInformerCore> FactoryCore::Make(
    std::shared_ptr<const runtime::ObjectType> type) const {
  cache::SharedInformerOptions informer;
  informer.resyncPeriod = ResyncPeriod(type->info);
  informer.reflector.useWatchList = options_.useWatchList;
  informer.reflector.clock = clock_;
  informer.metrics = options_.metrics;
  informer.name = options_.name;
  if (options_.transform) {
    informer.transform = [transform = options_.transform, type](runtime::AnyPtr object) {
      return transform(*type, std::move(object));
    };
  }
  if (options_.watchErrorHandler) {
    informer.reflector.watchErrorHandler = [handler = options_.watchErrorHandler, type](
                                               const Error& error) { handler(type->info, error); };
  }
  auto lister_watcher = lister_watchers_(type);
  return std::make_shared<cache::SharedInformerCore>(std::move(type), std::move(lister_watcher),
                                                     std::move(informer));
}

Clock::Duration FactoryCore::ResyncPeriod(const ResourceInfo& info) const {
  const auto custom =
      std::find_if(options_.customResync.begin(), options_.customResync.end(),
                   [&](const CustomResync& each) { return each.resource == info.Gvr(); });
  return custom == options_.customResync.end() ? options_.defaultResync : custom->period;
}

FactoryCore::Entries FactoryCore::AllEntries() const {
  const std::lock_guard lock(mutex_);
  Entries all;
  for (const auto& [key, entry] : entries_) all.push_back(entry);
  return all;
}

void FactoryCore::Start(std::stop_token stop) {
  // Under the lock, so that nothing starts behind the back of a shutdown.
  const std::lock_guard lock(mutex_);
  if (shut_down_) return;
  for (const auto& [key, entry] : entries_) entry->Start(stop);
}

cache::SyncResult FactoryCore::WaitForCacheSync(std::stop_token stop,
                                                Clock::Duration timeout) const {
  cache::WatchTimer deadline(*clock_, stop, util::detail::After(clock_->Now(), timeout),
                             [](auto, auto& wait) -> std::optional<Clock::TimePoint> {
                               wait.request_stop();
                               return std::nullopt;
                             });
  cache::SyncFailure failure;
  for (const auto& entry : AllEntries()) {
    const bool started = entry->started();
    if (started && entry->informer()->WaitForSync(deadline.token())) continue;
    cache::UnsyncedInformer unsynced{.status = entry->informer()->Status()};
    unsynced.reason = started ? cache::ReasonOf(unsynced.status) : cache::SyncReason::kNotStarted;
    // Its thread has not begun yet.
    if (started && unsynced.reason == cache::SyncReason::kNotStarted) {
      unsynced.reason = cache::SyncReason::kNoAnswer;
    }
    failure.informers.push_back(std::move(unsynced));
  }
  if (failure.informers.empty()) return {};
  failure.cancelled = stop.stop_requested();
  return tl::unexpected(std::move(failure));
}

void FactoryCore::Stop(const runtime::ObjectType& type) { Stop(Key{.type = &type}); }

void FactoryCore::Stop(const GroupVersionResource& resource, Content content) {
  Stop(Key{.resource = resource, .content = content});
}

void FactoryCore::Stop(const Key& key) {
  std::shared_ptr<FactoryEntry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const auto& each) { return each.first == key; });
    if (found == entries_.end()) return;
    entry = std::move(found->second);
    entries_.erase(found);
  }
  entry->End();
}

std::vector<cache::InformerStatus> FactoryCore::Status() const {
  std::vector<cache::InformerStatus> all;
  for (const auto& entry : AllEntries()) all.push_back(entry->informer()->Status());
  return all;
}

cache::Freshness FactoryCore::CheckFreshness(Clock::Duration max_age) const {
  return cache::CheckFreshness(Status(), max_age, clock_->Now());
}

void FactoryCore::Shutdown(bool stop_first) {
  {
    const std::lock_guard lock(mutex_);
    shut_down_ = true;
  }
  const Entries all = AllEntries();
  for (const auto& entry : all) {
    if (stop_first || !entry->can_be_stopped()) entry->Stop();
  }
  for (const auto& entry : all) stop_first ? entry->End() : entry->Join();
  if (options_.name) options_.name->Release();
}

std::shared_ptr<cache::SharedInformerCore> InformerFor(FactoryCore& core,
                                                       const runtime::ObjectType& type) {
  return core.InformerFor(type);
}

}  // namespace k8s::inline v0::informers
