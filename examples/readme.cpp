// The program of README.md, to the letter.

// clang-format off
// [readme]
#include <k8s/apis/core/v1.hpp>
#include <k8s/clientcmd/clientcmd.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/signals.hpp>
#include <iostream>

using k8s::corev1::Pod;
using namespace std::chrono_literals;

int main() try {
  const auto stop = k8s::signals::StopOnTermination();              // SIGINT, SIGTERM
  const auto config = k8s::clientcmd::LoadDefaultConfig().value();  // found as kubectl finds it
  const auto client = k8s::kubernetes::Clientset::New(config).value();

  k8s::informers::SharedInformerFactory factory(client, {.defaultResync = 5min});
  auto pods = factory.Core().V1().Pods();
  pods.Informer().AddEventHandler({
    .onAdd    = [](const k8s::ObjectPtr<Pod>& pod, bool) { std::cout << "+ " << pod->metadata.name << "\n"; },
    .onUpdate = [](const k8s::ObjectPtr<Pod>& before, const k8s::ObjectPtr<Pod>& after) {
      std::cout << after->metadata.name << ": " << before->status.phase << " -> " << after->status.phase << "\n"; },
    .onDelete = [](const k8s::cache::DeletedObject<Pod>& gone) { std::cout << "- " << gone.key << "\n"; }}).value();

  factory.Start(stop);
  if (auto synced = factory.WaitForCacheSync(stop, 30s); !synced) {
    std::cerr << synced.error().ToString() << "\n";                 // which informer, and why
    return 1;
  }
  for (const auto& pod : pods.Lister().Pods("default").List(k8s::labels::Everything()))
    std::cout << pod->metadata.name << " on " << pod->spec.nodeName << "\n";
  factory.Shutdown();                                               // blocks until Ctrl-C
} catch (const k8s::BadResult& e) {
  std::cerr << e.what() << "\n";                                    // what .value() met instead
  return 1;
}
// [readme]
