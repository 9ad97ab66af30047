#include "util/log_budget.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace k8s::test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class LogBudgetTest : public ::testing::Test {
 protected:
  LogBudgetTest() {
    log::SetSink([this](log::Level, std::string_view line) { lines_.emplace_back(line); });
  }
  ~LogBudgetTest() override { log::SetSink({}); }

  /// What reaches the log of this many lines at a time.
  std::vector<std::string> Write(int lines, Clock::TimePoint now) {
    lines_.clear();
    for (int i = 0; i < lines; ++i) budget_.Write(log::Level::kError, now, "x");
    return lines_;
  }

 private:
  util::detail::LogBudget budget_;
  std::vector<std::string> lines_;
};

TEST_F(LogBudgetTest, TenLinesAtOnceThenOneASecondWithWhatWasLeftOut) {
  const auto start = Clock::TimePoint(100h);
  EXPECT_THAT(Write(13, start), SizeIs(10));
  EXPECT_THAT(Write(1, start + 999ms), IsEmpty());
  EXPECT_THAT(Write(3, start + 1s), ElementsAre("x; 4 more like it were not logged"));
  EXPECT_THAT(Write(1, start + 2s), ElementsAre("x; 2 more like it were not logged"));
  EXPECT_THAT(Write(1, start + 3s), ElementsAre("x"));
  EXPECT_THAT(Write(20, start + 1h), SizeIs(10)) << "quiet hours are not saved up";
}

TEST_F(LogBudgetTest, ClocksMayStartAtZero) {
  EXPECT_THAT(Write(11, Clock::TimePoint()), SizeIs(10));
  EXPECT_THAT(Write(1, Clock::TimePoint(1s)), ElementsAre("x; 1 more like it were not logged"));
}

}  // namespace
}  // namespace k8s::test
