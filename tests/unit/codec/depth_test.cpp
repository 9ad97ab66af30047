// Hostile nesting ends in an error, on a thread with a small stack as well.

#include <k8s/codec/codec.hpp>
#include <k8s/codec/splitter.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <string>
#include <string_view>

#include "support/json_oracle.hpp"

namespace k8s::codec {
namespace {

using ::k8s::testing::Everything;
using ::testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t kSmallStack = 1 << 20;  // Frames of sanitized code are larger.
#else
constexpr std::size_t kSmallStack = 160 << 10;
#endif

/// Runs `work` on a thread with a small stack.
void OnSmallStack(std::function<void()> work, std::size_t stack = kSmallStack) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, stack), 0);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

std::string Repeat(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// `open` and `close` around a value, `depth` times.
std::string Nested(std::string_view open, int depth, std::string_view value,
                   std::string_view close) {
  return Repeat(open, depth) + std::string(value) + Repeat(close, depth);
}

TEST(DepthTest, KeptTextMayNestTenThousandDeep) {
  OnSmallStack([] {
    const std::string deepest = Nested("[", kMaxDepth, "", "]");
    EXPECT_TRUE(Valid(deepest));
    EXPECT_TRUE(Decode<Everything>("{\"any\":" + deepest + "}"));
    EXPECT_TRUE(Decode<Everything>("{\"any\":" + Nested("{\"a\":", kMaxDepth, "1", "}") + "}"));
    const std::string deeper = Nested("[", kMaxDepth + 1, "", "]");
    EXPECT_FALSE(Valid(deeper));
    EXPECT_THAT(Decode<Everything>("{\"any\":" + deeper + "}").error().message,
                HasSubstr("too deep"));
    EXPECT_TRUE(Decode<Everything>("{\"unknown\":" + deeper + "}"));  // Nothing keeps it.
  });
}

TEST(DepthTest, MixedBracketsAreMatchedAtEveryDepth) {
  for (int depth = 1; depth < 300; ++depth) {
    const std::string good = Nested("[{\"a\":", depth, "0", "}]");
    EXPECT_TRUE(Valid(good)) << depth;
    std::string bad = good;
    bad[bad.size() - static_cast<std::size_t>(depth)] ^= '}' ^ ']';
    EXPECT_FALSE(Valid(bad)) << depth;
  }
}

TEST(DepthTest, TypesWithinThemselvesNestToTheirLimit) {
  OnSmallStack([] {
    for (const char* open : {"{\"boxed\":", "{\"children\":[", "{\"named\":{\"k\":"}) {
      const std::string_view close = std::string_view(open).ends_with('[')      ? "]}"
                                     : std::string_view(open).ends_with("k\":") ? "}}"
                                                                                : "}";
      auto deepest = Decode<Everything>(Nested(open, kMaxTypedDepth - 1, "{}", close));
      ASSERT_TRUE(deepest) << open << deepest.error().message;
      const auto copy = *deepest;
      EXPECT_TRUE(Equal(TypeOf<Everything>(), &copy, &*deepest));
      EXPECT_EQ(Decode<Everything>(Encode(copy)).has_value(), true);
      EXPECT_THAT(Decode<Everything>(Nested(open, kMaxTypedDepth, "{}", close)).error().message,
                  HasSubstr("too deep"));
    }
  });
}

TEST(DepthTest, TwoHundredThousandLevelsAreAnError) {
  OnSmallStack([] {
    constexpr int kDepth = 200'000;
    for (const char* open : {"[", "{\"a\":", "{\"boxed\":", "{\"children\":[", "{\"any\":[",
                             "{\"named\":{\"k\":", "{\"texts\":["}) {
      EXPECT_FALSE(Decode<Everything>(Repeat(open, kDepth))) << open;
      EXPECT_FALSE(Valid(Repeat(open, kDepth))) << open;
    }
    EXPECT_FALSE(Decode<Everything>(Nested("{\"boxed\":", kDepth, "{}", "}")));
    EXPECT_FALSE(Valid(Nested("[", kDepth, "", "]")));
  });
}

TEST(DepthTest, SplittersTakeAnyDepthAndLeaveItToTheDecoder) {
  OnSmallStack([] {
    const std::string deep = Nested("{\"a\":", 200'000, "1", "}");
    ListSplitter list;
    const std::string body = "{\"items\":[" + deep + "]}";
    list.Feed(body);
    const auto item = list.Next();
    ASSERT_TRUE(item && *item);
    EXPECT_EQ(**item, deep);
    EXPECT_FALSE(Valid(**item));
  });
}

/// A scalar that reads a struct by itself, as the schemas of custom resources do.
struct Reentrant {
  Box<Reentrant> inner;
  const char* UnmarshalJSON(std::string_view raw);
  void MarshalJSON(std::string& out) const { out += "{}"; }
  [[nodiscard]] bool IsZero() const { return !inner; }
  friend bool operator==(const Reentrant& left, const Reentrant& right) {
    return left.IsZero() == right.IsZero();
  }
};

struct Holder {
  std::vector<Reentrant> held;
};

}  // namespace
}  // namespace k8s::codec

CLIENT_CPP_FIELDS(k8s::codec::Holder, held);

namespace k8s::codec {
namespace {

const char* Reentrant::UnmarshalJSON(std::string_view raw) {
  return Decode<Holder>(raw) ? nullptr : "too deep";
}

// Each level is a decoder of its own here, with its own record of open brackets.
TEST(DepthTest, ScalarsThatDecodeCountOn) {
  const auto decode = [] {
    EXPECT_TRUE(Decode<Holder>(Nested("{\"held\":[", kMaxTypedDepth - 1, "{}", "]}")));
    EXPECT_FALSE(Decode<Holder>(Nested("{\"held\":[", kMaxTypedDepth, "{}", "]}")));
    EXPECT_FALSE(Decode<Holder>(Nested("{\"held\":[", kMaxDepth / 2 - 1, "{}", "]}")));
    EXPECT_TRUE(Decode<Holder>("{\"held\":[{}]}"));
  };
  OnSmallStack(decode, 4 * kSmallStack + (1 << 20));
}

}  // namespace
}  // namespace k8s::codec
