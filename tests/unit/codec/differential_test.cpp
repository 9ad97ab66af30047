// Random documents, good and broken: the codec agrees with nlohmann's parser on every one.

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "support/json_oracle.hpp"

namespace k8s::testing {
namespace {

using codec::Form;
using codec::TypeInfo;

/// Writes random JSON: mostly what fits the given type, sometimes anything.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  std::string Document() {
    out_.clear();
    Value(codec::TypeOf<Everything>(), 0);
    return out_;
  }

  std::uint64_t Below(std::uint64_t limit) { return random_() % limit; }

 private:
  bool OneIn(std::uint64_t n) { return Below(n) == 0; }

  void Space() {
    constexpr std::string_view kSpaces = " \t\r\n";
    while (OneIn(12)) out_ += kSpaces[Below(kSpaces.size())];
  }

  template <std::size_t N>
  void OneOf(const std::string_view (&choices)[N]) {
    out_ += choices[Below(N)];
  }

  void Integer() {
    constexpr std::string_view kIntegers[] = {"0",
                                              "-0",
                                              "1",
                                              "-1",
                                              "7",
                                              "2147483647",
                                              "2147483648",
                                              "-2147483648",
                                              "-2147483649",
                                              "9007199254740993",
                                              "9223372036854775807",
                                              "9223372036854775808",
                                              "-9223372036854775808",
                                              "-9223372036854775809",
                                              "18446744073709551615",
                                              "18446744073709551616"};
    OneOf(kIntegers);
  }
  void Number() {
    constexpr std::string_view kNumbers[] = {"0.0",    "-0.0", "1.5",       "-2.25e2",
                                             "1E3",    "1e-3", "0.1",       "1e300",
                                             "1e-400", "3.0",  "123456.789"};
    OneIn(2) ? Integer() : OneOf(kNumbers);
  }
  void Text() {
    constexpr std::string_view kParts[] = {"a",
                                           "key",
                                           "0123456789abcdef",
                                           "\\n",
                                           "\\\"",
                                           "\\\\",
                                           "\\u0000",
                                           "\\u00e9",
                                           "\\ud83d\\ude00",
                                           "\\ud800",
                                           "\\udc00x",
                                           "\xC3\xA9",
                                           "\xE4\xB8\xAD",
                                           "\xF0\x9F\x98\x80",
                                           "\xFF",
                                           "\xE4\xB8",
                                           "{",
                                           "}",
                                           "[",
                                           "]",
                                           ",",
                                           ":",
                                           "/",
                                           "\\/",
                                           " "};
    out_ += '"';
    while (!OneIn(4)) OneOf(kParts);
    out_ += '"';
  }
  void Base64() {
    constexpr std::string_view kTexts[] = {"\"\"",     "\"YQ==\"", "\"YWI=\"",
                                           "\"YWJj\"", "\"YR==\"", "\"Y\\nQ==\"",
                                           "\"YQ=\"",  "\"_-8=\"", "\"+/+/\""};
    OneOf(kTexts);
  }
  void Bool() { out_ += OneIn(2) ? "true" : "false"; }

  template <class Element>
  void Sequence(char open, char close, int depth, Element element) {
    out_ += open;
    Space();
    for (std::uint64_t i = 0, size = depth > 5 ? 0 : Below(4); i < size; ++i) {
      if (i > 0) out_ += ',';
      Space();
      element(i);
      Space();
    }
    out_ += close;
  }
  void Name(std::string_view name) {
    out_ += '"';
    out_ += name;
    out_ += '"';
    Space();
    out_ += ':';
    Space();
  }

  void Anything(int depth) {
    switch (Below(depth > 5 ? 5 : 7)) {
      case 0:
        out_ += "null";
        return;
      case 1:
        return Bool();
      case 2:
        return Integer();
      case 3:
        return Number();
      case 4:
        return Text();
      case 5:
        return Sequence('[', ']', depth, [&](std::uint64_t) { Anything(depth + 1); });
      default:
        return Sequence('{', '}', depth, [&](std::uint64_t i) {
          Name("k" + std::to_string(i));
          Anything(depth + 1);
        });
    }
  }

  void Members(const TypeInfo& type, int depth) {
    std::size_t next = Below(type.field_count);
    Sequence('{', '}', depth, [&](std::uint64_t i) {
      if (OneIn(6)) {
        Name("unknown" + std::to_string(i));
        return Anything(depth + 1);
      }
      const auto& field = type.fields[next++ % type.field_count];
      Name(field.name);
      Value(*field.type, depth + 1);
    });
  }

  void Value(const TypeInfo& type, int depth) {
    if (OneIn(60)) return Anything(depth);
    if (OneIn(25)) {
      out_ += "null";
      return;
    }
    switch (type.form) {
      case Form::kBool:
        return Bool();
      case Form::kInt32:
        out_ += std::to_string(static_cast<std::int32_t>(random_()));
        return;
      case Form::kInt64:
        return OneIn(8) ? Integer() : void(out_ += std::to_string(static_cast<int>(random_())));
      case Form::kFloat64:
        return Number();
      case Form::kString:
        return Text();
      case Form::kBytes:
        return Base64();
      case Form::kScalar:
        return Anything(depth);
      case Form::kStruct:
        return Members(type, depth);
      case Form::kList:
      case Form::kRequiredList:
        return Sequence('[', ']', depth, [&](std::uint64_t) { Value(*type.element, depth + 1); });
      case Form::kMap:
        return Sequence('{', '}', depth, [&](std::uint64_t i) {
          Name("k" + std::to_string(9 - i));
          Value(*type.element, depth + 1);
        });
      case Form::kOptional:
      case Form::kBox:
        return Value(*type.element, depth);
    }
  }

  std::mt19937_64 random_;
  std::string out_;
};

TEST(DifferentialTest, RandomDocumentsAreReadAsNlohmannReadsThem) {
  Generator generator(1);
  int read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::string document = generator.Document();
    ASSERT_EQ(CompareWithOracle(document), "") << document;
    read += codec::Decode<Everything>(document).has_value() ? 1 : 0;
  }
  // Else the test would be about errors alone.
  EXPECT_GT(read, 5'000);
}

TEST(DifferentialTest, BrokenDocumentsAreRefusedWhereNlohmannRefusesThem) {
  constexpr std::string_view kBytes("{}[]\",:\\\n0-.eE+ntfu \x00\xFF\xC3\x80", 24);
  Generator generator(2);
  for (int i = 0; i < 40'000; ++i) {
    std::string document = generator.Document();
    for (std::uint64_t edits = 1 + generator.Below(2); edits > 0; --edits) {
      const auto at = generator.Below(document.size() + 1);
      const char byte = kBytes[generator.Below(kBytes.size())];
      switch (generator.Below(3)) {
        case 0:
          document.insert(at, 1, byte);
          break;
        case 1:
          if (at < document.size()) document[at] = byte;
          break;
        default:
          document.erase(at, 1 + generator.Below(3));
      }
    }
    ASSERT_EQ(CompareWithOracle(document), "") << document;
  }
}

}  // namespace
}  // namespace k8s::testing
