#include "rest/gunzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <new>

namespace k8s::inline v0::rest::detail {

namespace {
constexpr int kGzipOnly = MAX_WBITS + 16;
constexpr std::size_t kStep = std::size_t{64} << 10;
constexpr std::size_t kMaxOutput = std::size_t{1} << 20;
}  // namespace

Gunzip::Gunzip() : stream_(std::make_unique<z_stream>()) {
  if (inflateInit2(stream_.get(), kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(stream_.get()); }

bool Gunzip::Decode(std::string_view& input, std::string& out) {
  std::size_t filled = 0;
  int result = Z_OK;
  // Output that is full may hide more: zlib is asked again until it neither takes nor gives.
  do {
    if (out.size() < filled + kStep) out.resize(std::max(out.capacity(), filled + kStep));
    const auto room = std::min(out.size() - filled, kMaxOutput);
    const auto given =
        std::min<std::size_t>(input.size(), std::numeric_limits<unsigned int>::max());
    stream_->next_in = reinterpret_cast<Bytef*>(const_cast<char*>(input.data()));
    stream_->avail_in = static_cast<unsigned int>(given);
    stream_->next_out = reinterpret_cast<Bytef*>(out.data() + filled);
    stream_->avail_out = static_cast<unsigned int>(room);
    result = inflate(stream_.get(), Z_NO_FLUSH);
    filled += room - stream_->avail_out;
    input.remove_prefix(given - stream_->avail_in);
    full_ = stream_->avail_out == 0;
    inside_ = result != Z_STREAM_END && stream_->total_in > 0;
    if (result == Z_STREAM_END) inflateReset(stream_.get());
  } while ((result == Z_OK || result == Z_STREAM_END) && filled < kMaxOutput &&
           (!input.empty() || full_));
  out.resize(filled);
  // Z_BUF_ERROR: nothing to do with what is there; not an error.
  return result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
}

}  // namespace k8s::inline v0::rest::detail
