#pragma once

#include <k8s/detail/shared_mutex.hpp>

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace k8s::inline v0::detail {

/// Access to guarded data for as long as it lives.
template <class T, class LockType>
class Locked {
 public:
  Locked(T& value, typename LockType::mutex_type& mutex) : lock_(mutex), value_(&value) {}

  T* operator->() const { return value_; }
  T& operator*() const { return *value_; }

  /// For condition variables, which release it while they wait.
  LockType& lock() { return lock_; }

 private:
  LockType lock_;
  T* value_;
};

/// Data that several threads share, together with its mutex: the only way to the data is the lock.
///
///   Guarded<State> state_;
///   auto state = state_.Lock();
///   changed_.wait(state.lock(), stop, [&] { return state->ready; });
template <class T>
class Guarded {
 public:
  template <class... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  [[nodiscard]] Locked<T, std::unique_lock<std::mutex>> Lock() { return {value_, mutex_}; }
  [[nodiscard]] Locked<const T, std::unique_lock<std::mutex>> Lock() const {
    return {value_, mutex_};
  }

 private:
  mutable std::mutex mutex_;
  T value_;
};

/// The same with many readers or one writer.
template <class T>
class SharedGuarded {
 public:
  template <class... Args>
  explicit SharedGuarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

  [[nodiscard]] Locked<const T, std::shared_lock<SharedMutex>> Read() const {
    return {value_, mutex_};
  }
  [[nodiscard]] Locked<T, std::unique_lock<SharedMutex>> Write() { return {value_, mutex_}; }

  /// Without a lock. For the one thread that writes, to read what nobody else changes.
  [[nodiscard]] const T& ReadUnsafe() const { return value_; }

 private:
  mutable SharedMutex mutex_;
  T value_;
};

}  // namespace k8s::inline v0::detail
