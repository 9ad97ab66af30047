#pragma once

#include <k8s/error.hpp>

#include <exception>
#include <string>
#include <tl/expected.hpp>
#include <type_traits>
#include <utility>

namespace k8s::inline v0 {

/// What `Result::value()` throws when the result holds an error; `what()` is the error's text.
class BadResult : public std::exception {
 public:
  explicit BadResult(Error error);
  BadResult(const BadResult&);
  ~BadResult() override;
  [[nodiscard]] const char* what() const noexcept override;
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  std::string text_;
};

namespace detail {
[[noreturn]] void ThrowBadResult(const Error& error);
template <class E>
[[noreturn]] void ThrowBadResult(const E& error) {
  ThrowBadResult(error.ToError());
}
}  // namespace detail

/// A value or an `Error`; the shape of C++23's std::expected. What the environment can break is
/// returned this way, never thrown.
///
/// `value()` throws `BadResult`, which suits short programs; `operator*` requires a value.
/// `E`: an error with more to tell than `Error`, into which its `ToError()` makes it for `value()`.
/// Thread safety. As of the value it holds.
template <class T, class E = Error>
class [[nodiscard]] Result : public tl::expected<T, E> {
  using Base = tl::expected<T, E>;

 public:
  using Base::Base;
  Result(E error) : Base(tl::unexpect, std::move(error)) {}  // NOLINT: an error is a result

  // tl::expected<void, E> has no operator*.
  decltype(auto) value() & {
    Check();
    if constexpr (!std::is_void_v<T>) return Base::operator*();
  }
  decltype(auto) value() const& {
    Check();
    if constexpr (!std::is_void_v<T>) return Base::operator*();
  }
  /// By value, so that `for (auto& x : f().value())` does not read what is gone.
  T value() && {
    Check();
    if constexpr (!std::is_void_v<T>) return std::move(*this).Base::operator*();
  }

 private:
  void Check() const {
    if (!this->has_value()) detail::ThrowBadResult(this->error());
  }
};

}  // namespace k8s::inline v0
