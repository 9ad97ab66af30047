// What a project that uses the library looks like at the least; built by each kind of consumer.

#include <k8s/resource.hpp>
#include <k8s/result.hpp>
#include <k8s/version.hpp>

#include <cstdio>

int main() {
  const k8s::ResourceInfo pods{.version = "v1", .kind = "Pod", .plural = "pods"};
  const k8s::Result<int> missing = k8s::NewNotFound("", pods.plural, "web-0");
  const bool right = k8s::Version() == CLIENT_CPP_VERSION_STRING && !missing.has_value() &&
                     k8s::IsNotFound(missing.error());
  std::printf("client-cpp %s: %s\n", CLIENT_CPP_VERSION_STRING, right ? "ok" : "FAILED");
  return right ? 0 : 1;
}
