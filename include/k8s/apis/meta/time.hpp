#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace k8s::inline v0::metav1 {

/// A point in time with nanoseconds, or unset. What Time and MicroTime have in common.
///
/// The unset state is Go's zero time, 0001-01-01T00:00:00Z; it is null in JSON.
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
class Instant {
 public:
  using SystemTime = std::chrono::system_clock::time_point;

  Instant() = default;
  /// Requires: 0 <= nanoseconds < 1e9, also for times before 1970.
  explicit Instant(std::int64_t seconds_since_epoch, std::int32_t nanoseconds = 0)
      : seconds_(seconds_since_epoch), nanoseconds_(nanoseconds) {}
  Instant(SystemTime time);  // NOLINT: a time_point is an instant

  [[nodiscard]] bool IsZero() const { return *this == Instant(); }
  /// Whole seconds since 1970-01-01 UTC, rounded towards the past.
  [[nodiscard]] std::int64_t seconds() const { return seconds_; }
  [[nodiscard]] std::int32_t nanoseconds() const { return nanoseconds_; }
  /// Years outside of what the clock can hold (1678 to 2261) become its first or last moment.
  [[nodiscard]] SystemTime ToSystemTime() const;

  friend auto operator<=>(const Instant&, const Instant&) = default;

 protected:
  const char* Unmarshal(std::string_view raw);
  void Marshal(std::string& out, int fraction_digits) const;

 private:
  static constexpr std::int64_t kUnset = -62135596800;

  std::int64_t seconds_ = kUnset;
  std::int32_t nanoseconds_ = 0;
};

/// The time of creationTimestamp, deletionTimestamp and conditions. Reads RFC 3339 with any number
/// of fractional digits (beyond nine they are cut off); writes UTC and whole seconds, cutting the
/// fraction off. Mirrors metav1.Time.
class Time : public Instant {
 public:
  using Instant::Instant;

  const char* UnmarshalJSON(std::string_view raw) { return Unmarshal(raw); }
  void MarshalJSON(std::string& out) const { Marshal(out, 0); }
  /// The present, in whole seconds as a server would keep it.
  [[nodiscard]] static Time Now();
};

/// The time of Lease renewals and Event series. Writes exactly six fractional digits, which API
/// servers insist on. Mirrors metav1.MicroTime, but reads all that Time reads.
class MicroTime : public Instant {
 public:
  using Instant::Instant;

  const char* UnmarshalJSON(std::string_view raw) { return Unmarshal(raw); }
  void MarshalJSON(std::string& out) const { Marshal(out, 6); }
  /// The present, in whole microseconds.
  [[nodiscard]] static MicroTime Now();
};

/// A span of time, in JSON the text Go writes: "1h0m5s", "1.5s", "100ms". Mirrors metav1.Duration.
class Duration {
 public:
  Duration() = default;
  constexpr Duration(std::chrono::nanoseconds value)  // NOLINT: a chrono duration is a duration
      : value_(value) {}

  [[nodiscard]] constexpr std::chrono::nanoseconds value() const { return value_; }
  [[nodiscard]] bool IsZero() const { return value_.count() == 0; }
  /// Mirrors Go's time.Duration.String.
  [[nodiscard]] std::string ToString() const;

  const char* UnmarshalJSON(std::string_view raw);
  void MarshalJSON(std::string& out) const;

  friend auto operator<=>(const Duration&, const Duration&) = default;

 private:
  std::chrono::nanoseconds value_{0};
};

}  // namespace k8s::inline v0::metav1
