#include <k8s/labels/selector.hpp>

#include <algorithm>
#include <cstddef>

namespace k8s::inline v0::labels {

namespace {

constexpr std::string_view kSpaces = " \t\r\n";
constexpr std::string_view kSymbols = "=!(),<>";

// A recursive-descent parser that looks one token ahead. The token is a symbol ("==", "(") or a
// word; it is empty at the end.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), rest_(text) { Next(); }

  Result<Selector> Parse() {
    std::vector<Requirement> requirements;
    while (!AtEnd()) {
      auto requirement = ParseRequirement();
      if (!requirement) return requirement.error();
      requirements.push_back(*std::move(requirement));
      if (AtEnd()) break;
      if (!Take(",")) return Unexpected("',' or the end");
      if (AtEnd()) return Unexpected("a requirement after ','");
    }
    return Selector(std::move(requirements));
  }

 private:
  Result<Requirement> ParseRequirement() {
    const bool negated = Take("!");
    if (!IsWord()) return Unexpected("a key");
    std::string key(TakeToken());
    if (negated) return Requirement::New(std::move(key), Operator::kDoesNotExist);
    if (AtEnd() || token_ == ",") return Requirement::New(std::move(key), Operator::kExists);
    const auto op = TakeOperator();
    if (!op) return Unexpected("an operator");
    const bool is_set = *op == Operator::kIn || *op == Operator::kNotIn;
    auto values = is_set ? ParseValues() : ParseValue();
    if (!values) return values.error();
    return Requirement::New(std::move(key), *op, *std::move(values));
  }

  std::optional<Operator> TakeOperator() {
    struct Entry {
      std::string_view token;
      Operator op;
    };
    constexpr Entry kOperators[] = {
        {"=", Operator::kEquals},   {"==", Operator::kDoubleEquals}, {"!=", Operator::kNotEquals},
        {"in", Operator::kIn},      {"notin", Operator::kNotIn},     {">", Operator::kGreaterThan},
        {"<", Operator::kLessThan},
    };
    for (const Entry& entry : kOperators) {
      if (Take(entry.token)) return entry.op;
    }
    return std::nullopt;
  }

  // One value, which may be missing: "app=".
  Result<std::vector<std::string>> ParseValue() {
    if (AtEnd() || token_ == ",") return std::vector<std::string>{""};
    if (!IsWord()) return Unexpected("a value");
    return std::vector<std::string>{std::string(TakeToken())};
  }

  // "(a,b)"; each value may be missing.
  Result<std::vector<std::string>> ParseValues() {
    if (!Take("(")) return Unexpected("'('");
    std::vector<std::string> values;
    for (;;) {
      values.emplace_back(IsWord() ? TakeToken() : "");
      if (Take(")")) return values;
      if (!Take(",")) return Unexpected("',' or ')'");
    }
  }

  [[nodiscard]] bool AtEnd() const { return token_.empty(); }
  [[nodiscard]] bool IsWord() const {
    return !AtEnd() && kSymbols.find(token_[0]) == std::string_view::npos;
  }

  bool Take(std::string_view token) {
    if (token_ != token) return false;
    Next();
    return true;
  }

  std::string_view TakeToken() {
    const std::string_view token = token_;
    Next();
    return token;
  }

  void Next() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kSpaces), rest_.size()));
    std::size_t size = 1;
    if (rest_.empty()) {
      size = 0;
    } else if (rest_.starts_with("==") || rest_.starts_with("!=")) {
      size = 2;
    } else if (kSymbols.find(rest_[0]) == std::string_view::npos) {
      size = std::min(rest_.find_first_of("=!(),<> \t\r\n"), rest_.size());
    }
    token_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  [[nodiscard]] Error Unexpected(std::string_view expected) const {
    std::string message = "label selector \"" + std::string(text_) + "\": found ";
    message += AtEnd() ? "the end" : "\"" + std::string(token_) + "\"";
    return InvalidArgument(message.append(", expected ").append(expected));
  }

  std::string_view text_;
  std::string_view rest_;
  std::string_view token_;
};

}  // namespace

Result<Selector> Parse(std::string_view text) { return Parser(text).Parse(); }

}  // namespace k8s::inline v0::labels
