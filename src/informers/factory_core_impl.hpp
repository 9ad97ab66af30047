#pragma once

#include <k8s/cache/shared_informer_core.hpp>
#include <k8s/cache/wait.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/informers/factory_core.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

namespace k8s::inline v0::informers {

/// One informer of a factory, and the thread that runs it.
class FactoryEntry {
 public:
  explicit FactoryEntry(std::shared_ptr<cache::SharedInformerCore> informer)
      : informer_(std::move(informer)) {}
  ~FactoryEntry() { End(); }
  FactoryEntry(const FactoryEntry&) = delete;
  FactoryEntry& operator=(const FactoryEntry&) = delete;

  [[nodiscard]] const std::shared_ptr<cache::SharedInformerCore>& informer() const {
    return informer_;
  }
  [[nodiscard]] bool started() const { return started_; }
  /// Runs the informer until `stop` is triggered, or `Stop` called. Does nothing the second time.
  void Start(std::stop_token stop);
  void Stop() { stop_.request_stop(); }
  /// Stops and joins; an informer that never ran lets go of its handlers as well.
  void End() {
    Stop();
    Start({});
    Join();
  }
  /// Whether somebody else can end it: started with a token that can be triggered.
  [[nodiscard]] bool can_be_stopped() const { return can_be_stopped_; }
  /// Waits until the thread has ended. May be called by several threads.
  void Join();

 private:
  const std::shared_ptr<cache::SharedInformerCore> informer_;
  std::stop_source stop_;
  mutable std::mutex mutex_;  ///< For `follow_` and `thread_`; also makes joins take turns.
  std::atomic<bool> started_ = false;
  std::atomic<bool> can_be_stopped_ = false;
  std::optional<std::stop_callback<std::function<void()>>> follow_;
  std::thread thread_;
};

/// What an informer of a resource holds of its objects.
enum class Content { kWhole, kMetadata };

class FactoryCore {
 public:
  FactoryCore(ListerWatcherFunc lister_watchers, FactoryOptions options);
  ~FactoryCore();

  std::shared_ptr<cache::SharedInformerCore> InformerFor(const runtime::ObjectType& type);
  std::shared_ptr<cache::SharedInformerCore> InformerFor(const GroupVersionResource& resource,
                                                         Content content);
  void Start(std::stop_token stop);
  cache::SyncResult WaitForCacheSync(std::stop_token stop, Clock::Duration timeout) const;
  void Stop(const runtime::ObjectType& type);
  void Stop(const GroupVersionResource& resource, Content content);
  [[nodiscard]] std::vector<cache::InformerStatus> Status() const;
  [[nodiscard]] cache::Freshness CheckFreshness(Clock::Duration max_age) const;
  /// Lets no informer start any more and joins all threads; with `stop_first`, ends them.
  void Shutdown(bool stop_first);

 private:
  /// What an informer is of: a C++ type, or (type null) a resource.
  struct Key {
    const runtime::ObjectType* type = nullptr;
    GroupVersionResource resource = {};
    Content content = Content::kWhole;
    friend bool operator==(const Key&, const Key&) = default;
  };
  using Entries = std::vector<std::shared_ptr<FactoryEntry>>;

  std::shared_ptr<cache::SharedInformerCore> FindOrMake(
      const Key& key, const std::function<std::shared_ptr<const runtime::ObjectType>()>& type);
  [[nodiscard]] std::shared_ptr<cache::SharedInformerCore> Find(const Key& key) const;
  [[nodiscard]] std::shared_ptr<cache::SharedInformerCore> Make(
      std::shared_ptr<const runtime::ObjectType> type) const;
  void Stop(const Key& key);
  [[nodiscard]] Clock::Duration ResyncPeriod(const ResourceInfo& info) const;
  [[nodiscard]] Entries AllEntries() const;

  const ListerWatcherFunc lister_watchers_;
  const FactoryOptions options_;
  const std::shared_ptr<Clock> clock_;

  mutable std::mutex mutex_;
  std::vector<std::pair<Key, std::shared_ptr<FactoryEntry>>> entries_;  ///< In order of request.
  bool shut_down_ = false;
};

}  // namespace k8s::inline v0::informers
