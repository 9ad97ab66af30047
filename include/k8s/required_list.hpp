#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

namespace k8s::inline v0 {

/// The list of a field that is always written: null when unset, `[]` when it was set to no
/// elements. Everywhere else it is a std::vector. A fresh one is unset; one with elements never is.
///
/// API servers refuse null for some of these fields and distinguish it from `[]` in others, so what
/// was read is written back.
template <class T>
class RequiredList : public std::vector<T> {
  using Base = std::vector<T>;

 public:
  RequiredList() = default;
  RequiredList(std::initializer_list<T> elements) : Base(elements), set_(true) {}
  RequiredList(Base elements) : Base(std::move(elements)), set_(true) {}  // NOLINT: is a list

  /// Whether it is written as null.
  [[nodiscard]] bool IsNull() const { return !set_ && this->empty(); }
  /// Drops the elements; afterwards the list is null, or an empty list.
  void SetNull(bool is_null) {
    this->clear();
    set_ = !is_null;
  }

  /// Equal elements, and both null or both not.
  friend bool operator==(const RequiredList& left, const RequiredList& right) {
    return left.IsNull() == right.IsNull() &&
           static_cast<const Base&>(left) == static_cast<const Base&>(right);
  }

 private:
  bool set_ = false;
};

}  // namespace k8s::inline v0
