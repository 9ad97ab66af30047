#include "rest/url.hpp"

#include <k8s/error.hpp>
#include <k8s/rest/client.hpp>

#include <string>
#include <string_view>

namespace k8s::inline v0::rest {

namespace detail {

namespace {

constexpr std::string_view kUnreserved =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
constexpr std::string_view kPathExtra = "$&+,:;=@";

void AppendEscaped(char c, std::string& out) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4U];
  out += kDigits[byte & 15U];
}

bool Contains(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }

}  // namespace

void AppendPathSegment(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (Contains(kUnreserved, c) || Contains(kPathExtra, c)) {
      out += c;
    } else {
      AppendEscaped(c, out);
    }
  }
}

void AppendQueryPart(std::string_view text, std::string& out) {
  for (const char c : text) {
    if (Contains(kUnreserved, c)) {
      out += c;
    } else {
      AppendEscaped(c, out);
    }
  }
}

}  // namespace detail

namespace {

/// Why a text cannot be a path segment, or "". A server would read "a%2Fb" as two segments and ".."
/// as a step up: another resource than the one that was meant.
std::string_view SegmentFault(std::string_view text) {
  if (text == ".") return "may not be '.'";
  if (text == "..") return "may not be '..'";
  if (text.find('/') != std::string_view::npos) return "may not contain '/'";
  if (text.find('%') != std::string_view::npos) return "may not contain '%'";
  return {};
}

Result<void> AppendChecked(std::string_view what, std::string_view text, std::string& out) {
  if (const auto fault = SegmentFault(text); !fault.empty()) {
    return InvalidArgument("invalid " + std::string(what) + " \"" + std::string(text) +
                           "\": " + std::string(fault));
  }
  out += '/';
  detail::AppendPathSegment(text, out);
  return {};
}

Result<void> CheckNames(const ResourceInfo& info, const ResourcePath& path) {
  if (info.version.empty() || info.plural.empty()) {
    return InvalidArgument("a resource has a version and a plural name, but they are \"" +
                           info.version + "\" and \"" + info.plural + "\"");
  }
  if (!path.subresource.empty() && path.name.empty()) {
    return InvalidArgument("a subresource needs a resource name");
  }
  if (!info.Namespaced() && !path.namespace_.empty()) {
    return InvalidArgument(info.plural + " is not namespaced, but a namespace was given");
  }
  if (info.Namespaced() && path.namespace_.empty() && !path.name.empty()) {
    return InvalidArgument("a namespace is needed for " + info.plural + " \"" + path.name + "\"");
  }
  return {};
}

}  // namespace

Result<std::string> PathOf(const ResourceInfo& info, const ResourcePath& path) {
  if (auto checked = CheckNames(info, path); !checked) return checked.error();
  std::string out = info.group.empty() ? "/api" : "/apis";
  const auto append = [&out](std::string_view what, std::string_view text) -> Result<void> {
    if (text.empty()) return {};
    return AppendChecked(what, text, out);
  };
  if (auto done = append("group", info.group); !done) return done.error();
  if (auto done = append("version", info.version); !done) return done.error();
  if (!path.namespace_.empty()) {
    out += "/namespaces";
    if (auto done = append("namespace", path.namespace_); !done) return done.error();
  }
  if (auto done = append("resource", info.plural); !done) return done.error();
  if (auto done = append("resource name", path.name); !done) return done.error();
  if (auto done = append("subresource", path.subresource); !done) return done.error();
  return out;
}

std::string EncodeQuery(const Query& query) {
  std::string out;
  for (const auto& [key, value] : query) {
    if (!out.empty()) out += '&';
    detail::AppendQueryPart(key, out);
    out += '=';
    detail::AppendQueryPart(value, out);
  }
  return out;
}

}  // namespace k8s::inline v0::rest
