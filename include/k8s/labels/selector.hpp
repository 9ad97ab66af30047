#pragma once

#include <k8s/result.hpp>
#include <k8s/string_map.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace k8s::inline v0::labels {

/// An object's labels. Mirrors labels.Set.
using Set = StringMap<std::string>;

/// Mirrors selection.Operator.
enum class Operator : std::uint8_t {
  kEquals,        ///< key=value
  kDoubleEquals,  ///< key==value
  kNotEquals,     ///< key!=value; also matches objects without the key
  kIn,            ///< key in (a,b)
  kNotIn,         ///< key notin (a,b); also matches objects without the key
  kExists,        ///< key
  kDoesNotExist,  ///< !key
  kGreaterThan,   ///< key>5, compared as 64-bit integers
  kLessThan,      ///< key<5
};

class Selector;

/// One condition on one label.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
class Requirement {
 public:
  /// Errors: kInvalidArgument for a key or value that is not one of a label, for a wrong number of
  /// values, and for bounds that are not 64-bit integers. Mirrors labels.NewRequirement.
  [[nodiscard]] static Result<Requirement> New(std::string key, Operator op,
                                               std::vector<std::string> values = {});

  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] Operator op() const { return op_; }
  /// In ascending order, each once.
  [[nodiscard]] const std::vector<std::string>& values() const { return values_; }

  /// Does not allocate.
  [[nodiscard]] bool Matches(const Set& labels) const;
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const Requirement&, const Requirement&) = default;

 private:
  friend Selector SelectorFromSet(const Set& labels);
  Requirement(std::string key, Operator op, std::vector<std::string> values)
      : key_(std::move(key)), op_(op), values_(std::move(values)) {}

  [[nodiscard]] bool HasValue(std::string_view value) const;

  std::string key_;
  Operator op_;
  std::vector<std::string> values_;
  std::int64_t bound_ = 0;  // the value of kGreaterThan and kLessThan
};

/// A choice of objects by their labels: those that meet all requirements, or none at all.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
/// **Mirrors** labels.Selector.
class Selector {
 public:
  /// Matches everything.
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements);

  /// Does not allocate.
  [[nodiscard]] bool Matches(const Set& labels) const;
  /// Whether it matches every object.
  [[nodiscard]] bool Empty() const { return !nothing_ && requirements_.empty(); }
  /// Whether it is Nothing(). Mirrors labels.MatchesNothing.
  [[nodiscard]] bool MatchesNothing() const { return nothing_; }
  /// Sorted by key.
  [[nodiscard]] const std::vector<Requirement>& Requirements() const { return requirements_; }
  /// The one value that an object's `label` must have, if the selector says so.
  [[nodiscard]] std::optional<std::string> RequiresExactMatch(std::string_view label) const;
  /// A copy with one more requirement.
  [[nodiscard]] Selector Add(Requirement requirement) const;

  /// The canonical text, as servers take it; "" for Everything().
  /// **Mirrors** String(), but Nothing() gives a text that no object meets where Go gives "", which
  /// would select everything.
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  friend Selector Nothing();
  friend Selector SelectorFromSet(const Set& labels);

  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

[[nodiscard]] Selector Everything();
[[nodiscard]] Selector Nothing();

/// Reads "app=web,tier in (a,b),!old,n>4". Errors: kInvalidArgument. Mirrors labels.Parse.
[[nodiscard]] Result<Selector> Parse(std::string_view text);

/// Matches objects that have all of these labels; an empty set matches everything. Does not check
/// them: the server refuses invalid ones.
[[nodiscard]] Selector SelectorFromSet(const Set& labels);
/// Likewise. Errors: kInvalidArgument for an invalid key or value.
[[nodiscard]] Result<Selector> ValidatedSelectorFromSet(const Set& labels);

/// Why `key` is no label key, or null. Mirrors validation.IsQualifiedName.
[[nodiscard]] const char* ValidateKey(std::string_view key);
/// Why `value` is no label value, or null. Mirrors validation.IsValidLabelValue.
[[nodiscard]] const char* ValidateValue(std::string_view value);

}  // namespace k8s::inline v0::labels
