#pragma once

#include <k8s/codec/type_info.hpp>

#include <utility>

namespace k8s::inline v0 {

namespace codec {
bool Equal(const TypeInfo& type, const void* left, const void* right);
}  // namespace codec

/// An optional struct on the heap, eight bytes when unset. Go's pointer to a struct, but copied
/// deeply and compared by value.
///
/// T may be incomplete wherever a Box is declared, copied, moved or destroyed: the work is done by
/// `codec::Describe<T>`, which must be declared before. A moved-from Box is unset.
/// Thread safety. As of the value it holds.
template <class T>
class Box {
 public:
  using value_type = T;

  Box() = default;
  Box(T value) : value_(new T(std::move(value))) {}  // NOLINT: a value is an optional value
  Box(const Box& other) : value_(Clone(other.value_)) {}
  Box(Box&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  Box& operator=(const Box& other) { return *this = Box(other); }
  Box& operator=(Box&& other) noexcept {
    std::swap(value_, other.value_);
    other.reset();
    return *this;
  }
  ~Box() { reset(); }

  [[nodiscard]] bool has_value() const { return value_ != nullptr; }
  explicit operator bool() const { return value_ != nullptr; }

  // Require: there is a value.
  T& operator*() { return *value_; }
  const T& operator*() const { return *value_; }
  T* operator->() { return value_; }
  const T* operator->() const { return value_; }

  /// The value's address, or null when unset.
  T* get() { return value_; }
  [[nodiscard]] const T* get() const { return value_; }

  /// Makes a fresh value in place of the present one.
  T& emplace() {
    reset();
    value_ = static_cast<T*>(codec::Describe<T>::info.ops.create());
    return *value_;
  }
  void reset() {
    if (value_) codec::Describe<T>::info.ops.destroy(std::exchange(value_, nullptr));
  }

  /// Both unset, or both set to equal values.
  friend bool operator==(const Box& left, const Box& right) {
    if (!left || !right) return left.has_value() == right.has_value();
    return codec::Equal(codec::Describe<T>::info, left.value_, right.value_);
  }

 private:
  static T* Clone(const T* value) {
    return value ? static_cast<T*>(codec::Describe<T>::info.ops.clone(value)) : nullptr;
  }

  T* value_ = nullptr;
};

}  // namespace k8s::inline v0
