// deployment-watcher: prints how the replica counts of deployments change.
//
//   deployment-watcher --kubeconfig ~/.kube/config
//   deployment-watcher --fake

#include <k8s/apis/apps/v1.hpp>
#include <k8s/informers/factory.hpp>

#include <chrono>
#include <string>

#include "cluster.hpp"

using examples::Print;
using k8s::ObjectPtr;
using k8s::appsv1::Deployment;
using namespace std::chrono_literals;

namespace {

std::string Key(const Deployment& deployment) {
  return deployment.metadata.namespace_ + "/" + deployment.metadata.name;
}

// "ready/wanted"; a deployment that does not say how many it wants wants one.
std::string Replicas(const Deployment& deployment) {
  return std::to_string(deployment.status.readyReplicas) + "/" +
         std::to_string(deployment.spec.replicas.value_or(1));
}

Deployment MakeDeployment(int wanted, int ready) {
  Deployment deployment;
  deployment.metadata = {.name = "web", .namespace_ = "default"};
  deployment.spec.replicas = wanted;
  deployment.status.readyReplicas = ready;
  return deployment;
}

// With --fake: a deployment is scaled up, its new replica becomes ready, and it is deleted.
void Story(k8s::testing::FakeApiServer& server, const std::function<void()>& pause) {
  pause();
  server.Modify(MakeDeployment(2, 1));
  pause();
  server.Modify(MakeDeployment(2, 2));
  pause();
  server.Delete(MakeDeployment(2, 2));
  pause();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Prints how the replica counts of deployments change.");
  examples::Cluster cluster(app);
  CLI11_PARSE(app, argc, argv);

  if (cluster.fake()) cluster.server().Add(MakeDeployment(1, 1));
  auto client = cluster.Connect();
  if (!client) return examples::Fail(client.error().ToString());

  k8s::informers::SharedInformerFactory factory(*client);
  auto added = factory.Apps().V1().Deployments().Informer().AddEventHandler(
      {.onAdd = [](const ObjectPtr<Deployment>& deployment,
                   bool) { Print("ADD", Key(*deployment), Replicas(*deployment)); },
       .onUpdate =
           [](const ObjectPtr<Deployment>& before, const ObjectPtr<Deployment>& after) {
             if (Replicas(*before) == Replicas(*after)) return;
             Print("UPDATE", Key(*after), Replicas(*before) + " -> " + Replicas(*after));
           },
       .onDelete =
           [](const k8s::cache::DeletedObject<Deployment>& gone) {
             Print("DELETE", gone.key, "");
           }});
  if (!added) return examples::Fail(added.error().ToString());

  factory.Start(cluster.stop());
  if (auto synced = factory.WaitForCacheSync(cluster.stop(), 30s); !synced) {
    return examples::Fail(synced.error().ToString());
  }
  cluster.WaitForStop(Story);
}
