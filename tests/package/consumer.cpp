// What a project that uses the library looks like at the least; built by each kind of consumer. The
// informer has no server to reach: the program is about being compiled and linked.

#include <k8s/apis/core/v1.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/labels/selector.hpp>
#include <k8s/version.hpp>

#include <chrono>
#include <cstdio>

int main() {
  const auto client = k8s::kubernetes::Clientset::New({.host = "http://127.0.0.1:1"}).value();
  k8s::informers::SharedInformerFactory factory(client);
  const auto pods = factory.Core().V1().Pods();
  const auto lister = pods.Lister();
  const auto synced = factory.WaitForCacheSync({}, std::chrono::seconds(0));
  const bool right = k8s::Version() == CLIENT_CPP_VERSION_STRING && !synced.has_value() &&
                     lister.Pods("default").List(k8s::labels::Everything()).empty();
  std::printf("client-cpp %s: %s\n", CLIENT_CPP_VERSION_STRING, right ? "ok" : "FAILED");
  return right ? 0 : 1;
}
