#include <gtest/gtest.h>
#include <k8s/runtime/unstructured.hpp>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/json_reader.hpp"
#include "support/case_file.hpp"

namespace k8s::test {
namespace {

TEST(UnstructuredTest, KeepsNumbersByHowTheyAreWritten) {
  const auto widget =
      Unstructured::Parse(testing::ReadTestData("cases/json/get-widgets-numbers.json")).value();
  const auto& spec = *widget.NestedField({"spec"});
  for (const char* name : {"i", "neg", "big", "max", "min", "nzero"}) {
    EXPECT_TRUE(spec[name].is_number_integer()) << name;
  }
  EXPECT_EQ(spec["max"].get<std::int64_t>(), INT64_MAX);
  EXPECT_EQ(spec["min"].get<std::int64_t>(), INT64_MIN);
  EXPECT_EQ(spec["big"].get<std::int64_t>(), 9007199254740993);
  for (const char* name : {"f", "fint", "exp", "mexp", "nzf", "over", "under"}) {
    EXPECT_TRUE(spec[name].is_number_float()) << name;
  }
  EXPECT_TRUE(std::signbit(spec["nzf"].get<double>()));
}

TEST(UnstructuredTest, WritesWholeDoublesAsGoDoes) {
  const auto text = R"({"a":1000,"b":-0,"c":1.5,"d":1e+21,"kind":"K"})";
  const auto object = Unstructured::Parse(R"({"kind":"K","a":1e3,"b":-0.0,"c":1.50,"d":1e21})");
  EXPECT_EQ(object.value().ToJson(), text);
}

TEST(UnstructuredTest, ReplacesIllFormedText) {
  const auto parse = [](const std::string& text) {
    return std::string(
        Unstructured::Parse("{\"kind\":\"K\",\"x\":\"" + text + "\"}").value().NestedString({"x"}));
  };
  const std::string bad = "\xef\xbf\xbd";
  EXPECT_EQ(parse("a\xff"
                  "b"),
            "a" + bad + "b");
  EXPECT_EQ(parse("\xed\xa0\x80"), bad + bad + bad);
  EXPECT_EQ(parse("\\ud800"), bad);
  EXPECT_EQ(parse("\\ud800\\u0041"), bad + "A");
  EXPECT_EQ(parse("\\udc00\\ud800"), bad + bad);
  EXPECT_EQ(parse("\\ud800\\ud83d\\ude00"), bad + "\xf0\x9f\x98\x80");
  EXPECT_EQ(parse("\\\\ud800"), "\\ud800") << "an escaped backslash";
}

TEST(UnstructuredTest, RefusesWhatIsNoObject) {
  for (const char* text : {"", "null", "[]", "5", "{}", "{\"kind\":1}", "{\"kind\":\"K\"}x",
                           "{\"kind\":\"K\",}", "{\"kind\":\"K\",\"x\":NaN}", "\\", "\"\\u12"}) {
    EXPECT_EQ(Unstructured::Parse(text).error().kind, ErrorKind::kDecode) << text;
  }
}

TEST(UnstructuredTest, ErrorsDoNotShowTheText) {
  const auto error = Unstructured::Parse("{\"kind\":\"Secret\",\"data\":\"s3cret").error();
  EXPECT_EQ(error.message.find("s3cret"), std::string::npos) << error.message;
}

TEST(UnstructuredTest, HasALimitOfDepth) {
  const auto nested = [](std::size_t depth) {
    return "{\"kind\":\"K\",\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}";
  };
  EXPECT_TRUE(Unstructured::Parse(nested(runtime::detail::kMaxJsonDepth - 1)));
  EXPECT_FALSE(Unstructured::Parse(nested(runtime::detail::kMaxJsonDepth)));
  EXPECT_FALSE(Unstructured::Parse(nested(200'000)));
}

TEST(UnstructuredTest, ReadsAndWritesMetadata) {
  Unstructured object;
  object.SetAPIVersion("v1");
  object.SetKind("ConfigMap");
  object.SetName("a");
  object.SetNamespace("d");
  object.SetResourceVersion("7");
  object.SetLabels({{"app", "web"}});
  object.SetAnnotations({{"note", "x"}});
  EXPECT_EQ(object.ToJson(),
            R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"note":"x"},)"
            R"("labels":{"app":"web"},"name":"a","namespace":"d","resourceVersion":"7"}})");
  EXPECT_EQ(object.GetName(), "a");
  EXPECT_EQ(object.GetNamespace(), "d");
  EXPECT_EQ(object.GetResourceVersion(), "7");
  EXPECT_EQ(object.GetLabels().at("app"), "web");
  EXPECT_EQ(object.GetAnnotations().at("note"), "x");
  EXPECT_EQ(object.GetUID(), "");
  EXPECT_EQ(object.NestedField({"metadata", "absent"}), nullptr);
}

TEST(UnstructuredTest, ReadsNothingOutOfOtherShapes) {
  const auto object =
      Unstructured::Parse(R"({"kind":"K","metadata":{"name":5,"labels":{"a":1,"b":"c"}}})").value();
  EXPECT_EQ(object.GetName(), "");
  EXPECT_EQ(object.GetLabels(), (StringMap<std::string>{{"b", "c"}}));
  EXPECT_EQ(object.NestedString({"kind", "deeper"}), "");
}

TEST(UnstructuredTest, CopiesAreIndependent) {
  Unstructured object;
  object.SetName("a");
  auto copy = object;
  copy.SetName("b");
  EXPECT_EQ(object.GetName(), "a");
  object = copy;
  EXPECT_EQ(object, copy);
  EXPECT_EQ(Unstructured(std::move(copy)).GetName(), "b");
}

TEST(UnstructuredTypeTest, LabelsFollowTheObject) {
  const auto type = runtime::UnstructuredType({.version = "v1", .kind = "K", .plural = "ks"});
  Unstructured object;
  EXPECT_TRUE(type->labels(&object)->empty());
  object.SetLabels({{"a", "b"}});
  EXPECT_EQ(type->labels(&object)->at("a"), "b");
  object.SetLabels({});
  EXPECT_TRUE(type->labels(&object)->empty());
}

TEST(UnstructuredTypeTest, ManyThreadsMayAskForLabels) {
  const auto type = runtime::UnstructuredType({.version = "v1", .kind = "K", .plural = "ks"});
  Unstructured object;
  object.SetLabels({{"a", "b"}});
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_EQ(type->labels(&object)->at("a"), "b"); });
  }
  for (auto& thread : threads) thread.join();
}

TEST(UnstructuredTypeTest, ShowsMetadata) {
  const auto type = runtime::UnstructuredType({.version = "v1", .kind = "K", .plural = "ks"});
  const auto object = type->decode(*type, R"({"kind":"K","metadata":{"name":"a","namespace":"d",)"
                                          R"("uid":"u","resourceVersion":"7"}})")
                          .value();
  const auto meta = type->meta(object.get());
  EXPECT_EQ(meta.name, "a");
  EXPECT_EQ(meta.namespace_, "d");
  EXPECT_EQ(meta.uid, "u");
  EXPECT_EQ(meta.resourceVersion, "7");
}

}  // namespace
}  // namespace k8s::test
