#include "times.hpp"

#include <algorithm>
#include <ctime>
#include <random>

namespace k8s::inline v0::testing {
namespace {

std::string Format(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &parts)};
}

char Pick(std::string_view alphabet) {
  thread_local std::mt19937_64 random{std::random_device{}()};
  return alphabet[random() % alphabet.size()];
}

}  // namespace

std::string NowText() { return Format("%Y-%m-%dT%H:%M:%SZ"); }

std::string HttpDate() { return Format("%a, %d %b %Y %H:%M:%S GMT"); }

std::string HumanAge(std::string_view timestamp) {
  std::tm parts{};
  if (strptime(std::string(timestamp).c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts) == nullptr) {
    return "<unknown>";
  }
  const long seconds = std::max(0L, static_cast<long>(std::time(nullptr) - timegm(&parts)));
  if (seconds < 120) return std::to_string(seconds) + "s";
  if (seconds < 3 * 3600) return std::to_string(seconds / 60) + "m";
  if (seconds < 48 * 3600) return std::to_string(seconds / 3600) + "h";
  return std::to_string(seconds / 86400) + "d";
}

std::string NewUid() {
  std::string uid = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
  for (char& c : uid) {
    if (c == 'x') c = Pick("0123456789abcdef");
    if (c == 'y') c = Pick("89ab");
  }
  return uid;
}

std::string RandomSuffix(int count) {
  std::string suffix;
  while (count-- > 0) suffix += Pick("bcdfghjklmnpqrstvwxz2456789");
  return suffix;
}

}  // namespace k8s::inline v0::testing
