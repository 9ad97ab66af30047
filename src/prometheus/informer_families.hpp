#pragma once

#include <k8s/cache/metrics.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "prometheus/families.hpp"

namespace k8s::inline v0::metrics::detail {

/// What is measured of informers: one family of series per quantity.
struct InformerFamilies {
  explicit InformerFamilies(std::shared_ptr<Registry> owner) : registry(std::move(owner)) {}

  const std::shared_ptr<Registry> registry;
  Family<Counter>& lists =
      NewCounters(*registry, "reflector_lists_total", "Attempts to receive a complete state");
  Family<Histogram>& list_duration = NewHistograms(*registry, "reflector_list_duration_seconds",
                                                   "How long attempts at a complete state took");
  Family<Histogram>& items_per_list =
      NewHistograms(*registry, "reflector_items_per_list", "Objects in a complete state");
  Family<Counter>& watches = NewCounters(*registry, "reflector_watches_total",
                                         "Watches that were opened, streaming lists included");
  Family<Counter>& short_watches =
      NewCounters(*registry, "reflector_short_watches_total",
                  "Watches that ended within a second and without an event");
  Family<Histogram>& watch_duration =
      NewHistograms(*registry, "reflector_watch_duration_seconds", "How long watches lasted");
  Family<Histogram>& items_per_watch =
      NewHistograms(*registry, "reflector_items_per_watch", "Events in a watch");
  Family<Gauge>& version =
      NewGauges(*registry, "informer_store_resource_version",
                "The 15 least significant digits of the store's resource version");
  Family<Counter>& relists =
      NewCounters(*registry, "informer_relists_total", "Complete states stored, by reason");
  Family<Counter>& events =
      NewCounters(*registry, "informer_events_total", "Watch events received, by type");
  Family<Counter>& failures = NewCounters(*registry, "informer_failures_total",
                                          "Requests, streams and resyncs that failed");
  Family<Counter>& replaced = NewCounters(*registry, "informer_replaced_watches_total",
                                          "Watches that took over from a silent one");
  Family<Counter>& bytes = NewCounters(*registry, "informer_received_bytes_total",
                                       "Bytes of lists and watches, after decompression");
  Family<Counter>& unreadable =
      NewCounters(*registry, "informer_unreadable_objects_total",
                  "Objects that were skipped: not decodable, or not transformable");
  Family<Gauge>& pending = NewGauges(*registry, "informer_pending_notifications",
                                     "Notifications that wait for an event handler");
  Family<Histogram>& call_duration =
      NewHistograms(*registry, "informer_handler_duration_seconds",
                    "How long an event handler took for one notification");
  Family<Counter>& call_failures = NewCounters(*registry, "informer_handler_failures_total",
                                               "Calls of an event handler that threw");

  std::mutex mutex;
  std::map<Labels, int> handlers;  ///< How many use the series of a handler's labels.
};

/// The series of one informer.
[[nodiscard]] std::shared_ptr<cache::InformerMetrics> NewInformerSeries(
    std::shared_ptr<InformerFamilies> families, const cache::InformerLabels& labels);

}  // namespace k8s::inline v0::metrics::detail
