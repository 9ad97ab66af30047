#include <gtest/gtest.h>
#include <k8s/apis/meta/time.hpp>

#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "support/case_file.hpp"

namespace k8s::metav1 {
namespace {

using std::chrono::system_clock;
using namespace std::chrono_literals;

// In the notation of timestamps.txt.
std::string Show(const Instant& time) {
  if (time.IsZero()) return "zero";
  char nanos[16];
  std::snprintf(nanos, sizeof(nanos), ".%09d", static_cast<int>(time.nanoseconds()));
  return std::to_string(time.seconds()) + nanos;
}

template <class T>
std::string Read(std::string_view raw) {
  T time;
  return time.UnmarshalJSON(raw) == nullptr ? Show(time) : "error";
}

template <class T>
std::string ReadAndWrite(std::string_view raw) {
  T time;
  std::string out;
  if (time.UnmarshalJSON(raw) != nullptr) return "-";
  time.MarshalJSON(out);
  return out;
}

TEST(TimeTest, ReadsAndWritesEveryCaseAsGoDoes) {
  int rows = 0;
  for (const auto& line : testing::ReadCases("cases/timestamps.txt", "----")) {
    SCOPED_TRACE("timestamps.txt:" + std::to_string(line.number) + " " + line.column(0));
    ++rows;
    EXPECT_EQ(Read<Time>(line.column(0)), line.column(1));
    EXPECT_EQ(ReadAndWrite<Time>(line.column(0)), line.column(2));
  }
  EXPECT_GT(rows, 65);
}

// Go refuses all but six digits; what else Time reads, MicroTime reads as well.
TEST(MicroTimeTest, ReadsEveryCaseAsGoDoesOrAsTime) {
  for (const auto& line : testing::ReadCases("cases/timestamps.txt", "----")) {
    SCOPED_TRACE("timestamps.txt:" + std::to_string(line.number) + " " + line.column(0));
    const bool go_refuses = line.column(3) == "error";
    EXPECT_EQ(Read<MicroTime>(line.column(0)), line.column(go_refuses ? 1 : 3));
    if (!go_refuses) {
      EXPECT_EQ(ReadAndWrite<MicroTime>(line.column(0)), line.column(4));
    }
  }
}

TEST(MicroTimeTest, WritesSixDigitsWhateverWasRead) {
  EXPECT_EQ(ReadAndWrite<MicroTime>(R"("2024-01-02T03:04:05Z")"),
            R"("2024-01-02T03:04:05.000000Z")");
  EXPECT_EQ(ReadAndWrite<MicroTime>(R"("2024-01-02T03:04:05.1234567Z")"),
            R"("2024-01-02T03:04:05.123456Z")");
}

TEST(TimeTest, StartsUnset) {
  EXPECT_TRUE(Time().IsZero());
  EXPECT_FALSE(Time(0).IsZero());
  EXPECT_FALSE(Time(system_clock::time_point()).IsZero());
}

TEST(TimeTest, AFailedReadLeavesItUnset) {
  Time time(5);
  EXPECT_NE(time.UnmarshalJSON("\"2024-01-02T03:04:05.5\""), nullptr);
  EXPECT_TRUE(time.IsZero());
}

TEST(TimeTest, ReadsEscapes) {
  EXPECT_EQ(Read<Time>(R"("2024\u002d01-02T03:04:05\u005a")"), "1704164645.000000000");
}

TEST(TimeTest, ConvertsFromAndToSystemTime) {
  const system_clock::time_point before_epoch(-1ns);
  EXPECT_EQ(Show(Time(before_epoch)), "-1.999999999");
  EXPECT_EQ(Time(before_epoch).ToSystemTime(), before_epoch);
  const system_clock::time_point later(1704164645s + 123456789ns);
  EXPECT_EQ(Show(Time(later)), "1704164645.123456789");
  EXPECT_EQ(Time(later).ToSystemTime(), later);
}

TEST(TimeTest, TimesThatTheClockCannotHoldBecomeItsBounds) {
  EXPECT_EQ(Time().ToSystemTime(), system_clock::time_point::min());
  EXPECT_EQ(Time(253402300799).ToSystemTime(), system_clock::time_point::max());
}

TEST(TimeTest, OrdersByInstant) {
  EXPECT_LT(Time(), Time(0));
  EXPECT_LT(Time(5, 1), Time(5, 2));
  EXPECT_EQ(Time(5, 1), Time(5, 1));
}

TEST(TimeTest, NowIsInWholeUnits) {
  EXPECT_EQ(Time::Now().nanoseconds(), 0);
  EXPECT_EQ(MicroTime::Now().nanoseconds() % 1000, 0);
  EXPECT_GT(Time::Now().seconds(), 1704164645);
}

std::string ReadDuration(std::string_view raw) {
  Duration duration;
  if (duration.UnmarshalJSON(raw) != nullptr) return "error";
  return std::to_string(duration.value().count());
}

TEST(DurationTest, ReadsWhatGoReads) {
  EXPECT_EQ(ReadDuration(R"("0")"), "0");
  EXPECT_EQ(ReadDuration(R"("1h0m5s")"), "3605000000000");
  EXPECT_EQ(ReadDuration(R"("1.5s")"), "1500000000");
  EXPECT_EQ(ReadDuration(R"("-.5m")"), "-30000000000");
  EXPECT_EQ(ReadDuration(R"("+5s")"), "5000000000");
  EXPECT_EQ(ReadDuration(R"("1us2µs3μs4ns")"), "6004");
  EXPECT_EQ(ReadDuration(R"("5s1h")"), "3605000000000");
  EXPECT_EQ(ReadDuration(R"("0.1000000000000000000000000000000000001h")"), "360000000000");
  EXPECT_EQ(ReadDuration(R"("2540400h10m10.000000000s")"), "9145440610000000000");
  EXPECT_EQ(ReadDuration(R"("-9223372036854775808ns")"), "-9223372036854775808");
}

TEST(DurationTest, RefusesWhatGoRefuses) {
  for (const char* raw :
       {R"("")", R"("3")", R"("-")", R"("s")", R"(".")", R"(".s")", R"("1d")", R"("1 s")",
        R"("1s ")", R"("3000000h")", R"("9223372036854775808ns")", R"("9223372036854775807s")",
        R"("99999999999999999999ns")", "5", "null", "true", "{}"}) {
    EXPECT_EQ(ReadDuration(raw), "error") << raw;
  }
}

TEST(DurationTest, WritesWhatGoWrites) {
  EXPECT_EQ(Duration(0ns).ToString(), "0s");
  EXPECT_EQ(Duration(1ns).ToString(), "1ns");
  EXPECT_EQ(Duration(1100ns).ToString(), "1.1µs");
  EXPECT_EQ(Duration(2200us).ToString(), "2.2ms");
  EXPECT_EQ(Duration(3300ms).ToString(), "3.3s");
  EXPECT_EQ(Duration(4min + 5s).ToString(), "4m5s");
  EXPECT_EQ(Duration(4min + 5001ms).ToString(), "4m5.001s");
  EXPECT_EQ(Duration(1h + 5s).ToString(), "1h0m5s");
  EXPECT_EQ(Duration(-(5h + 6min + 7001ms)).ToString(), "-5h6m7.001s");
  EXPECT_EQ(Duration(std::chrono::nanoseconds::max()).ToString(), "2562047h47m16.854775807s");
  EXPECT_EQ(Duration(std::chrono::nanoseconds::min()).ToString(), "-2562047h47m16.854775808s");
  std::string out;
  Duration(90s).MarshalJSON(out);
  EXPECT_EQ(out, "\"1m30s\"");
}

}  // namespace
}  // namespace k8s::metav1
