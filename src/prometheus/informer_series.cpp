#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <string>

#include "prometheus/informer_families.hpp"

namespace k8s::inline v0::metrics::detail {

namespace {

using cache::RelistReason;
using watch::EventType;

Histogram::BucketBoundaries CallSeconds() { return {0.0001, 0.001, 0.01, 0.1, 1, 10}; }
Histogram::BucketBoundaries ListSeconds() { return {0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300}; }
Histogram::BucketBoundaries WatchSeconds() { return {1, 10, 45, 60, 120, 300, 600, 1200}; }
Histogram::BucketBoundaries Items() { return {0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6}; }

constexpr std::array kReasons{RelistReason::kInitial,     RelistReason::kExpired,
                              RelistReason::kShortWatch,  RelistReason::kUndecodable,
                              RelistReason::kServerError, RelistReason::kInternal};
constexpr std::array kTypes{EventType::kAdded, EventType::kModified, EventType::kDeleted,
                            EventType::kBookmark, EventType::kError};

std::string_view TypeName(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kModified:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
    case EventType::kBookmark:
      return "BOOKMARK";
    case EventType::kError:
      return "ERROR";
  }
  return "unknown";
}

/// A counter for each value, from the start: one that appears with its first increment hides it
/// from Prometheus' rates.
template <class Value, std::size_t kCount, class Name>
std::array<Counter*, kCount> CounterPerValue(Family<Counter>& family, const Labels& labels,
                                             const std::string& label,
                                             const std::array<Value, kCount>& values,
                                             const Name& name) {
  std::array<Counter*, kCount> counters{};
  std::transform(values.begin(), values.end(), counters.begin(),
                 [&](Value value) { return &family.Add(With(labels, label, name(value))); });
  return counters;
}

/// The same as client-go: a double holds 15 digits of any number.
double LastDigits(std::string_view version) {
  constexpr std::size_t kDigits = 15;
  if (version.size() > kDigits) version.remove_prefix(version.size() - kDigits);
  return std::strtod(std::string(version).c_str(), nullptr);
}

/// The series of the handlers of one name, which share them.
class HandlerSeries final : public cache::HandlerMetrics {
 public:
  HandlerSeries(const std::shared_ptr<InformerFamilies>& families, Labels labels)
      : HandlerSeries(std::unique_lock(families->mutex), families, std::move(labels)) {}
  ~HandlerSeries() override {
    OnPending(0);
    const std::lock_guard lock(families_->mutex);
    const auto users = families_->handlers.find(labels_);
    if (--users->second > 0) return;
    families_->handlers.erase(users);
    families_->pending.Remove(&pending_);
    families_->call_duration.Remove(&duration_);
    families_->call_failures.Remove(&failures_);
  }
  HandlerSeries(const HandlerSeries&) = delete;
  HandlerSeries& operator=(const HandlerSeries&) = delete;

  void OnPending(std::size_t pending) noexcept override {
    // The sum over the handlers of the name.
    const auto before = last_pending_.exchange(pending);
    pending_.Increment(static_cast<double>(pending) - static_cast<double>(before));
  }
  void OnCall(Clock::Duration duration, bool failed) noexcept override {
    duration_.Observe(InSeconds(duration));
    if (failed) failures_.Increment();
  }

 private:
  // Under the lock, so that nobody removes the series that are found here.
  HandlerSeries(std::unique_lock<std::mutex> /*lock*/,
                const std::shared_ptr<InformerFamilies>& families, Labels labels)
      : families_(families),
        labels_(std::move(labels)),
        pending_(families->pending.Add(labels_)),
        duration_(families->call_duration.Add(labels_, CallSeconds())),
        failures_(families->call_failures.Add(labels_)) {
    ++families->handlers[labels_];
  }

  const std::shared_ptr<InformerFamilies> families_;
  const Labels labels_;
  std::atomic<std::size_t> last_pending_ = 0;
  Gauge& pending_;
  Histogram& duration_;
  Counter& failures_;
};

/// The series of complete states that came in one way.
struct ListSeries {
  ListSeries(InformerFamilies& families, const Labels& labels)
      : lists(families.lists.Add(labels)),
        duration(families.list_duration.Add(labels, ListSeconds())),
        items(families.items_per_list.Add(labels, Items())) {}

  void Observe(const cache::ListMetrics& list) {
    lists.Increment();
    duration.Observe(InSeconds(list.duration));
    if (list.complete) items.Observe(static_cast<double>(list.items));
  }

  Counter& lists;
  Histogram& duration;
  Histogram& items;
};

class InformerSeries final : public cache::InformerMetrics {
 public:
  InformerSeries(std::shared_ptr<InformerFamilies> families, Labels labels)
      : families_(std::move(families)), labels_(std::move(labels)) {}

  void OnList(const cache::ListMetrics& list) noexcept override {
    (list.streamed ? streamed_ : listed_).Observe(list);
    bytes_.Increment(static_cast<double>(list.bytes));
  }
  void OnRelist(RelistReason reason) noexcept override {
    relists_.at(static_cast<std::size_t>(reason))->Increment();
  }
  void OnWatchOpened(bool replacing) noexcept override {
    watches_.Increment();
    if (replacing) replaced_.Increment();
  }
  void OnWatchEnded(const cache::WatchMetrics& watch) noexcept override {
    watch_duration_.Observe(InSeconds(watch.duration));
    items_per_watch_.Observe(static_cast<double>(watch.events));
    if (watch.isShort) short_watches_.Increment();
  }
  void OnEvent(EventType type, std::uint64_t bytes) noexcept override {
    events_.at(static_cast<std::size_t>(type))->Increment();
    bytes_.Increment(static_cast<double>(bytes));
  }
  void OnUnreadable() noexcept override { unreadable_.Increment(); }
  void OnFailure(std::string_view verb, const Error& error) noexcept override {
    const auto labels = With(With(labels_, "verb", verb), "kind", k8s::ToString(error.kind));
    families_->failures.Add(labels).Increment();
  }
  void OnResourceVersion(std::string_view version) noexcept override {
    version_.Set(LastDigits(version));
  }
  std::shared_ptr<cache::HandlerMetrics> NewHandlerMetrics(std::string_view handler) override {
    return std::make_shared<HandlerSeries>(families_, With(labels_, "handler", handler));
  }

 private:
  const std::shared_ptr<InformerFamilies> families_;
  const Labels labels_;
  ListSeries listed_{*families_, With(labels_, "way", "list")};
  ListSeries streamed_{*families_, With(labels_, "way", "stream")};
  Counter& watches_ = families_->watches.Add(labels_);
  Counter& short_watches_ = families_->short_watches.Add(labels_);
  Counter& replaced_ = families_->replaced.Add(labels_);
  Counter& bytes_ = families_->bytes.Add(labels_);
  Counter& unreadable_ = families_->unreadable.Add(labels_);
  Gauge& version_ = families_->version.Add(labels_);
  Histogram& watch_duration_ = families_->watch_duration.Add(labels_, WatchSeconds());
  Histogram& items_per_watch_ = families_->items_per_watch.Add(labels_, Items());
  const std::array<Counter*, kReasons.size()> relists_ = CounterPerValue(
      families_->relists, labels_, "reason", kReasons, [](auto r) { return cache::ToString(r); });
  const std::array<Counter*, kTypes.size()> events_ =
      CounterPerValue(families_->events, labels_, "type", kTypes, TypeName);
};

}  // namespace

std::shared_ptr<cache::InformerMetrics> NewInformerSeries(
    std::shared_ptr<InformerFamilies> families, const cache::InformerLabels& labels) {
  return std::make_shared<InformerSeries>(std::move(families),
                                          Labels{{"name", labels.name},
                                                 {"group", labels.resource.group},
                                                 {"version", labels.resource.version},
                                                 {"resource", labels.resource.resource}});
}

}  // namespace k8s::inline v0::metrics::detail
