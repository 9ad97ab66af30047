#include <k8s/apis/meta/label_selector.hpp>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace k8s::inline v0::metav1 {

namespace {

using labels::Operator;

std::optional<Operator> OperatorNamed(std::string_view name) {
  if (name == "In") return Operator::kIn;
  if (name == "NotIn") return Operator::kNotIn;
  if (name == "Exists") return Operator::kExists;
  if (name == "DoesNotExist") return Operator::kDoesNotExist;
  return std::nullopt;
}

// Null for operators that a LabelSelector does not have.
const char* NameOf(Operator op) {
  switch (op) {
    case Operator::kIn:
      return "In";
    case Operator::kNotIn:
      return "NotIn";
    case Operator::kExists:
      return "Exists";
    case Operator::kDoesNotExist:
      return "DoesNotExist";
    default:
      return nullptr;
  }
}

}  // namespace

Result<labels::Selector> LabelSelectorAsSelector(const LabelSelector& selector) {
  auto result = labels::ValidatedSelectorFromSet(selector.matchLabels);
  if (!result) return result.error();
  auto requirements = result->Requirements();
  for (const LabelSelectorRequirement& expression : selector.matchExpressions) {
    const auto op = OperatorNamed(expression.operator_);
    if (!op) {
      return InvalidArgument("\"" + expression.operator_ + "\" is not a label selector operator");
    }
    auto requirement = labels::Requirement::New(expression.key, *op, expression.values);
    if (!requirement) return requirement.error();
    requirements.push_back(*std::move(requirement));
  }
  return labels::Selector(std::move(requirements));
}

Result<labels::Selector> LabelSelectorAsSelector(const Box<LabelSelector>& selector) {
  if (!selector) return labels::Nothing();
  return LabelSelectorAsSelector(*selector);
}

Result<LabelSelector> ParseToLabelSelector(std::string_view text) {
  const auto parsed = labels::Parse(text);
  if (!parsed) return parsed.error();
  LabelSelector selector;
  for (const labels::Requirement& requirement : parsed->Requirements()) {
    const Operator op = requirement.op();
    const bool is_equality = op == Operator::kEquals || op == Operator::kDoubleEquals;
    // Two values asked of one label are both kept, where Go keeps the last one only.
    if (is_equality && !selector.matchLabels.contains(requirement.key())) {
      selector.matchLabels.insert_or_assign(requirement.key(), requirement.values()[0]);
    } else if (const char* name = NameOf(is_equality ? Operator::kIn : op)) {
      selector.matchExpressions.push_back(
          {.key = requirement.key(), .operator_ = name, .values = requirement.values()});
    } else {
      return InvalidArgument("a LabelSelector cannot express \"" + requirement.ToString() + "\"");
    }
  }
  return selector;
}

}  // namespace k8s::inline v0::metav1
