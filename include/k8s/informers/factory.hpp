#pragma once

#include <k8s/cache/freshness.hpp>
#include <k8s/cache/status.hpp>
#include <k8s/cache/wait.hpp>
#include <k8s/clock.hpp>
#include <k8s/informers/accessors.hpp>
#include <k8s/informers/factory_core.hpp>
#include <k8s/informers/generic_informer.hpp>
#include <k8s/informers/typed_informer.hpp>
#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0 {

namespace kubernetes {
class Clientset;
}
namespace metav1 {
struct ListOptions;
}
namespace cache {
class InformerName;
class MetricsProvider;
}  // namespace cache

namespace informers {

/// A resync period for one type; see `ResyncFor`.
struct CustomResync {
  GroupVersionResource resource;
  Clock::Duration period{0};
};

/// A member of FactoryOptions::customResync: `ResyncFor<corev1::Pod>(1min)`.
template <class T>
[[nodiscard]] CustomResync ResyncFor(Clock::Duration period) {
  return {runtime::ObjectTypeOf<T>().info.Gvr(), period};
}

/// How a factory makes its informers. Applies to all of them. Functions are called on several
/// threads at a time.
struct FactoryOptions {
  /// How often every cached object is delivered again as an update, to repair what a handler missed
  /// or failed at. No server traffic. Default 0: never; below 1 s counts as 1 s.
  Clock::Duration defaultResync{0};
  /// Periods of single types instead of `defaultResync`.
  std::vector<CustomResync> customResync = {};
  /// Objects of this namespace only. Empty: all. Does not concern cluster-scoped types.
  std::string namespace_ = {};
  /// Changes the options of every list and watch last, to set a label or field selector for
  /// example. Called on reflector threads.
  std::function<void(metav1::ListOptions&)> tweakListOptions = {};
  /// Changes objects before they are stored, to drop what is not needed. Called once per received
  /// object on reflector threads. Returns an object of the same type; null or an error leaves what
  /// is known of the object as it is until its next change, and is reported. Mirrors WithTransform.
  std::function<Result<runtime::AnyPtr>(const runtime::ObjectType& type, runtime::AnyPtr object)>
      transform = {};
  /// Told of every failure of an informer, see cache::WatchErrorHandler. Empty: written to the log.
  std::function<void(const ResourceInfo& resource, const Error& error)> watchErrorHandler = {};
  /// Whether the initial state is asked for as a stream (watch-list) where the server can do that.
  bool useWatchList = true;
  /// Told what the informers do. Null: nobody is, at no cost.
  std::shared_ptr<cache::MetricsProvider> metrics = nullptr;
  /// The name that tells the metrics of this factory from those of others. `Shutdown` and the
  /// destructor release it. Null: none. Mirrors WithInformerName.
  std::shared_ptr<cache::InformerName> name = nullptr;
  /// Null: RealClock().
  std::shared_ptr<Clock> clock = nullptr;
};

/// Makes and runs informers, one per type for the whole program, whoever asks. Mirrors
/// informers.SharedInformerFactory.
///
/// `Start` starts what was asked for (`.Informer()` or `.Lister()`) until then; call it again after
/// asking for more. A stop of its token ends all informers for good; their stores still answer.
///
/// Threads per started informer: one (reflector), one more while a watch with resync is open or the
/// initial state is streamed, and one per event handler.
///
/// **Thread safety.** All members may be called from any thread.
/// **Lifetime.** The destructor stops all informers and joins their threads; no handler is called
/// afterwards. Must not be destroyed inside a handler. Keeps the client's connection alive.
class SharedInformerFactory : public detail::GroupAccessors {
 public:
  explicit SharedInformerFactory(const kubernetes::Clientset& client, FactoryOptions options = {});
  /// With lists and watches of your own, for tests without a server. `namespace_` and
  /// `tweakListOptions` are the function's business.
  explicit SharedInformerFactory(ListerWatcherFunc lister_watchers, FactoryOptions options = {});
  ~SharedInformerFactory();
  SharedInformerFactory(const SharedInformerFactory&) = delete;
  SharedInformerFactory& operator=(const SharedInformerFactory&) = delete;

  /// The informer and lister of T: a built-in type, a projection, a CRD's type, a type that only
  /// nlohmann's from_json describes. Each C++ type has an informer of its own, so that two
  /// projections of pods are two informers.
  template <class T>
  [[nodiscard]] TypedInformer<T> For() const {
    return TypedInformer<T>(core());
  }

  /// The generic informer and lister (`Unstructured` objects) of a resource, built-in or not; made
  /// now, to run from the next `Start` on.
  /// **Mirrors** ForResource. Differs: its objects are `Unstructured`, so that it shares no cache
  /// with the typed informer of the resource; knows all resources, as the dynamic factory does;
  /// whether the server has it shows when it runs (`SyncReason::kResourceAbsent`).
  [[nodiscard]] GenericInformer ForResource(const GroupVersionResource& resource) const;

  /// The informer and lister of a resource's metadata, built-in or not: names, labels, annotations
  /// and owners, for a fraction of the objects' size on the wire and in memory. Made now, to run
  /// from the next `Start` on. It shares no cache with the other informers of the resource.
  /// `transform` sees `type.as` "PartialObjectMetadata".
  /// **Mirrors** metadatainformer.NewFilteredSharedInformerFactory and its ForResource. Differs:
  /// part of the one factory.
  [[nodiscard]] MetadataInformer ForMetadata(const GroupVersionResource& resource) const;

  /// Starts the informers that were asked for and do not run yet. They stop when `stop` is
  /// triggered. Idempotent; does nothing after `Shutdown`.
  void Start(std::stop_token stop);

  /// Waits until every informer asked for has its initial state in its store. Otherwise says of
  /// each one that has not, why: see `SyncFailure`. A failed informer keeps trying, also
  /// afterwards. Informers that were asked for and not started are a failure at once: they would
  /// never sync.
  /// **Blocking.** Until synced, `timeout` has passed or `stop` is triggered.
  cache::SyncResult WaitForCacheSync(std::stop_token stop, Clock::Duration timeout) const;

  /// Stops the informer of T and joins its threads. Its lister keeps answering from the last state;
  /// `For<T>()` makes a new informer afterwards. Does nothing if there is none. Not in a handler of
  /// that informer.
  template <class T>
  void StopInformer() {
    StopInformer(runtime::ObjectTypeOf<T>());
  }
  /// The same for a generic informer.
  void StopInformer(const GroupVersionResource& resource);
  /// The same for a metadata informer.
  void StopMetadataInformer(const GroupVersionResource& resource);

  /// How each informer fares, in the order in which they were asked for. Cheap: a copy each.
  [[nodiscard]] std::vector<cache::InformerStatus> Status() const;

  /// Whether all caches are known to have followed the server until at most `max_age` ago, for a
  /// health endpoint: `ok()` and `ToString()` are its status and its body. Informers that were
  /// asked for and have not synced are not fresh. Does not wait.
  [[nodiscard]] cache::Freshness CheckFreshness(
      Clock::Duration max_age = cache::kDefaultMaxAge) const;

  /// Waits until all informers' threads have ended: until the token given to `Start` is triggered.
  /// Informers started with a token that nobody can trigger are stopped. No informer can be started
  /// afterwards. Repeatable. Not in a handler, which would wait for itself: trigger the token
  /// there.
  void Shutdown();

 private:
  void StopInformer(const runtime::ObjectType& type);
};

}  // namespace informers
}  // namespace k8s::inline v0
