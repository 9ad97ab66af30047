#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>
#include <k8s/log.hpp>

#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace k8s::log {
namespace {

using Lines = std::vector<std::pair<Level, std::string>>;

class LogTest : public ::testing::Test {
 protected:
  void Record() {
    SetSink([this](Level level, std::string_view line) { lines_.emplace_back(level, line); });
  }
  void TearDown() override {
    SetSink(nullptr);
    SetLevel(Level::kInfo);
  }

  Lines lines_;
};

// The first test of this program: nothing has replaced the sink yet.
TEST_F(LogTest, TheDefaultSinkIsTheProgramsLoggerOrStandardError) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Write(Level::kWarning, "not between the program's own lines");
  EXPECT_EQ(::testing::internal::GetCapturedStdout(), "");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(),
              ::testing::HasSubstr("[warning] not between the program's own lines\n"));

  std::ostringstream text;
  const auto before = spdlog::default_logger();
  auto logger = std::make_shared<spdlog::logger>(
      "test", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  logger->set_pattern("%l|%v");
  spdlog::set_default_logger(logger);
  Write(Level::kWarning, "braces {} are text");
  spdlog::set_default_logger(before);
  EXPECT_EQ(text.str(), "warning|braces {} are text\n");
}

TEST_F(LogTest, LinesReachTheSink) {
  Record();
  Write(Level::kInfo, "one");
  Write(Level::kError, "two");
  EXPECT_EQ(lines_, (Lines{{Level::kInfo, "one"}, {Level::kError, "two"}}));
}

TEST_F(LogTest, LinesBelowTheLevelAreDropped) {
  Record();
  Write(Level::kDebug, "by default");
  EXPECT_FALSE(Enabled(Level::kDebug));
  SetLevel(Level::kError);
  Write(Level::kWarning, "below");
  EXPECT_FALSE(Enabled(Level::kWarning));
  EXPECT_TRUE(Enabled(Level::kError));
  SetLevel(Level::kDebug);
  Write(Level::kDebug, "seen");
  EXPECT_EQ(lines_, (Lines{{Level::kDebug, "seen"}}));
}

TEST_F(LogTest, AnEmptySinkSilencesTheLibrary) {
  SetSink(nullptr);
  Write(Level::kError, "nobody");
  EXPECT_FALSE(Enabled(Level::kError));
}

TEST_F(LogTest, ASinkThatThrowsIsIgnored) {
  SetSink([](Level, std::string_view) { throw std::runtime_error("disk full"); });
  EXPECT_NO_THROW(Write(Level::kError, "x"));
}

TEST_F(LogTest, ASinkMayReplaceItself) {
  SetSink([this](Level, std::string_view) { Record(); });
  Write(Level::kInfo, "first");
  Write(Level::kInfo, "second");
  EXPECT_EQ(lines_, (Lines{{Level::kInfo, "second"}}));
}

}  // namespace
}  // namespace k8s::log
