#include <k8s/result.hpp>

namespace k8s::inline v0 {

BadResult::BadResult(Error error) : error_(std::move(error)), text_(error_.ToString()) {}
BadResult::BadResult(const BadResult&) = default;
BadResult::~BadResult() = default;
const char* BadResult::what() const noexcept { return text_.c_str(); }

void detail::ThrowBadResult(const Error& error) { throw BadResult(error); }

}  // namespace k8s::inline v0
