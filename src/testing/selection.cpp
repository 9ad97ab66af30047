#include "selection.hpp"

#include <k8s/labels/selector.hpp>

#include "status.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace k8s::inline v0::testing {
namespace {

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const auto first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// Splits at commas outside of parentheses.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (text[i] == ',' && depth == 0) {
      terms.push_back(Trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  if (!Trim(text).empty()) terms.push_back(Trim(text.substr(begin)));
  return terms;
}

std::optional<long long> Number(std::string_view text) {
  long long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string> ValuesInParentheses(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  std::vector<std::string> values;
  if (open == std::string_view::npos || close == std::string_view::npos) return values;
  for (const std::string_view value : SplitTerms(text.substr(open + 1, close - open - 1))) {
    values.emplace_back(value);
  }
  if (values.empty()) values.emplace_back();
  return values;
}

Error BadLabelSelector(std::string_view text) {
  return BadRequest("unable to parse requirement: found '" + std::string(text) +
                    "', expected: identifier");
}

}  // namespace

Result<Selection> Selection::Parse(const ServedResource& resource, std::string_view namespace_,
                                   std::string_view label_selector,
                                   std::string_view field_selector) {
  Selection selection;
  selection.namespace_ = namespace_;
  if (auto added = selection.AddLabels(label_selector); !added) return added.error();
  if (auto added = selection.AddFields(resource, field_selector); !added) return added.error();
  return selection;
}

bool Selection::Matches(const StoredObject& object) const {
  if (!namespace_.empty() && object.namespace_ != namespace_) return false;
  const auto matches = [&](const auto& requirement) { return requirement.Matches(object); };
  return std::all_of(labels_.begin(), labels_.end(), matches) &&
         std::all_of(fields_.begin(), fields_.end(), matches);
}

bool Selection::LabelRequirement::Matches(const StoredObject& object) const {
  const auto found = object.labels.find(key);
  const bool present = found != object.labels.end();
  const auto listed = [&] {
    return std::find(values.begin(), values.end(), found->second) != values.end();
  };
  switch (op) {
    case Operator::kExists:
      return present;
    case Operator::kDoesNotExist:
      return !present;
    case Operator::kIn:
      return present && listed();
    case Operator::kNotIn:
      return !present || !listed();
    case Operator::kGreaterThan:
    case Operator::kLessThan:
      break;
  }
  const auto value = present ? Number(found->second) : std::nullopt;
  const auto bound = Number(values.front());
  if (!value || !bound) return false;
  return op == Operator::kGreaterThan ? *value > *bound : *value < *bound;
}

bool Selection::FieldRequirement::Matches(const StoredObject& object) const {
  const std::string& actual = key == "metadata.name"        ? object.name
                              : key == "metadata.namespace" ? object.namespace_
                                                            : object.fields[index];
  return (actual == value) == equal;
}

Result<void> Selection::AddLabels(std::string_view text) {
  if (auto parsed = labels::Parse(text); !parsed) {
    return BadRequest("unable to parse requirement: " + parsed.error().message);
  }
  for (const std::string_view term : SplitTerms(text)) {
    if (auto added = AddLabel(term); !added) return added;
  }
  return {};
}

Result<void> Selection::AddLabel(std::string_view text) {
  struct Form {
    std::string_view token;
    Operator op;
  };
  // Longer tokens first: "notin" holds "in", "==" and "!=" hold "=".
  static constexpr Form kInfix[] = {
      {"!=", Operator::kNotIn},     {"==", Operator::kIn},  {"=", Operator::kIn},
      {" notin", Operator::kNotIn}, {" in", Operator::kIn}, {">", Operator::kGreaterThan},
      {"<", Operator::kLessThan},
  };
  if (text.empty()) return BadLabelSelector(text);
  for (const Form& form : kInfix) {
    const bool is_set = form.token.front() == ' ';
    const auto at = is_set ? text.find(std::string(form.token) + " (") : text.find(form.token);
    const auto tight =
        is_set && at == std::string_view::npos ? text.find(std::string(form.token) + "(") : at;
    if (tight == std::string_view::npos) continue;
    LabelRequirement requirement{std::string(Trim(text.substr(0, tight))), form.op};
    requirement.values =
        is_set
            ? ValuesInParentheses(text)
            : std::vector<std::string>{std::string(Trim(text.substr(tight + form.token.size())))};
    if (requirement.key.empty()) return BadLabelSelector(text);
    labels_.push_back(std::move(requirement));
    return {};
  }
  if (text.find_first_of(" ()") != std::string_view::npos) return BadLabelSelector(text);
  const bool absent = text.front() == '!';
  labels_.push_back({std::string(Trim(text.substr(absent ? 1 : 0))),
                     absent ? Operator::kDoesNotExist : Operator::kExists});
  return {};
}

Result<void> Selection::AddFields(const ServedResource& resource, std::string_view text) {
  for (const std::string_view term : SplitTerms(text)) {
    if (auto added = AddField(resource, term); !added) return added;
  }
  return {};
}

Result<void> Selection::AddField(const ServedResource& resource, std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) {
    return BadRequest("invalid selector: '" + std::string(text) + "'; can't understand '" +
                      std::string(text) + "'");
  }
  FieldRequirement requirement;
  requirement.equal = equals == 0 || text[equals - 1] != '!';
  requirement.key = text.substr(0, requirement.equal ? equals : equals - 1);
  const bool doubled = equals + 1 < text.size() && text[equals + 1] == '=';
  requirement.value = text.substr(equals + (doubled ? 2 : 1));
  const auto& known = FieldLabels(resource.info);
  const auto found = std::find(known.begin(), known.end(), requirement.key);
  if (found == known.end() && requirement.key != "metadata.name" &&
      requirement.key != "metadata.namespace") {
    return BadRequest("field label not supported: " + requirement.key);
  }
  requirement.index = static_cast<std::size_t>(found - known.begin());
  fields_.push_back(std::move(requirement));
  return {};
}

}  // namespace k8s::inline v0::testing
