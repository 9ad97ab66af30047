// A result that nobody looks at is an error that nobody sees.
// must not compile: nodiscard

#include <k8s/result.hpp>

k8s::Result<int> Answer();

void Test() {
#ifdef MUST_NOT_COMPILE
  Answer();
#else
  (void)Answer().has_value();
#endif
}
