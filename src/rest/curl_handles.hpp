#pragma once

#include <curl/curl.h>

#include <memory>
#include <string>

namespace k8s::inline v0::rest::detail {

struct EasyDeleter {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDeleter>;

struct MultiDeleter {
  void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};
using MultiHandle = std::unique_ptr<CURLM, MultiDeleter>;

struct UrlDeleter {
  void operator()(CURLU* handle) const { curl_url_cleanup(handle); }
};
using UrlHandle = std::unique_ptr<CURLU, UrlDeleter>;

/// A curl_slist that grows at its end.
class StringList {
 public:
  StringList() = default;
  StringList(const StringList&) = delete;
  StringList& operator=(const StringList&) = delete;
  ~StringList() { curl_slist_free_all(list_); }

  void Append(const std::string& line) {
    // On failure curl leaves the list as it was.
    if (auto* longer = curl_slist_append(list_, line.c_str())) list_ = longer;
  }
  [[nodiscard]] curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

}  // namespace k8s::inline v0::rest::detail
