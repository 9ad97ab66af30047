// Informers on a real kube-apiserver: what a user's program relies on, in the order of an
// informer's life.

#include <gtest/gtest.h>
#include <k8s/apis/apps/v1.hpp>
#include <k8s/apis/core/v1.hpp>
#include <k8s/apis/meta/v1.hpp>
#include <k8s/cache/rest_listwatch.hpp>
#include <k8s/cache/shared_informer.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/fields.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/runtime/unstructured.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "support/event_recorder.hpp"
#include "support/real_server.hpp"
#include "support/stalling_proxy.hpp"

namespace {

// The custom resource of these tests, as a projection and as a whole.
struct Gadget {
  struct Spec {
    std::string color;
    std::int64_t size = 0;
  };
  k8s::metav1::ObjectMeta metadata;
  Spec spec;
};
struct PodView {
  struct Status {
    std::string phase;
  };
  k8s::ObjectRef metadata;
  Status status;
};

}  // namespace

CLIENT_CPP_FIELDS(Gadget::Spec, color, size);
CLIENT_CPP_FIELDS(Gadget, metadata, spec);
CLIENT_CPP_RESOURCE(Gadget, .group = "e2e.test", .version = "v1", .kind = "Gadget",
                    .plural = "gadgets");
CLIENT_CPP_FIELDS(PodView::Status, phase);
CLIENT_CPP_FIELDS(PodView, metadata, status);
CLIENT_CPP_RESOURCE(PodView, .version = "v1", .kind = "Pod", .plural = "pods");

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using corev1::Pod;

kubernetes::Clientset Connect(const std::string& kubeconfig) {
  auto loaded = clientcmd::Load({.explicitPath = kubeconfig}, {}).value();
  loaded.config.qps = -1;  // The tests' own writes are not to wait.
  return kubernetes::Clientset::New(loaded.config).value();
}

Pod MakePod(const std::string& name) {
  Pod pod;
  pod.metadata.name = name;
  pod.metadata.labels = {{"app", "web"}};
  pod.spec.containers.resize(1);
  pod.spec.containers[0].name = "web";
  pod.spec.containers[0].image = "nginx";
  return pod;
}

// Without a node there is no kubelet to wait for: 0 seconds of grace remove a pod at once.
metav1::DeleteOptions AtOnce() {
  metav1::DeleteOptions options;
  options.gracePeriodSeconds = 0;
  return options;
}

template <class F>
void ExpectOk(const F& result) {
  ASSERT_TRUE(result.has_value()) << result.error().ToString();
}

class InformerTest : public RealServerTest {
 protected:
  static kubernetes::Clientset Admin() { return Connect(Server().AdminKubeconfig()); }
  std::stop_source stop_;
};

// Over HTTP/2 all requests share the connection that stalls: the informer has to find another one.
TEST_F(InformerTest, ReplacesAWatchOnAStalledConnectionWithoutAList) {
  const std::string ns = NewNamespace();
  StallingProxy proxy(std::stoi(Server().Url().substr(Server().Url().rfind(':') + 1)));
  auto config = clientcmd::Load({.explicitPath = Server().AdminKubeconfig()}, {}).value().config;
  config.host = "https://127.0.0.1:" + std::to_string(proxy.port());
  const auto client = kubernetes::Clientset::New(config).value();
  cache::SharedInformerOptions options;
  options.reflector.watchIdleTimeout = 1s;
  const auto informer = cache::SharedIndexInformer<Pod>::New(
      cache::NewListWatchFromClient(client.CoreV1().Pods(ns).core()), options);
  EventRecorder<Pod> seen;
  ExpectOk(informer.AddEventHandler(seen.Handlers()));
  std::jthread running([&](std::stop_token stop) { (void)informer.Run(std::move(stop)); });
  ASSERT_TRUE(informer.core()->WaitForSync({}));

  for (const char* name : {"first", "second"}) {
    const int connections = proxy.connections();
    proxy.Stall();
    ExpectOk(Admin().CoreV1().Pods(ns).Create(MakePod(name)));
    ASSERT_TRUE(seen.WaitForEvent("add " + ns + "/" + name));
    EXPECT_GT(proxy.connections(), connections);
  }
  EXPECT_EQ(informer.core()->Status().relists, 1u);
  EXPECT_GE(informer.core()->Status().watchesReplaced, 2u);
}

TEST_F(InformerTest, DeliversCreatePatchAndDeleteOfPods) {
  const std::string ns = NewNamespace();
  const auto client = Admin();
  const auto pods = client.CoreV1().Pods(ns);
  ExpectOk(pods.Create(MakePod("early")));

  EventRecorder<Pod> seen;
  informers::SharedInformerFactory factory(client, {.namespace_ = ns});
  auto informer = factory.Core().V1().Pods();
  ExpectOk(informer.Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  EXPECT_TRUE(seen.WaitForEvent("add " + ns + "/early"));

  ExpectOk(pods.Create(MakePod("late")));
  ASSERT_TRUE(seen.WaitForEvent("add " + ns + "/late"));
  ExpectOk(pods.Patch("late", {.text = R"({"metadata":{"labels":{"app":"db"}}})"}));
  ASSERT_TRUE(seen.WaitFor([&](const auto& now) {
    const auto pod = now.Find(ns + "/late");
    return pod && pod->metadata.labels.at("app") == "db";
  }));
  ExpectOk(pods.Delete("late", AtOnce()));
  ASSERT_TRUE(seen.WaitForEvent("delete " + ns + "/late"));

  const auto listed = informer.Lister().Pods(ns).List(labels::Everything());
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_EQ(listed[0]->metadata.name, "early");
  EXPECT_TRUE(IsNotFound(informer.Lister().Pods(ns).Get("late").error()));
  EXPECT_TRUE(seen.Faults().empty());
}

TEST_F(InformerTest, ShowsStatusUpdatesOfDeployments) {
  const std::string ns = NewNamespace();
  const auto client = Admin();
  const auto deployments = client.AppsV1().Deployments(ns);
  appsv1::Deployment deployment;
  deployment.metadata.name = "web";
  deployment.spec.replicas = 2;
  deployment.spec.selector.emplace().matchLabels = {{"app", "web"}};
  deployment.spec.template_.metadata.labels = {{"app", "web"}};
  deployment.spec.template_.spec = MakePod("web").spec;
  ExpectOk(deployments.Create(deployment));

  EventRecorder<appsv1::Deployment> seen;
  informers::SharedInformerFactory factory(client, {.namespace_ = ns});
  ExpectOk(factory.Apps().V1().Deployments().Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  ASSERT_TRUE(seen.WaitForEvent("add " + ns + "/web"));

  auto now = deployments.Get("web");
  ExpectOk(now);
  now->status.replicas = 2;
  now->status.readyReplicas = 1;
  ExpectOk(deployments.UpdateStatus(*now));
  EXPECT_TRUE(seen.WaitFor([&](const auto& state) {
    const auto found = state.Find(ns + "/web");
    return found && found->status.readyReplicas == 1;
  }));
}

TEST_F(InformerTest, WatchesCustomResourcesTypedAndGeneric) {
  const auto crd =
      Server().Request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
                       R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
          "metadata":{"name":"gadgets.e2e.test"},
          "spec":{"group":"e2e.test","scope":"Namespaced",
                  "names":{"plural":"gadgets","singular":"gadget","kind":"Gadget"},
                  "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":
                    {"type":"object","x-kubernetes-preserve-unknown-fields":true}}}]}})");
  ASSERT_TRUE(crd.has_value()) << crd.error().ToString();
  ASSERT_EQ(crd->code, 201) << crd->body;

  const std::string ns = NewNamespace();
  const auto client = Admin();
  EventRecorder<Gadget> seen;
  informers::SharedInformerFactory factory(client, {.namespace_ = ns});
  ExpectOk(factory.For<Gadget>().Informer().AddEventHandler(seen.Handlers()));
  auto generic = factory.ForResource({"e2e.test", "v1", "gadgets"});
  const auto generic_lister = generic.Lister();
  factory.Start(stop_.get_token());
  // The server may still answer 404 or 429 for a moment after the definition: the informers go on.
  (void)factory.WaitForCacheSync(stop_.get_token(), 60s);

  Gadget gadget;
  gadget.metadata.name = "g";
  gadget.spec = {.color = "red", .size = 9007199254740993};
  ExpectOk(client.Resource<Gadget>(ns).Create(gadget));
  ASSERT_TRUE(seen.WaitForEvent("add " + ns + "/g"));
  EXPECT_EQ(seen.State().at(ns + "/g")->spec.size, 9007199254740993);
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
}

TEST_F(InformerTest, FollowsLabelSelectors) {
  const std::string ns = NewNamespace();
  const auto client = Admin();
  const auto pods = client.CoreV1().Pods(ns);
  ExpectOk(pods.Create(MakePod("web")));
  Pod other = MakePod("other");
  other.metadata.labels = {{"app", "db"}};
  ExpectOk(pods.Create(other));

  EventRecorder<Pod> seen;
  informers::SharedInformerFactory factory(
      client, {.namespace_ = ns,
               .tweakListOptions = [](auto& options) { options.labelSelector = "app=web"; }});
  ExpectOk(factory.Core().V1().Pods().Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  ASSERT_TRUE(seen.WaitForCount(1));

  // An object that leaves the selection is deleted for this informer, one that enters is added.
  ExpectOk(pods.Patch("web", {.text = R"({"metadata":{"labels":{"app":"db"}}})"}));
  ASSERT_TRUE(seen.WaitForEvent("delete " + ns + "/web"));
  ExpectOk(pods.Patch("other", {.text = R"({"metadata":{"labels":{"app":"web"}}})"}));
  ASSERT_TRUE(seen.WaitForEvent("add " + ns + "/other"));
}

// A server with five thousand pods from the start.
class ManyPodsTest : public testing::TestWithParam<bool> {};

TEST_P(ManyPodsTest, SyncsFiveThousandPods) {
  if (const auto why = RealServer::Unavailable(); !why.empty()) GTEST_SKIP() << why;
  auto server = RealServer::Start({"-preload-pods", "5000", "-preload-namespaces", "10"});
  ASSERT_TRUE(server.has_value()) << server.error().ToString();
  const auto client = Connect((*server)->AdminKubeconfig());

  EventRecorder<PodView> seen;
  informers::SharedInformerFactory factory(client, {.useWatchList = GetParam()});
  auto views = factory.For<PodView>();
  ExpectOk(views.Informer().AddEventHandler(seen.Handlers()));
  auto pods = factory.Core().V1().Pods().Lister();
  std::stop_source stop;
  factory.Start(stop.get_token());
  ExpectOk(factory.WaitForCacheSync(stop.get_token(), 120s));
  EXPECT_TRUE(seen.WaitForCount(5000));
  EXPECT_TRUE(seen.Faults().empty());
  EXPECT_EQ(pods.List(labels::Everything()).size(), 5000u);

  // The same pods page by page.
  metav1::ListOptions page;
  page.limit = 700;
  std::set<std::string> paged;
  int pages = 0;
  do {
    const auto list = client.CoreV1().Pods("").List(page);
    ASSERT_TRUE(list.has_value()) << list.error().ToString();
    for (const auto& pod : list->items) paged.insert(pod->metadata.uid);
    page.continue_ = list->continueToken;
    ++pages;
  } while (!page.continue_.empty());
  EXPECT_EQ(paged.size(), 5000u);
  EXPECT_EQ(pages, 8);
}
INSTANTIATE_TEST_SUITE_P(StreamingListAndList, ManyPodsTest, testing::Bool(),
                         [](const auto& tested) {
                           return tested.param ? "StreamingList" : "List";
                         });

TEST_F(InformerTest, RecoversWhenTheServerIsKilledAndRestartedOnItsData) {
  const std::string ns = NewNamespace();
  const auto client = Admin();
  const auto pods = client.CoreV1().Pods(ns);
  ExpectOk(pods.Create(MakePod("before")));
  ExpectOk(pods.Create(MakePod("doomed")));

  EventRecorder<Pod> seen;
  informers::SharedInformerFactory factory(client, {.namespace_ = ns});
  auto informer = factory.Core().V1().Pods();
  ExpectOk(informer.Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  ASSERT_TRUE(seen.WaitForCount(2));

  Server().Kill();
  // The cache keeps answering while there is no server.
  EXPECT_EQ(informer.Lister().Pods(ns).List(labels::Everything()).size(), 2u);
  ExpectOk(Server().Restart());
  const auto fresh = Admin().CoreV1().Pods(ns);
  ExpectOk(fresh.Create(MakePod("after")));
  ExpectOk(fresh.Delete("doomed", AtOnce()));

  EXPECT_TRUE(seen.WaitForEvent("add " + ns + "/after"));
  EXPECT_TRUE(seen.WaitForEvent("delete " + ns + "/doomed"));
  EXPECT_TRUE(seen.Faults().empty());
  EXPECT_EQ(seen.State().size(), 2u);
}

// After a restart the server's watch cache begins at the newest resource version, so a watch from
// an older one is expired: 410.
TEST_F(InformerTest, RelistsWhenItsResourceVersionHasExpired) {
  const std::string ns = NewNamespace();
  const auto client = Admin();
  ExpectOk(client.CoreV1().Pods(ns).Create(MakePod("kept")));

  EventRecorder<Pod> seen;
  informers::SharedInformerFactory factory(client, {.namespace_ = ns});
  auto informer = factory.Core().V1().Pods();
  ExpectOk(informer.Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  const std::string synced = informer.Informer().LastSyncResourceVersion();

  // Other objects move the cluster's resource version past the informer's.
  for (int i = 0; i < 20; ++i) {
    corev1::ConfigMap config;
    config.metadata.name = "c" + std::to_string(i);
    ExpectOk(client.CoreV1().ConfigMaps(ns).Create(config));
  }
  Server().Kill();
  ExpectOk(Server().Restart());
  metav1::ListOptions old;
  old.watch = true;
  old.resourceVersion = synced;
  auto stale = Admin().CoreV1().Pods(ns).Watch(old);
  ExpectOk(stale);
  const auto event = stale->Next();
  ExpectOk(event);
  ASSERT_TRUE(event->has_value());
  EXPECT_TRUE(IsResourceExpired((*event)->status) || IsGone((*event)->status))
      << (*event)->status.ToString();

  ExpectOk(Admin().CoreV1().Pods(ns).Create(MakePod("new")));
  EXPECT_TRUE(seen.WaitForEvent("add " + ns + "/new"));
  EXPECT_TRUE(seen.Faults().empty());
}

constexpr char kReaderRole[] =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole",
        "metadata":{"name":"e2e-reader"},
        "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get","list","watch"]}]})";
constexpr char kReaderBinding[] =
    R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRoleBinding",
        "metadata":{"name":"e2e-reader"},
        "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"ClusterRole","name":"e2e-reader"},
        "subjects":[{"kind":"User","name":"test-user","apiGroup":"rbac.authorization.k8s.io"}]})";
constexpr char kRbac[] = "/apis/rbac.authorization.k8s.io/v1/";

TEST_F(InformerTest, NamesAMissingPermissionAndGoesOnWhenItIsGiven) {
  const std::string ns = NewNamespace();
  ExpectOk(Admin().CoreV1().Pods(ns).Create(MakePod("p")));

  EventRecorder<Pod> seen;
  informers::SharedInformerFactory factory(Connect(Server().UserKubeconfig()), {.namespace_ = ns});
  ExpectOk(factory.Core().V1().Pods().Informer().AddEventHandler(seen.Handlers()));
  factory.Start(stop_.get_token());
  const auto failed = factory.WaitForCacheSync(stop_.get_token(), 5s);
  ASSERT_FALSE(failed.has_value());
  ASSERT_EQ(failed.error().informers.size(), 1u);
  EXPECT_EQ(failed.error().informers[0].reason, cache::SyncReason::kForbidden);
  EXPECT_NE(failed.error().ToString().find("test-user"), std::string::npos)
      << failed.error().ToString();

  const std::string bindings = std::string(kRbac) + "clusterrolebindings";
  ASSERT_EQ(Server().Request("POST", std::string(kRbac) + "clusterroles", kReaderRole)->code, 201);
  ASSERT_EQ(Server().Request("POST", bindings, kReaderBinding)->code, 201);
  ExpectOk(factory.WaitForCacheSync(stop_.get_token(), 60s));
  EXPECT_TRUE(seen.WaitForEvent("add " + ns + "/p"));

  // Taken away while the watch is open: the watch lives on until it has to be opened again. A
  // restart makes that now. The cache stays, and what happened meanwhile arrives when the
  // permission is back.
  ASSERT_EQ(Server().Request("DELETE", bindings + "/e2e-reader")->code, 200);
  Server().Kill();
  ExpectOk(Server().Restart());
  ExpectOk(Admin().CoreV1().Pods(ns).Create(MakePod("q")));
  EXPECT_EQ(factory.Core().V1().Pods().Lister().Pods(ns).List(labels::Everything()).size(), 1u);
  ASSERT_EQ(Server().Request("POST", bindings, kReaderBinding)->code, 201);
  EXPECT_TRUE(seen.WaitForEvent("add " + ns + "/q"));
  EXPECT_TRUE(seen.Faults().empty());
}

}  // namespace
}  // namespace k8s::test
