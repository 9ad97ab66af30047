#include "rest/curl_url.hpp"

namespace k8s::inline v0::rest::detail {

UrlHandle ParseUrl(const std::string& text, std::string* why) {
  UrlHandle url(curl_url());
  const auto code = url == nullptr ? CURLUE_OUT_OF_MEMORY
                                   : curl_url_set(url.get(), CURLUPART_URL, text.c_str(),
                                                  CURLU_NON_SUPPORT_SCHEME);
  if (code == CURLUE_OK) return url;
  if (why != nullptr) *why = curl_url_strerror(code);
  return nullptr;
}

std::string PartOf(CURLU* url, CURLUPart part, unsigned flags) {
  char* text = nullptr;
  if (curl_url_get(url, part, &text, flags) != CURLUE_OK) return {};
  std::string out(text);
  curl_free(text);
  return out;
}

}  // namespace k8s::inline v0::rest::detail
