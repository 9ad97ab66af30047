#include "continue_token.hpp"

#include "json.hpp"
#include "status.hpp"

namespace k8s::inline v0::testing {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Base64Url(std::string_view bytes) {
  std::string text;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char byte : bytes) {
    bits = (bits << 8) | static_cast<unsigned char>(byte);
    for (count += 8; count >= 6; count -= 6) text += kAlphabet[(bits >> (count - 6)) & 63];
  }
  if (count > 0) text += kAlphabet[(bits << (6 - count)) & 63];
  return text;
}

/// Characters that do not belong are skipped: the JSON inside shows whether it is a token.
std::string FromBase64Url(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const auto value = kAlphabet.find(c);
    if (value == kAlphabet.npos) continue;
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255);
  }
  return bytes;
}

}  // namespace

std::string ContinueToken::Encode() const {
  return Base64Url(Dump(Json{{"v", "meta.k8s.io/v1"}, {"rv", version}, {"start", start}}));
}

Result<ContinueToken> ContinueToken::Decode(std::string_view text) {
  const Json json = Json::parse(FromBase64Url(text), nullptr, false);
  const Json* version = At(json, {"rv"});
  if (version == nullptr || !version->is_number_integer() || At(json, {"start"}) == nullptr) {
    return BadRequest("invalid continue token: continue key is not valid");
  }
  return ContinueToken{version->get<std::int64_t>(), TextAt(json, {"start"})};
}

}  // namespace k8s::inline v0::testing
