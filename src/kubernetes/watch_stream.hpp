#pragma once

#include <k8s/cache/listwatch.hpp>
#include <k8s/codec/splitter.hpp>
#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>
#include <k8s/runtime/object_type.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace k8s::inline v0::kubernetes::detail {

/// The events of a watch's body. Mirrors watch.StreamWatcher and rest/watch.Decoder.
class WatchStream final : public watch::Interface {
 public:
  /// `request` names the watch in errors.
  WatchStream(std::unique_ptr<rest::HttpResponse> response,
              std::shared_ptr<const runtime::ObjectType> type, std::string request)
      : response_(std::move(response)), type_(std::move(type)), request_(std::move(request)) {}

  Result<std::optional<watch::Event>> Next(std::stop_token stop) override;
  void SetIdleTimeout(std::chrono::milliseconds timeout) override {
    response_->SetIdleTimeout(timeout);
  }
  [[nodiscard]] std::uint64_t BytesReceived() const override { return bytes_; }

 private:
  Result<watch::Event> Decode(const codec::WatchFrame& frame) const;
  Result<watch::Event> DecodeObject(watch::EventType type, std::string_view object) const;
  Result<watch::Event> DecodeBookmark(std::string_view object) const;
  Result<watch::Event> DecodeError(std::string_view object) const;

  std::unique_ptr<rest::HttpResponse> response_;
  std::shared_ptr<const runtime::ObjectType> type_;
  std::string request_;
  codec::WatchSplitter splitter_;
  std::string chunk_;  ///< What splitter_ looks into.
  std::uint64_t bytes_ = 0;
};

}  // namespace k8s::inline v0::kubernetes::detail
