// An informer against a model of what it has to know and to tell, through random faults.
//
// Each round is one informer's life and follows from one seed. To run longer, or a round again:
//   CLIENT_CPP_MODEL_STEPS=5000000 CLIENT_CPP_MODEL_SEED=1000000 unit_model
//   CLIENT_CPP_MODEL_STEPS=1 CLIENT_CPP_MODEL_SEED=<the seed that a failure names> unit_model

#include <k8s/log.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string>

#include "model_round.hpp"

namespace k8s::test {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSteps = 60'000;
#else
constexpr std::size_t kSteps = 500'000;
#endif

std::size_t FromEnvironment(const char* name, std::size_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::stoull(value);
}

TEST(InformerModelTest, AgreesWithTheModelThroughRandomFaults) {
  log::SetSink({});
  const auto first = static_cast<unsigned>(FromEnvironment("CLIENT_CPP_MODEL_SEED", 1));
  const std::size_t wanted = FromEnvironment("CLIENT_CPP_MODEL_STEPS", kSteps);
  const auto begin = std::chrono::steady_clock::now();
  std::size_t steps = 0;
  std::size_t told = 0;
  std::size_t settled = 0;
  unsigned seed = first;
  for (; steps < wanted && !HasFailure(); ++seed) {
    ModelRound round(seed);
    round.Play();
    if (!round.fault().empty()) ADD_FAILURE() << "seed " << seed << ": " << round.fault();
    steps += round.steps();
    told += round.told();
    settled += round.settled();
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::cout << "seeds " << first << " to " << seed - 1 << ": " << steps << " steps, " << settled
            << " comparisons, " << told << " notifications in " << took.count() << " s\n";
}

}  // namespace
}  // namespace k8s::test
