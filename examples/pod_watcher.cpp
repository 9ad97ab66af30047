// pod-watcher: prints what happens to the pods of a cluster, a line per event.
//
//   pod-watcher --kubeconfig ~/.kube/config --namespace default --selector app=web
//   pod-watcher --fake        the same on an embedded fake API server
//
// Ends at Ctrl-C with the lister's view of the pods.

#include <k8s/apis/core/v1.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/labels/selector.hpp>

#include <chrono>
#include <cstdio>
#include <string>

#include "cluster.hpp"

using examples::Print;
using k8s::ObjectPtr;
using k8s::corev1::Pod;
using namespace std::chrono_literals;

namespace {

std::string Key(const Pod& pod) { return pod.metadata.namespace_ + "/" + pod.metadata.name; }

std::string Describe(const Pod& pod) {
  const std::string phase = pod.metadata.deletionTimestamp ? "Terminating" : pod.status.phase;
  return phase + (pod.spec.nodeName.empty() ? "" : " on " + pod.spec.nodeName);
}

Pod MakePod(const std::string& name, const std::string& phase) {
  Pod pod;
  pod.metadata = {.name = name, .namespace_ = "default", .labels = {{"app", "web"}}};
  pod.spec.nodeName = phase == "Pending" ? "" : "node-1";
  pod.spec.containers = {{.name = "web", .image = "nginx:1.27"}};
  pod.status.phase = phase;
  return pod;
}

// With --fake: a third pod comes, runs and goes; then there is time for a resync.
void Story(k8s::testing::FakeApiServer& server, const std::function<void()>& pause) {
  pause();
  server.Add(MakePod("web-2", "Pending"));
  pause();
  server.Modify(MakePod("web-2", "Running"));
  pause();
  server.Delete(MakePod("web-2", "Running"));
  pause();
  pause();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints what happens to the pods of a cluster, a line per event.");
  examples::Cluster cluster(app);
  std::string name_space;
  std::string selector;
  int resync = 30;
  app.add_option("--namespace", name_space, "Default: all namespaces");
  app.add_option("--selector", selector, "Label selector, app=web for example");
  app.add_option("--resync", resync, "Seconds between resyncs; 0: never")->capture_default_str();
  CLI11_PARSE(app, argc, argv);

  if (auto parsed = k8s::labels::Parse(selector); !parsed) {
    return examples::Fail(parsed.error().ToString());
  }
  if (cluster.fake()) {
    resync = 1;
    for (const char* name : {"web-0", "web-1"}) cluster.server().Add(MakePod(name, "Running"));
  }
  auto client = cluster.Connect();
  if (!client) return examples::Fail(client.error().ToString());

  k8s::informers::SharedInformerFactory factory(
      *client, {.defaultResync = std::chrono::seconds(resync),
                .namespace_ = name_space,
                .tweakListOptions = [&](auto& options) { options.labelSelector = selector; }});
  auto pods = factory.Core().V1().Pods();
  auto added = pods.Informer().AddEventHandler(
      {.onAdd =
           [](const ObjectPtr<Pod>& pod, bool isInInitialList) {
             Print(isInInitialList ? "INITIAL" : "ADD", Key(*pod), Describe(*pod));
           },
       .onUpdate =
           [](const ObjectPtr<Pod>& before, const ObjectPtr<Pod>& after) {
             if (before == after) return Print("RESYNC", Key(*after), Describe(*after));
             Print("UPDATE", Key(*after), Describe(*before) + " -> " + Describe(*after));
           },
       .onDelete =
           [](const k8s::cache::DeletedObject<Pod>& gone) {
             Print("DELETE", gone.key, gone.object ? Describe(*gone.object) : "");
           }});
  if (!added) return examples::Fail(added.error().ToString());

  factory.Start(cluster.stop());
  if (auto synced = factory.WaitForCacheSync(cluster.stop(), 30s); !synced) {
    return examples::Fail(synced.error().ToString());
  }
  cluster.WaitForStop(Story);

  const auto known = pods.Lister().List(k8s::labels::Everything());
  std::printf("The lister knows %zu pods:\n", known.size());
  for (const auto& pod : known) {
    std::printf("  %-32s %s\n", Key(*pod).c_str(), Describe(*pod).c_str());
  }
}
