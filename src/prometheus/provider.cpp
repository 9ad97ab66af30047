#include <k8s/metrics/prometheus.hpp>

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <chrono>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

namespace k8s::inline v0::metrics {

namespace {

using ::prometheus::Counter;
using ::prometheus::Family;
using ::prometheus::Gauge;
using ::prometheus::Histogram;
using ::prometheus::Labels;
using ::prometheus::Registry;

double InSeconds(Clock::Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

Labels With(Labels labels, const std::string& name, std::string_view value) {
  labels.emplace(name, std::string(value));
  return labels;
}

const Histogram::BucketBoundaries& CallSeconds() {
  static const Histogram::BucketBoundaries bounds{0.0001, 0.001, 0.01, 0.1, 1, 10};
  return bounds;
}
const Histogram::BucketBoundaries& ListSeconds() {
  static const Histogram::BucketBoundaries bounds{0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300};
  return bounds;
}
const Histogram::BucketBoundaries& WatchSeconds() {
  static const Histogram::BucketBoundaries bounds{1, 10, 45, 60, 120, 300, 600, 1200};
  return bounds;
}
const Histogram::BucketBoundaries& Items() {
  static const Histogram::BucketBoundaries bounds{0, 1, 10, 100, 1e3, 1e4, 1e5, 1e6};
  return bounds;
}

std::string_view TypeName(watch::EventType type) {
  switch (type) {
    case watch::EventType::kAdded:
      return "ADDED";
    case watch::EventType::kModified:
      return "MODIFIED";
    case watch::EventType::kDeleted:
      return "DELETED";
    case watch::EventType::kBookmark:
      return "BOOKMARK";
    case watch::EventType::kError:
      return "ERROR";
  }
  return "unknown";
}

}  // namespace

struct PrometheusProvider::Families {
  explicit Families(std::shared_ptr<Registry> owner) : registry(std::move(owner)) {}

  Family<Counter>& NewCounter(const char* name, const char* help) {
    return ::prometheus::BuildCounter().Name(name).Help(help).Register(*registry);
  }
  Family<Gauge>& NewGauge(const char* name, const char* help) {
    return ::prometheus::BuildGauge().Name(name).Help(help).Register(*registry);
  }
  Family<Histogram>& NewHistogram(const char* name, const char* help) {
    return ::prometheus::BuildHistogram().Name(name).Help(help).Register(*registry);
  }

  const std::shared_ptr<Registry> registry;
  Family<Counter>& lists = NewCounter("reflector_lists_total", "Attempts to get a whole state");
  Family<Histogram>& list_duration =
      NewHistogram("reflector_list_duration_seconds", "How long they took");
  Family<Histogram>& items_per_list =
      NewHistogram("reflector_items_per_list", "Objects in a whole state");
  Family<Counter>& watches = NewCounter("reflector_watches_total", "Watches opened");
  Family<Counter>& short_watches =
      NewCounter("reflector_short_watches_total", "Watches that ended at once, without an event");
  Family<Histogram>& watch_duration =
      NewHistogram("reflector_watch_duration_seconds", "How long watches lasted");
  Family<Histogram>& items_per_watch =
      NewHistogram("reflector_items_per_watch", "Events in a watch");
  Family<Gauge>& version =
      NewGauge("reflector_last_resource_version", "The newest resource version received");
  Family<Counter>& relists = NewCounter("informer_relists_total", "Whole states stored");
  Family<Counter>& events = NewCounter("informer_events_total", "Watch events received");
  Family<Counter>& failures =
      NewCounter("informer_failures_total", "Requests and streams that failed");
  Family<Counter>& replaced =
      NewCounter("informer_replaced_watches_total", "Watches that took over from a silent one");
  Family<Counter>& bytes =
      NewCounter("informer_received_bytes_total", "Bytes of lists and watches, after gzip");
  Family<Counter>& unreadable =
      NewCounter("informer_unreadable_objects_total", "Objects skipped as unreadable");
  Family<Gauge>& pending =
      NewGauge("informer_handler_pending", "Notifications waiting for an event handler");
  Family<Histogram>& call_duration =
      NewHistogram("informer_handler_duration_seconds", "How long callbacks took");
  Family<Counter>& call_failures =
      NewCounter("informer_handler_failures_total", "Callbacks that threw");

  std::mutex mutex;
  std::map<Labels, int> handlers;  ///< How many use the series of a handler's labels.
};

namespace {

/// The series of the handlers of one name; handlers may share it.
template <class Families>
class HandlerSeries final : public cache::HandlerMetrics {
 public:
  HandlerSeries(std::shared_ptr<Families> families, Labels labels)
      : HandlerSeries(std::unique_lock(families->mutex), families, std::move(labels)) {}
  ~HandlerSeries() override {
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
    pending_.Set(static_cast<double>(pending));
  }
  void OnCall(Clock::Duration duration, bool failed) noexcept override {
    duration_.Observe(InSeconds(duration));
    if (failed) failures_.Increment();
  }

 private:
  // Under the lock, so that nobody removes the series that are found here.
  HandlerSeries(std::unique_lock<std::mutex>, const std::shared_ptr<Families>& families,
                Labels labels)
      : families_(families),
        labels_(std::move(labels)),
        pending_(families->pending.Add(labels_)),
        duration_(families->call_duration.Add(labels_, CallSeconds())),
        failures_(families->call_failures.Add(labels_)) {
    ++families->handlers[labels_];
  }

  const std::shared_ptr<Families> families_;
  const Labels labels_;
  Gauge& pending_;
  Histogram& duration_;
  Counter& failures_;
};

template <class Families>
class InformerSeries final : public cache::InformerMetrics {
 public:
  InformerSeries(std::shared_ptr<Families> families, Labels labels)
      : families_(std::move(families)), labels_(std::move(labels)) {}

  void OnList(const cache::ListMetrics& list) noexcept override {
    const auto labels = With(labels_, "way", list.streamed ? "stream" : "list");
    families_->lists.Add(labels).Increment();
    families_->list_duration.Add(labels, ListSeconds()).Observe(InSeconds(list.duration));
    bytes_.Increment(static_cast<double>(list.bytes));
    if (!list.complete) return;
    families_->items_per_list.Add(labels, Items()).Observe(static_cast<double>(list.items));
  }
  void OnRelist(cache::RelistReason reason) noexcept override {
    families_->relists.Add(With(labels_, "reason", cache::ToString(reason))).Increment();
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
  void OnEvent(watch::EventType type, std::uint64_t bytes) noexcept override {
    families_->events.Add(With(labels_, "type", TypeName(type))).Increment();
    bytes_.Increment(static_cast<double>(bytes));
  }
  void OnUnreadable() noexcept override { unreadable_.Increment(); }
  void OnFailure(std::string_view verb, const Error& error) noexcept override {
    const auto labels = With(With(labels_, "verb", verb), "kind", k8s::ToString(error.kind));
    families_->failures.Add(labels).Increment();
  }
  void OnResourceVersion(std::string_view version) noexcept override {
    // As client-go, which loses digits as well.
    version_.Set(std::strtod(std::string(version).c_str(), nullptr));
  }
  std::shared_ptr<cache::HandlerMetrics> NewHandlerMetrics(std::string_view handler) override {
    return std::make_shared<HandlerSeries<Families>>(families_, With(labels_, "handler", handler));
  }

 private:
  const std::shared_ptr<Families> families_;
  const Labels labels_;
  Counter& watches_ = families_->watches.Add(labels_);
  Counter& short_watches_ = families_->short_watches.Add(labels_);
  Counter& replaced_ = families_->replaced.Add(labels_);
  Counter& bytes_ = families_->bytes.Add(labels_);
  Counter& unreadable_ = families_->unreadable.Add(labels_);
  Gauge& version_ = families_->version.Add(labels_);
  Histogram& watch_duration_ = families_->watch_duration.Add(labels_, WatchSeconds());
  Histogram& items_per_watch_ = families_->items_per_watch.Add(labels_, Items());
};

}  // namespace

PrometheusProvider::PrometheusProvider()
    : PrometheusProvider(std::make_shared<::prometheus::Registry>()) {}

PrometheusProvider::PrometheusProvider(std::shared_ptr<::prometheus::Registry> registry)
    : registry_(std::move(registry)), families_(std::make_shared<Families>(registry_)) {}

PrometheusProvider::~PrometheusProvider() = default;

std::shared_ptr<cache::InformerMetrics> PrometheusProvider::NewInformerMetrics(
    const cache::InformerLabels& labels) {
  return std::make_shared<InformerSeries<Families>>(
      families_, Labels{{"name", labels.name}, {"resource", labels.resource}});
}

std::string PrometheusProvider::Text() const {
  return ::prometheus::TextSerializer().Serialize(registry_->Collect());
}

}  // namespace k8s::inline v0::metrics
