// Every typed GET and LIST row of cases/json/EXPECTED.md.

#include <k8s/apis/resources.hpp>
#include <k8s/apis/scheme.hpp>

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "any_object.hpp"
#include "support/case_file.hpp"

namespace k8s::testing {
namespace {

using Json = nlohmann::json;

/// What is expected instead of the table's outcome.
struct Deviation {
  std::optional<std::string> json;  ///< None: an error.
  std::string_view reason;
};

const std::map<std::string, Deviation, std::less<>>& Deviations() {
  static const std::map<std::string, Deviation, std::less<>> deviations = {
      {"get-configmaps-null-document.json", {std::nullopt, "the note: a client may refuse it"}},
      {"get-configmaps-other-kind.json", {std::nullopt, "the note: an error is better"}},
      {"get-secrets-data.json",
       {R"({"metadata":{"name":"a"},"data":{"bin":"AAH/","empty":"","null":"","plain":"aGVsbG8="},
            "type":"Opaque"})",
        "the note: null is zero bytes; Bytes does not tell it from the empty text"}},
      {"list-configmaps-generic-list-kind.json",
       {R"({"metadata":{"resourceVersion":"10"},"items":[
            {"metadata":{"name":"a","namespace":"d"}},{"metadata":{"name":"s","namespace":"d"}}]})",
        "field tables check no kinds; clients read item by item with ObjectType::decode, which "
        "does: "
        "see AnItemOfAnotherKindIsRefused"}},
  };
  return deviations;
}

/// The text between the code marks, without escapes of the table.
std::string Code(const std::string& cell) { return cell.substr(1, cell.size() - 2); }

// Written on top of what the table shows: Go's typed objects do not know their kind.
void EraseTypeMeta(Json& object) {
  object.erase("kind");
  object.erase("apiVersion");
}

/// "get-pods-int32-overflow.json" -> the facts of pods.
const apis::ResourceFacts* ResourceOf(const std::string& file) {
  const std::size_t start = file.find('-') + 1;
  const std::string plural = file.substr(start, file.find('-', start) - start);
  return apis::FindResource(GroupVersionResource{"", "v1", plural});
}

Result<Json> ReadObject(const apis::ResourceFacts& facts, const std::string& text) {
  const runtime::ObjectType& type = *apis::FindObjectType(facts.Info().Gvk());
  const auto object = type.decode(type, text);
  if (!object) return object.error();
  std::string encoded;
  type.encode(type, object->get(), encoded);
  Json json = Json::parse(encoded);
  EXPECT_EQ(json.at("kind"), facts.kind);
  EXPECT_EQ(json.at("apiVersion"), facts.version);
  EraseTypeMeta(json);
  return json;
}

Result<Json> ReadList(const apis::ResourceFacts& facts, const std::string& text) {
  AnyObject list(*apis::FindType("core/v1", std::string(facts.kind) + "List"));
  if (auto decoded = list.Decode(text); !decoded) return decoded.error();
  Json json = Json::parse(list.Encode());
  EraseTypeMeta(json);
  for (Json& item : json.at("items")) EraseTypeMeta(item);
  return json;
}

void ExpectOutcome(const CaseLine& row) {
  const std::string file = row.columns[0];
  SCOPED_TRACE(file + ": " + row.columns[1]);
  const apis::ResourceFacts* facts = ResourceOf(file);
  ASSERT_NE(facts, nullptr);
  const std::string text = ReadTestData("cases/json/" + file);
  const Result<Json> found =
      file.starts_with("get-") ? ReadObject(*facts, text) : ReadList(*facts, text);

  const std::string& outcome = row.columns[1];
  std::optional<std::string> wanted;
  if (outcome.starts_with("`")) wanted = Code(outcome);
  if (auto deviation = Deviations().find(file); deviation != Deviations().end()) {
    wanted = deviation->second.json;
  }
  ASSERT_EQ(found.has_value(), wanted.has_value())
      << (found ? found->dump() : found.error().ToString());
  if (found) {
    EXPECT_EQ(Differences(Json::parse(*wanted), *found), "[]");
  }
}

/// Rows whose file has the prefix and that have a typed outcome.
int ExpectOutcomes(std::string_view prefix) {
  int rows = 0;
  for (const CaseLine& row : ReadMarkdownTables("cases/json/EXPECTED.md")) {
    if (!row.columns[0].starts_with(prefix) || row.columns[1] == "-") continue;
    ExpectOutcome(row);
    ++rows;
  }
  return rows;
}

TEST(TypedCasesTest, ObjectsReadAsClientGoReadsThem) { EXPECT_GE(ExpectOutcomes("get-"), 50); }

TEST(TypedCasesTest, ListsReadAsClientGoReadsThem) { EXPECT_GE(ExpectOutcomes("list-"), 14); }

TEST(TypedCasesTest, AnItemOfAnotherKindIsRefused) {
  const Json list = Json::parse(ReadTestData("cases/json/list-configmaps-generic-list-kind.json"));
  const apis::ResourceFacts* facts = ResourceOf("list-configmaps-");
  EXPECT_TRUE(ReadObject(*facts, list.at("items")[0].dump()).has_value());
  EXPECT_FALSE(ReadObject(*facts, list.at("items")[1].dump()).has_value());
}

TEST(TypedCasesTest, AStatusInPlaceOfTheObjectIsItsError) {
  const apis::ResourceFacts* facts = ResourceOf("get-configmaps-");
  const auto found =
      ReadObject(*facts, ReadTestData("cases/json/get-configmaps-status-failure-with-200.json"));
  ASSERT_FALSE(found.has_value());
  EXPECT_EQ(found.error().kind, ErrorKind::kStatus);
  EXPECT_EQ(found.error().code, 403);
  EXPECT_EQ(found.error().reason, "Forbidden");
}

}  // namespace
}  // namespace k8s::testing
