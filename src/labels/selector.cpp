#include <k8s/labels/selector.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace k8s::inline v0::labels {

namespace {

// As Go's strconv.ParseInt, which allows a plus sign.
bool ToInt64(std::string_view text, std::int64_t& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

const char* CheckValueCount(Operator op, std::size_t count) {
  switch (op) {
    case Operator::kIn:
    case Operator::kNotIn:
      return count == 0 ? "in and notin need at least one value" : nullptr;
    case Operator::kExists:
    case Operator::kDoesNotExist:
      return count != 0 ? "exists and does not exist take no value" : nullptr;
    default:
      return count != 1 ? "exactly one value is needed" : nullptr;
  }
}

std::string_view Symbol(Operator op) {
  switch (op) {
    case Operator::kEquals:
      return "=";
    case Operator::kDoubleEquals:
      return "==";
    case Operator::kNotEquals:
      return "!=";
    case Operator::kIn:
      return " in ";
    case Operator::kNotIn:
      return " notin ";
    case Operator::kGreaterThan:
      return ">";
    case Operator::kLessThan:
      return "<";
    case Operator::kExists:
    case Operator::kDoesNotExist:
      break;
  }
  return "";
}

std::string Join(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) {
    if (&value != &values.front()) out += ',';
    out += value;
  }
  return out;
}

Error Invalid(const std::string& key, const char* reason) {
  return InvalidArgument("label requirement on \"" + key + "\": " + reason);
}

}  // namespace

Result<Requirement> Requirement::New(std::string key, Operator op,
                                     std::vector<std::string> values) {
  if (const char* reason = ValidateKey(key)) return Invalid(key, reason);
  if (const char* reason = CheckValueCount(op, values.size())) return Invalid(key, reason);
  for (const std::string& value : values) {
    if (const char* reason = ValidateValue(value)) return Invalid(key, reason);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  Requirement requirement(std::move(key), op, std::move(values));
  const bool is_bound = op == Operator::kGreaterThan || op == Operator::kLessThan;
  if (is_bound && !ToInt64(requirement.values_[0], requirement.bound_)) {
    return Invalid(requirement.key_, "the bound must be a 64-bit integer");
  }
  return requirement;
}

bool Requirement::HasValue(std::string_view value) const {
  return std::find(values_.begin(), values_.end(), value) != values_.end();
}

bool Requirement::Matches(const Set& labels) const {
  const auto label = labels.find(key_);
  const bool exists = label != labels.end();
  std::int64_t number = 0;
  switch (op_) {
    case Operator::kEquals:
    case Operator::kDoubleEquals:
    case Operator::kIn:
      return exists && HasValue(label->second);
    case Operator::kNotEquals:
    case Operator::kNotIn:
      return !exists || !HasValue(label->second);
    case Operator::kExists:
      return exists;
    case Operator::kDoesNotExist:
      return !exists;
    case Operator::kGreaterThan:
      return exists && ToInt64(label->second, number) && number > bound_;
    case Operator::kLessThan:
      return exists && ToInt64(label->second, number) && number < bound_;
  }
  return false;
}

std::string Requirement::ToString() const {
  std::string out = op_ == Operator::kDoesNotExist ? "!" : "";
  out.append(key_).append(Symbol(op_));
  const bool is_set = op_ == Operator::kIn || op_ == Operator::kNotIn;
  return out + (is_set ? "(" : "") + Join(values_) + (is_set ? ")" : "");
}

Selector::Selector(std::vector<Requirement> requirements) : requirements_(std::move(requirements)) {
  std::stable_sort(requirements_.begin(), requirements_.end(),
                   [](const auto& a, const auto& b) { return a.key() < b.key(); });
}

bool Selector::Matches(const Set& labels) const {
  return !nothing_ &&
         std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return requirement.Matches(labels); });
}

std::optional<std::string> Selector::RequiresExactMatch(std::string_view label) const {
  const auto found =
      std::find_if(requirements_.begin(), requirements_.end(),
                   [&](const auto& requirement) { return requirement.key() == label; });
  if (found == requirements_.end()) return std::nullopt;
  const Operator op = found->op();
  const bool is_equality =
      op == Operator::kEquals || op == Operator::kDoubleEquals || op == Operator::kIn;
  if (!is_equality || found->values().size() != 1) return std::nullopt;
  return found->values()[0];
}

Selector Selector::Add(Requirement requirement) const {
  if (nothing_) return *this;
  auto requirements = requirements_;
  requirements.push_back(std::move(requirement));
  return Selector(std::move(requirements));
}

std::string Selector::ToString() const {
  if (nothing_) return "none,!none";
  std::string out;
  for (const Requirement& requirement : requirements_) {
    if (!out.empty()) out += ',';
    out += requirement.ToString();
  }
  return out;
}

Selector Everything() { return {}; }

Selector Nothing() {
  Selector selector;
  selector.nothing_ = true;
  return selector;
}

Selector SelectorFromSet(const Set& labels) {
  Selector selector;
  for (const auto& [key, value] : labels) {
    selector.requirements_.push_back(Requirement(key, Operator::kEquals, {value}));
  }
  return selector;
}

Result<Selector> ValidatedSelectorFromSet(const Set& labels) {
  std::vector<Requirement> requirements;
  for (const auto& [key, value] : labels) {
    auto requirement = Requirement::New(key, Operator::kEquals, {value});
    if (!requirement) return requirement.error();
    requirements.push_back(*std::move(requirement));
  }
  return Selector(std::move(requirements));
}

}  // namespace k8s::inline v0::labels
