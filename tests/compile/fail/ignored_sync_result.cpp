// Who does not look at a wait's outcome works on a cache that may be empty.
// must not compile: nodiscard

#include <k8s/cache/wait.hpp>

k8s::cache::SyncResult Wait();

void Test() {
#ifdef MUST_NOT_COMPILE
  Wait();
#else
  Wait().value();
#endif
}
