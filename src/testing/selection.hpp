#pragma once

#include <k8s/result.hpp>

#include "served_resource.hpp"
#include "stored_object.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace k8s::inline v0::testing {

/// What a list, watch or deletecollection asks for: a namespace, labels and fields. Read and
/// applied here, not by the library's own selectors: a server that shares code with the client
/// under test would agree with its mistakes.
class Selection {
 public:
  /// Errors: kStatus, 400 as a server answers it.
  static Result<Selection> Parse(const ServedResource& resource, std::string_view namespace_,
                                 std::string_view label_selector, std::string_view field_selector);

  [[nodiscard]] bool Matches(const StoredObject& object) const;
  /// Whether labels or fields are asked for.
  [[nodiscard]] bool Selective() const { return !labels_.empty() || !fields_.empty(); }
  [[nodiscard]] const std::string& Namespace() const { return namespace_; }

 private:
  enum class Operator { kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };
  struct LabelRequirement {
    std::string key;
    Operator op = Operator::kExists;
    std::vector<std::string> values = {};
    [[nodiscard]] bool Matches(const StoredObject& object) const;
  };
  struct FieldRequirement {
    std::string key;
    std::size_t index = 0;  ///< In StoredObject::fields.
    std::string value = {};
    bool equal = true;
    [[nodiscard]] bool Matches(const StoredObject& object) const;
  };

  Result<void> AddLabels(std::string_view text);
  Result<void> AddLabel(std::string_view text);
  Result<void> AddFields(const ServedResource& resource, std::string_view text);
  Result<void> AddField(const ServedResource& resource, std::string_view text);

  std::string namespace_;
  std::vector<LabelRequirement> labels_;
  std::vector<FieldRequirement> fields_;
};

}  // namespace k8s::inline v0::testing
