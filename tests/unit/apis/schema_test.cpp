// The compiled field tables against the facts they were generated from.

#include <k8s/apis/scheme.hpp>
#include <k8s/codec/type_info.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace k8s::testing {
namespace {

using codec::Form;
using Json = nlohmann::json;

const Json& Facts() {
  static const Json facts = Json::parse(
      std::ifstream(CLIENT_CPP_TEST_DATA "/../../codegen/schema/kubernetes-v1.37.json"));
  return facts;
}

/// Splits "core/v1.Pod", or "k8s.io/apimachinery/pkg/version.Info".
const codec::TypeInfo* TypeOfKey(const std::string& key) {
  const std::size_t dot = key.rfind('.');
  std::string package = key.substr(0, dot);
  if (package.ends_with("/version")) package = "version";
  return apis::FindType(package, key.substr(dot + 1));
}

/// The fields of a struct with those of inlined ones in their place.
std::vector<Json> Flatten(const std::string& key) {
  std::vector<Json> fields;
  for (const Json& field : Facts().at("structs").at(key)) {
    if (!field.value("inline", false)) {
      fields.push_back(field);
      continue;
    }
    for (Json inner : Flatten(field.at("type").get<std::string>())) {
      // TypeMeta is not part of a protobuf message.
      if (!field.contains("proto")) inner.erase("proto");
      inner["around"] = field.value("proto", 0) + 256 * inner.value("around", 0);
      fields.push_back(std::move(inner));
    }
  }
  return fields;
}

codec::Omit OmitOf(const Json& field) {
  const std::string rule = field.value("omit", "");
  if (rule.empty()) return codec::Omit::kNever;
  return rule == "omitempty" ? codec::Omit::kEmpty : codec::Omit::kZero;
}

TEST(SchemaTest, EveryStructIsGenerated) {
  std::size_t types = 0;
  for (const apis::PackageTypes* package : apis::BuiltinPackages()) types += package->types.size();
  EXPECT_EQ(types, Facts().at("structs").size());
  for (const auto& [key, fields] : Facts().at("structs").items()) {
    EXPECT_NE(TypeOfKey(key), nullptr) << key;
  }
}

TEST(SchemaTest, EveryFieldHasItsNameRuleAndNumber) {
  for (const auto& [key, unused] : Facts().at("structs").items()) {
    SCOPED_TRACE(key);
    const codec::TypeInfo& type = *TypeOfKey(key);
    if (type.form == Form::kScalar) continue;  // JSON of its own shape.
    const std::vector<Json> fields = Flatten(key);
    ASSERT_EQ(type.field_count, fields.size());
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const codec::Field& row = type.fields[i];
      EXPECT_EQ(row.name, fields[i].at("json").get<std::string>());
      EXPECT_EQ(row.omit, OmitOf(fields[i])) << row.name;
      EXPECT_EQ(row.proto, fields[i].value("proto", 0)) << row.name;
      EXPECT_EQ(row.proto_inline, row.proto == 0 ? 0 : fields[i].value("around", 0)) << row.name;
      EXPECT_LT(row.offset, type.size) << row.name;
    }
  }
}

TEST(SchemaTest, ListsAndPointersHaveTheirForms) {
  for (const auto& [key, unused] : Facts().at("structs").items()) {
    const codec::TypeInfo& type = *TypeOfKey(key);
    const std::vector<Json> fields = Flatten(key);
    for (std::size_t i = 0; i < type.field_count; ++i) {
      SCOPED_TRACE(key + "." + std::string(type.fields[i].name));
      const Form form = type.fields[i].type->form;
      const bool is_map = fields[i].value("map", false);
      if (fields[i].contains("list") && !is_map) {
        EXPECT_EQ(form, fields[i].contains("omit") ? Form::kList : Form::kRequiredList);
      }
      if (fields[i].value("pointer", false)) {
        const bool is_struct = Facts().at("structs").contains(fields[i].at("type"));
        EXPECT_EQ(form, is_struct ? Form::kBox : Form::kOptional);
      }
      if (is_map) {
        EXPECT_EQ(form, Form::kMap);
      }
    }
  }
}

TEST(SchemaTest, OnlyTypesWithJsonOfTheirOwnShapeAreScalars) {
  std::set<std::string> scalars;
  for (const apis::PackageTypes* package : apis::BuiltinPackages()) {
    for (const codec::TypeInfo* type : package->types) {
      if (type->form == Form::kScalar) scalars.emplace(type->name);
    }
  }
  EXPECT_EQ(scalars, (std::set<std::string>{"JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool",
                                            "JSONSchemaPropsOrStringArray"}));
}

}  // namespace
}  // namespace k8s::testing
