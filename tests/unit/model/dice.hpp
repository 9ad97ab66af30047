#pragma once

#include <cstddef>
#include <random>

namespace k8s::test {

/// Decisions that follow from a seed, on every machine the same.
class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}

  /// 0 to n - 1.
  unsigned Below(std::size_t n) { return static_cast<unsigned>(random_() % n); }
  /// True in so many of a thousand cases.
  bool PerMille(unsigned share) { return Below(1000) < share; }
  bool Coin() { return Below(2) == 0; }

 private:
  std::mt19937 random_;
};

}  // namespace k8s::test
