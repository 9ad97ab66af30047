#include "kubernetes/options.hpp"

#include <k8s/apis/meta/v1.hpp>
#include <k8s/codec/codec.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::kubernetes::detail {

namespace {

void Add(rest::Query& query, std::string_view key, const std::string& value) {
  if (!value.empty()) query.emplace_back(key, value);
}

void Add(rest::Query& query, std::string_view key, const std::vector<std::string>& values) {
  for (const auto& value : values) query.emplace_back(key, value);
}

void Add(rest::Query& query, std::string_view key, std::optional<bool> value) {
  if (value) query.emplace_back(key, *value ? "true" : "false");
}

void Add(rest::Query& query, std::string_view key, std::optional<std::int64_t> value) {
  if (value) query.emplace_back(key, std::to_string(*value));
}

/// The flags and numbers whose zero is "not set".
std::optional<bool> IfSet(bool value) { return value ? std::optional(true) : std::nullopt; }
std::optional<std::int64_t> IfSet(std::int64_t value) {
  return value != 0 ? std::optional(value) : std::nullopt;
}

template <class Options>
rest::Query WriteQuery(const Options& options) {
  rest::Query query;
  Add(query, "dryRun", options.dryRun);
  Add(query, "fieldManager", options.fieldManager);
  Add(query, "fieldValidation", options.fieldValidation);
  return query;
}

}  // namespace

rest::Query QueryOf(const metav1::GetOptions& options) {
  rest::Query query;
  Add(query, "resourceVersion", options.resourceVersion);
  return query;
}

rest::Query QueryOf(const metav1::ListOptions& options) {
  rest::Query query;
  Add(query, "allowWatchBookmarks", IfSet(options.allowWatchBookmarks));
  Add(query, "continue", options.continue_);
  Add(query, "fieldSelector", options.fieldSelector);
  Add(query, "labelSelector", options.labelSelector);
  Add(query, "limit", IfSet(options.limit));
  Add(query, "resourceVersion", options.resourceVersion);
  Add(query, "resourceVersionMatch", options.resourceVersionMatch);
  Add(query, "sendInitialEvents", options.sendInitialEvents);
  Add(query, "shardSelector", options.shardSelector);
  Add(query, "timeoutSeconds", options.timeoutSeconds);
  Add(query, "watch", IfSet(options.watch));
  return query;
}

rest::Query QueryOf(const metav1::CreateOptions& options) { return WriteQuery(options); }
rest::Query QueryOf(const metav1::UpdateOptions& options) { return WriteQuery(options); }

rest::Query QueryOf(const metav1::PatchOptions& options) {
  auto query = WriteQuery(options);
  Add(query, "force", options.force);
  return query;
}

std::string BodyOf(metav1::DeleteOptions options) {
  options.kind = "DeleteOptions";
  options.apiVersion = "v1";
  return codec::Encode(options);
}

}  // namespace k8s::inline v0::kubernetes::detail
