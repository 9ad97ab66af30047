#include <k8s/metrics/prometheus.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <prometheus/registry.h>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace k8s::metrics {
namespace {

using namespace std::chrono_literals;
using cache::InformerLabels;
using cache::RelistReason;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::UnorderedElementsAre;
using watch::EventType;

const InformerLabels kPods{.name = "web", .resource = {"", "v1", "pods"}};
const std::string kPod = R"(group="",name="web",resource="pods",version="v1")";

class PrometheusProviderTest : public ::testing::Test {
 protected:
  /// The lines of the families whose names begin with `prefix`, in alphabetic order of... nothing:
  /// as the registry gives them, without comments.
  std::vector<std::string> Lines(const std::string& prefix = "") const {
    std::vector<std::string> lines;
    std::istringstream text(provider_.Text());
    for (std::string line; std::getline(text, line);) {
      if (!line.empty() && line[0] != '#' && line.starts_with(prefix)) lines.push_back(line);
    }
    return lines;
  }

  PrometheusProvider provider_;
};

TEST_F(PrometheusProviderTest, P) {
  auto m = provider_.NewInformerMetrics(kPods);
  m->OnList({.complete=true, .duration=20ms, .items=5, .bytes=100});
  m->OnFailure("list", {.kind = ErrorKind::kStatus});
  auto h = m->NewHandlerMetrics("1");
  h->OnPending(3);
  h->OnCall(2ms, true);
  m->OnResourceVersion("1234567890123456789");
  puts(provider_.Text().c_str());
}
}  // namespace
}  // namespace k8s::metrics
