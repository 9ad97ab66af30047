#pragma once

#include "codec/value_reader.hpp"

#include <string>
#include <string_view>

namespace k8s::inline v0::codec::detail {

/// Walks over the members of one JSON object that arrives in chunks. Names are not checked before a
/// decoder reads them.
class ObjectReader {
 public:
  enum class Step {
    kMore,    ///< More bytes are needed.
    kName,    ///< A member's name() was read; its value comes next.
    kValue,   ///< Its value was read: the ValueReader's text().
    kEnd,     ///< The object ended.
    kFailed,  ///< This is no object: failure().
  };

  explicit ObjectReader(ValueReader& values) : values_(values) {}

  Step Next();
  /// Whether nothing of an object was read yet.
  [[nodiscard]] bool AtStart() const { return state_ == State::kOpen; }
  [[nodiscard]] bool AtEnd() const { return state_ == State::kEnd; }
  /// The member's name as it stands, with quotes.
  [[nodiscard]] std::string_view name() const { return name_; }
  /// After kName: somebody else has read the value.
  void SkippedValue() { state_ = State::kComma; }
  /// After kEnd: another object comes.
  void Restart() { state_ = State::kOpen; }
  /// A static text.
  [[nodiscard]] const char* failure() const { return failure_; }

 private:
  enum class State { kOpen, kFirstName, kName, kColon, kValue, kComma, kEnd };

  Step Punctuation(char c);
  Step Advance(State next);
  Step Name();
  Step Value();
  Step Read(const char* otherwise);
  Step Fail(const char* failure);

  ValueReader& values_;
  State state_ = State::kOpen;
  std::string name_;
  const char* failure_ = nullptr;
};

}  // namespace k8s::inline v0::codec::detail
