#pragma once

#include <k8s/result.hpp>
#include <k8s/string_map.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::fields {

/// Fields of an object by path, "metadata.name". Mirrors fields.Set.
using Set = StringMap<std::string>;

/// One condition on one field.
struct Requirement {
  std::string field = {};
  std::string value = {};
  bool negated = false;  ///< != instead of =

  friend bool operator==(const Requirement&, const Requirement&) = default;
};

/// A choice of objects by some of their fields. Which fields a server knows depends on the kind;
/// metadata.name and metadata.namespace always work.
///
/// Thread safety. Distinct objects: safe. Shared objects: safe while nobody writes.
/// **Mirrors** fields.Selector.
class Selector {
 public:
  /// Matches everything.
  Selector() = default;
  explicit Selector(std::vector<Requirement> requirements);

  /// A missing field counts as the empty text. Does not allocate.
  [[nodiscard]] bool Matches(const Set& fields) const;
  /// Whether it matches every object.
  [[nodiscard]] bool Empty() const { return !nothing_ && requirements_.empty(); }
  /// Whether it is Nothing().
  [[nodiscard]] bool MatchesNothing() const { return nothing_; }
  [[nodiscard]] const std::vector<Requirement>& Requirements() const { return requirements_; }
  /// The one value that an object's `field` must have, if the selector says so.
  [[nodiscard]] std::optional<std::string> RequiresExactMatch(std::string_view field) const;

  /// The text as servers take it, values escaped; "" for Everything().
  /// **Mirrors** String(), but Nothing() gives a text that no object meets where Go gives "", which
  /// would select everything.
  [[nodiscard]] std::string ToString() const;

  friend bool operator==(const Selector&, const Selector&) = default;

 private:
  friend Selector Nothing();

  std::vector<Requirement> requirements_;
  bool nothing_ = false;
};

[[nodiscard]] Selector Everything();
[[nodiscard]] Selector Nothing();
[[nodiscard]] Selector OneTermEqualSelector(std::string field, std::string value);
[[nodiscard]] Selector OneTermNotEqualSelector(std::string field, std::string value);
/// Matches objects that have all of these values; an empty set matches everything.
[[nodiscard]] Selector SelectorFromSet(const Set& fields);
/// Matches what all of them match.
[[nodiscard]] Selector AndSelectors(const std::vector<Selector>& selectors);

/// Reads "metadata.name=a,status.phase!=Running". Only =, == and != exist, and spaces count. In a
/// value a backslash stands before a backslash, comma or equals sign. Errors: kInvalidArgument.
[[nodiscard]] Result<Selector> ParseSelector(std::string_view text);

/// Puts a backslash before each backslash, comma and equals sign.
[[nodiscard]] std::string EscapeValue(std::string_view value);
/// Errors: kInvalidArgument for other escapes, and for a comma or equals sign without one.
[[nodiscard]] Result<std::string> UnescapeValue(std::string_view value);

}  // namespace k8s::inline v0::fields
