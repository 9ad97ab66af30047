#include <k8s/fields/selector.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace k8s::inline v0::fields {

namespace {

constexpr std::string_view kEscaped = "\\,=";

bool IsEscaped(char c) { return kEscaped.find(c) != std::string_view::npos; }

// Cuts at commas that have no backslash before them, and leaves empty terms out.
std::vector<std::string_view> SplitTerms(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t pos = 0; pos <= text.size(); ++pos) {
    if (pos + 1 < text.size() && text[pos] == '\\') {
      ++pos;
    } else if (pos == text.size() || text[pos] == ',') {
      if (pos > start) terms.push_back(text.substr(start, pos - start));
      start = pos + 1;
    }
  }
  return terms;
}

Result<Requirement> ParseTerm(std::string_view term) {
  const std::size_t equals = term.find('=');
  if (equals == std::string_view::npos) {
    return InvalidArgument("field selector: no =, == or != in \"" + std::string(term) + "\"");
  }
  const bool negated = equals > 0 && term[equals - 1] == '!';
  std::string_view value = term.substr(equals + 1);
  if (!negated && value.starts_with('=')) value.remove_prefix(1);
  auto unescaped = UnescapeValue(value);
  if (!unescaped) return unescaped.error();
  return Requirement{.field = std::string(term.substr(0, negated ? equals - 1 : equals)),
                     .value = *std::move(unescaped),
                     .negated = negated};
}

}  // namespace

Selector::Selector(std::vector<Requirement> requirements)
    : requirements_(std::move(requirements)) {}

bool Selector::Matches(const Set& fields) const {
  return !nothing_ && std::all_of(requirements_.begin(), requirements_.end(),
                                  [&](const Requirement& requirement) {
                                    const auto field = fields.find(requirement.field);
                                    const std::string_view value =
                                        field == fields.end() ? ""
                                                              : std::string_view(field->second);
                                    return (value == requirement.value) != requirement.negated;
                                  });
}

std::optional<std::string> Selector::RequiresExactMatch(std::string_view field) const {
  for (const Requirement& requirement : requirements_) {
    if (requirement.field == field && !requirement.negated) return requirement.value;
  }
  return std::nullopt;
}

std::string Selector::ToString() const {
  if (nothing_) return "metadata.name=,metadata.name!=";
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.field;
    out += requirement.negated ? "!=" : "=";
    out += EscapeValue(requirement.value);
  }
  return out;
}

Selector Everything() { return {}; }

Selector Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector OneTermEqualSelector(std::string field, std::string value) {
  return Selector({{.field = std::move(field), .value = std::move(value)}});
}

Selector OneTermNotEqualSelector(std::string field, std::string value) {
  return Selector({{.field = std::move(field), .value = std::move(value), .negated = true}});
}

Selector SelectorFromSet(const Set& fields) {
  std::vector<Requirement> requirements;
  for (const auto& [field, value] : fields) {
    requirements.push_back({.field = field, .value = value});
  }
  return Selector(std::move(requirements));
}

Selector AndSelectors(const std::vector<Selector>& selectors) {
  std::vector<Requirement> all;
  for (const Selector& selector : selectors) {
    if (selector.MatchesNothing()) return selector;
    all.insert(all.end(), selector.Requirements().begin(), selector.Requirements().end());
  }
  return Selector(std::move(all));
}

Result<Selector> ParseSelector(std::string_view text) {
  auto terms = SplitTerms(text);
  std::sort(terms.begin(), terms.end());  // so that equal selectors have one text
  std::vector<Requirement> requirements;
  for (const std::string_view term : terms) {
    auto requirement = ParseTerm(term);
    if (!requirement) return requirement.error();
    requirements.push_back(*std::move(requirement));
  }
  return Selector(std::move(requirements));
}

std::string EscapeValue(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (IsEscaped(c)) out += '\\';
    out += c;
  }
  return out;
}

Result<std::string> UnescapeValue(std::string_view value) {
  std::string out;
  for (std::size_t pos = 0; pos < value.size(); ++pos) {
    const bool escape = value[pos] == '\\';
    if (escape) ++pos;
    if (pos == value.size() || escape != IsEscaped(value[pos])) {
      return InvalidArgument("field selector: \"" + std::string(value) +
                             "\" has a wrong or missing escape");
    }
    out += value[pos];
  }
  return out;
}

}  // namespace k8s::inline v0::fields
