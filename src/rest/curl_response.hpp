#pragma once

#include <k8s/rest/transport.hpp>
#include <k8s/result.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "rest/curl_engine.hpp"
#include "rest/gunzip.hpp"
#include "rest/transfer.hpp"

namespace k8s::inline v0::rest::detail {

/// The reader's end of a Transfer; un-gzips on the reader's thread.
class CurlResponse final : public HttpResponse {
 public:
  CurlResponse(std::shared_ptr<CurlEngine> engine, std::shared_ptr<Transfer> transfer)
      : engine_(std::move(engine)), transfer_(std::move(transfer)) {}
  ~CurlResponse() override;

  /// Waits for the head and prepares for the body's encoding. Requires: called once, first.
  Result<void> AwaitHead(const std::stop_token& stop);

  [[nodiscard]] const Timings& timings() const { return transfer_->exchange().timings(); }
  [[nodiscard]] int status() const override { return transfer_->exchange().status(); }
  [[nodiscard]] std::string_view header(std::string_view name) const override;
  [[nodiscard]] const Headers& headers() const override { return transfer_->exchange().headers(); }
  Result<bool> Read(std::string& chunk, std::stop_token stop) override;
  void SetIdleTimeout(std::chrono::milliseconds timeout) override {
    transfer_->exchange().SetIdleTimeout(timeout);
  }

 private:
  Result<bool> ReadRaw(std::string& chunk, const std::stop_token& stop);
  Result<bool> ReadGzip(std::string& chunk, const std::stop_token& stop);
  /// Tells the engine of silence; returns the same error.
  Error Judged(Error error) const;

  std::shared_ptr<CurlEngine> engine_;
  std::shared_ptr<Transfer> transfer_;
  std::optional<Gunzip> gunzip_;
  std::string packed_;            ///< What gunzip_ reads from.
  std::string_view packed_left_;  ///< The part of packed_ not yet read.
};

}  // namespace k8s::inline v0::rest::detail
