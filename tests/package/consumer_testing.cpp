// A user's own test: an informer against the fake API server, nothing but installed headers.

#include <k8s/apis/core/v1.hpp>
#include <k8s/informers/factory.hpp>
#include <k8s/kubernetes/clientset.hpp>
#include <k8s/testing/fake_api_server.hpp>

#include <chrono>
#include <cstdio>
#include <stop_token>

int main() {
  k8s::testing::FakeApiServer server;
  server.Add(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-0"}})");
  const auto client = k8s::kubernetes::Clientset::New(server.config()).value();
  k8s::informers::SharedInformerFactory factory(client);
  const auto lister = factory.Core().V1().Pods().Lister();
  std::stop_source stop;
  factory.Start(stop.get_token());
  const auto synced = factory.WaitForCacheSync(stop.get_token(), std::chrono::seconds(30));
  const bool right = synced.has_value() && lister.Pods("default").Get("web-0").has_value();
  std::printf("%s\n", right ? "ok" : "FAILED");
  return right ? 0 : 1;
}
