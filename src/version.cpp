#include <k8s/version.hpp>

namespace k8s::inline v0 {

std::string_view Version() { return CLIENT_CPP_VERSION_STRING; }

}  // namespace k8s::inline v0
