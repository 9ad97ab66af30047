#include "codec/object_reader.hpp"

namespace k8s::inline v0::codec::detail {

ObjectReader::Step ObjectReader::Fail(const char* failure) {
  failure_ = failure;
  return Step::kFailed;
}

/// Reads a value, whose end is kValue.
ObjectReader::Step ObjectReader::Read(const char* otherwise) {
  switch (values_.Read()) {
    case ValueReader::Outcome::kMore:
      return Step::kMore;
    case ValueReader::Outcome::kValue:
      return Step::kValue;
    case ValueReader::Outcome::kTooLong:
      return Fail("a value is too long");
    case ValueReader::Outcome::kNoValue:
      break;
  }
  return Fail(otherwise);
}

ObjectReader::Step ObjectReader::Name() {
  const Step step = Read("a field's name belongs here");
  if (step != Step::kValue) return step;
  name_ = values_.text();
  if (name_.front() != '"') return Fail("a field's name belongs here");
  state_ = State::kColon;
  return Next();
}

ObjectReader::Step ObjectReader::Value() {
  const Step step = Read("a value belongs here");
  if (step == Step::kValue) state_ = State::kComma;
  return step;
}

/// Takes the byte that Peek() gave, and goes on.
ObjectReader::Step ObjectReader::Advance(State next) {
  values_.Take();
  state_ = next;
  if (next == State::kEnd) return Step::kEnd;
  return next == State::kValue ? Step::kName : Next();
}

ObjectReader::Step ObjectReader::Punctuation(char c) {
  switch (state_) {
    case State::kOpen:
      return c == '{' ? Advance(State::kFirstName) : Fail("it is no JSON object");
    case State::kFirstName:
      if (c == '}') return Advance(State::kEnd);
      state_ = State::kName;
      return Name();
    case State::kColon:
      return c == ':' ? Advance(State::kValue) : Fail("':' belongs here");
    case State::kComma:
      if (c == '}') return Advance(State::kEnd);
      return c == ',' ? Advance(State::kName) : Fail("',' or '}' belongs here");
    case State::kName:
    case State::kValue:
    case State::kEnd:
      break;
  }
  return Step::kEnd;
}

ObjectReader::Step ObjectReader::Next() {
  if (state_ == State::kName) return Name();
  if (state_ == State::kValue) return Value();
  if (state_ == State::kEnd) return Step::kEnd;
  const auto c = values_.Peek();
  return c ? Punctuation(*c) : Step::kMore;
}

}  // namespace k8s::inline v0::codec::detail
