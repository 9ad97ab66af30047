#include <k8s/apis/meta/time.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>

#include "runtime/json_text.hpp"

namespace k8s::inline v0::metav1 {

namespace {

using std::chrono::duration_cast;
using std::chrono::sys_days;
using std::chrono::year_month_day;
using Nanoseconds = std::chrono::nanoseconds;
using Seconds = std::chrono::seconds;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Takes an RFC 3339 text apart, with the liberties of Go's time.Parse.
class Rfc3339Parser {
 public:
  explicit Rfc3339Parser(std::string_view text) : rest_(text) {}

  // Unset if the text is not a time.
  std::optional<Instant> Parse() {
    std::int32_t nanos = 0;
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, offset = 0;
    const bool parsed = Number(4, 9999, year) && Take('-') && Number(2, 12, month) && Take('-') &&
                        Number(2, 31, day) && Take('T') && Hour(hour) && Take(':') &&
                        Number(2, 59, minute) && Take(':') && Number(2, 59, second) &&
                        Fraction(nanos) && Offset(offset) && rest_.empty();
    const year_month_day date(std::chrono::year(year),
                              std::chrono::month(static_cast<unsigned>(month)),
                              std::chrono::day(static_cast<unsigned>(day)));
    if (!parsed || !date.ok()) return std::nullopt;
    const std::int64_t days = sys_days(date).time_since_epoch().count();
    return Instant(days * 86400 + hour * 3600 + minute * 60 + second - offset, nanos);
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool Number(std::size_t digits, int max, int& value) {
    if (rest_.size() < digits || !std::all_of(rest_.begin(), rest_.begin() + digits, IsDigit)) {
      return false;
    }
    value = 0;
    for (const char c : rest_.substr(0, digits)) value = value * 10 + (c - '0');
    rest_.remove_prefix(digits);
    return value <= max;
  }

  // Go reads a one-digit hour.
  bool Hour(int& value) {
    const bool one_digit = rest_.size() > 1 && !IsDigit(rest_[1]);
    return Number(one_digit ? 1 : 2, 23, value);
  }

  // Optional. Go reads a comma like a point; digits beyond nine are cut off.
  bool Fraction(std::int32_t& nanos) {
    nanos = 0;
    if (rest_.empty() || (rest_[0] != '.' && rest_[0] != ',')) return true;
    rest_.remove_prefix(1);
    std::int32_t unit = 100'000'000;
    std::size_t digits = 0;
    for (; digits < rest_.size() && IsDigit(rest_[digits]); ++digits, unit /= 10) {
      nanos += unit * (rest_[digits] - '0');
    }
    rest_.remove_prefix(digits);
    return digits > 0;
  }

  // In seconds. Go reads offsets up to 24 hours and 60 minutes.
  bool Offset(int& value) {
    value = 0;
    if (Take('Z')) return true;
    const int sign = rest_.starts_with('-') ? -1 : 1;
    int hours = 0, minutes = 0;
    if (!(Take('+') || Take('-')) || !Number(2, 24, hours) || !Take(':') ||
        !Number(2, 60, minutes)) {
      return false;
    }
    value = sign * (hours * 3600 + minutes * 60);
    return true;
  }

  std::string_view rest_;
};

void AppendPadded(std::string& out, std::int64_t value, std::size_t width) {
  if (value < 0) out += '-';
  const std::string digits = std::to_string(value < 0 ? -value : value);
  out.append(width - std::min(width, digits.size()), '0');
  out += digits;
}

}  // namespace

Instant::Instant(SystemTime time) {
  const auto whole = std::chrono::floor<Seconds>(time);
  seconds_ = whole.time_since_epoch().count();
  nanoseconds_ = static_cast<std::int32_t>(duration_cast<Nanoseconds>(time - whole).count());
}

Instant::SystemTime Instant::ToSystemTime() const {
  constexpr auto kLast = duration_cast<Seconds>(SystemTime::max().time_since_epoch()).count() - 1;
  if (seconds_ > kLast) return SystemTime::max();
  if (seconds_ < -kLast) return SystemTime::min();
  return SystemTime(
      duration_cast<SystemTime::duration>(Seconds(seconds_) + Nanoseconds(nanoseconds_)));
}

const char* Instant::Unmarshal(std::string_view raw) {
  *this = Instant();
  if (raw == "null") return nullptr;
  std::string buffer;
  const auto text = runtime::detail::Unquote(raw, buffer);
  if (!text) return "not a string with a time";
  const auto parsed = Rfc3339Parser(*text).Parse();
  if (!parsed) return "not an RFC 3339 time";
  *this = *parsed;
  return nullptr;
}

void Instant::Marshal(std::string& out, int fraction_digits) const {
  if (IsZero()) {
    out += "null";
    return;
  }
  const std::chrono::sys_seconds time{Seconds(seconds_)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  out += '"';
  AppendPadded(out, int{date.year()}, 4);
  AppendPadded(out += '-', unsigned{date.month()}, 2);
  AppendPadded(out += '-', unsigned{date.day()}, 2);
  AppendPadded(out += 'T', clock.hours().count(), 2);
  AppendPadded(out += ':', clock.minutes().count(), 2);
  AppendPadded(out += ':', clock.seconds().count(), 2);
  if (fraction_digits > 0) {
    std::string nanos;
    AppendPadded(nanos, nanoseconds_, 9);
    (out += '.').append(nanos, 0, static_cast<std::size_t>(fraction_digits));
  }
  out += "Z\"";
}

Time Time::Now() { return Time(std::chrono::floor<Seconds>(std::chrono::system_clock::now())); }

MicroTime MicroTime::Now() {
  return MicroTime(std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now()));
}

}  // namespace k8s::inline v0::metav1
