#include "rest/curl_response.hpp"

#include <utility>

#include "rest/ascii.hpp"

namespace k8s::inline v0::rest::detail {

CurlResponse::~CurlResponse() {
  if (!transfer_->exchange().Finished()) engine_->Abandon(std::move(transfer_));
}

Result<void> CurlResponse::AwaitHead(const std::stop_token& stop) {
  if (auto head = transfer_->exchange().AwaitHead(stop); !head) return Judged(head.error());
  const auto encoding = header("Content-Encoding");
  if (encoding.empty() || EqualsIgnoringCase(encoding, "identity")) return {};
  if (!EqualsIgnoringCase(encoding, "gzip")) {
    return Error{.kind = ErrorKind::kProtocol,
                 .message = transfer_->exchange().what() + ": unknown Content-Encoding " +
                            std::string(encoding)};
  }
  gunzip_.emplace();
  return {};
}

std::string_view CurlResponse::header(std::string_view name) const {
  for (const auto& [key, value] : headers()) {
    if (EqualsIgnoringCase(key, name)) return value;
  }
  return {};
}

Result<bool> CurlResponse::Read(std::string& chunk, std::stop_token stop) {
  return gunzip_ ? ReadGzip(chunk, stop) : ReadRaw(chunk, stop);
}

Result<bool> CurlResponse::ReadRaw(std::string& chunk, const std::stop_token& stop) {
  auto taken = transfer_->exchange().Take(chunk, stop);
  if (!taken) return Judged(std::move(taken).error());
  if (taken->resume) engine_->Resume(transfer_);
  return taken->more;
}

Error CurlResponse::Judged(Error error) const {
  // At once: what the reader asks for next, while this exchange is still open, should not go to a
  // dead connection.
  if (error.reason == kReasonSilence) engine_->Suspect(*transfer_);
  return error;
}

Result<bool> CurlResponse::ReadGzip(std::string& chunk, const std::stop_token& stop) {
  while (true) {
    if (stop.stop_requested()) return Cancelled(transfer_->exchange().what());
    if (packed_left_.empty() && !gunzip_->HasMore()) {
      auto more = ReadRaw(packed_, stop);
      if (!more) return more;
      packed_left_ = packed_;
      if (!*more) break;
    }
    if (!gunzip_->Decode(packed_left_, chunk)) {
      return Error{.kind = ErrorKind::kProtocol,
                   .message = transfer_->exchange().what() + ": the body is not valid gzip"};
    }
    if (!chunk.empty()) return true;
  }
  chunk.clear();
  if (gunzip_->Complete()) return false;
  return Error{.kind = ErrorKind::kConnectionLost,
               .message = transfer_->exchange().what() + ": the body ended inside its gzip data"};
}

}  // namespace k8s::inline v0::rest::detail
