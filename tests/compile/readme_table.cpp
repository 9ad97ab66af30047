// All that README.md's table "From client-go to client-cpp" names, as it names it. Only compiled;
// readme_table.cmake checks that nothing of the table is missing here.

#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/autoscaling/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/policy/v1.hpp>
#include <k8s/cache/object_name.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/discovery/discovery_client.hpp>
#include <k8s/dynamic/client.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/log.hpp>
#include <k8s/metadata/client.hpp>
#include <k8s/pager/list_pager.hpp>
#include <k8s/restmapper/rest_mapper.hpp>
#include <k8s/retry/retry.hpp>
#include <k8s/signals.hpp>

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <tuple>

using k8s::corev1::Pod;
using namespace std::chrono_literals;

void TheTable(const k8s::clientcmd::LoadingRules& rules, const k8s::clientcmd::Overrides& overrides,
              const k8s::GroupVersionResource& gvr, const std::string& ns,
              const std::string& name) {
  const std::stop_token stop = k8s::signals::StopOnTermination();
  k8s::rest::Config config = k8s::clientcmd::LoadDefaultConfig().value();
  config = k8s::clientcmd::Load(rules, overrides).value().config;
  config.*(&k8s::rest::Config::warningHandler) = k8s::rest::NoWarnings();
  k8s::log::SetVerbosity(8);

  const auto client = k8s::kubernetes::Clientset::New(config).value();
  const auto pods = client.CoreV1().Pods(ns);
  const auto pod = pods.Get(name, {}, stop);
  if (!pod && k8s::IsNotFound(pod.error())) return;
  (void)pods.GetLogs(name, {}, stop);
  (void)pods.EvictV1({}, stop);
  (void)client.AppsV1().Deployments(ns).GetScale(name, {}, stop);
  (void)k8s::retry::RetryOnConflict(
      k8s::retry::DefaultRetry, []() -> k8s::Result<void> { return {}; }, stop);
  (void)k8s::pager::ListPager(pods).EachListItem(
      {}, [](const auto&) -> k8s::Result<void> { return {}; }, stop);

  k8s::informers::SharedInformerFactory factory(client, {.defaultResync = 5s});
  k8s::informers::FactoryOptions options{.namespace_ = ns};
  options.tweakListOptions = {};
  options.transform = {};
  options.customResync = {};
  auto informer = factory.Core().V1().Pods().Informer();
  auto registration = informer.AddEventHandler(
      {.onAdd = [](const std::shared_ptr<const k8s::corev1::Pod>&, bool) {},
       .onUpdate = [](const auto&, const auto&) {},
       .onDelete =
           [](const k8s::cache::DeletedObject<Pod>& gone) {
             (void)gone.key;
             (void)gone.object;
             (void)gone.finalStateUnknown;
           }});
  informer.RemoveEventHandler(*registration);
  (void)factory.ForResource(gvr);
  (void)factory.For<Pod>();
  factory.Start(stop);
  (void)factory.WaitForCacheSync(stop, 30s);
  (void)factory.Core().V1().Pods().Lister().Pods(ns).List(k8s::labels::Everything());
  (void)k8s::cache::SplitMetaNamespaceKey(k8s::cache::MetaNamespaceKeyFunc(*pod));
  (void)informer.GetIndexer().ByIndex("index", "value");
}

using Types = std::tuple<k8s::dynamic::Client, k8s::Unstructured, k8s::discovery::DiscoveryClient,
                         k8s::metadata::Client, k8s::restmapper::DeferredDiscoveryRESTMapper,
                         k8s::cache::Indexers<Pod>, k8s::cache::ObjectName,
                         k8s::cache::FilteringResourceEventHandler<Pod>>;
static_assert(sizeof(Types*) > 0);
