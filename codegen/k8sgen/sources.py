"""Field tables, equality and object types of a package."""

from . import text


def source(package):
    """src/apis/<folder>_<version>.cpp"""
    structs = [struct for struct in package.structs if not struct.custom_json]
    structs.sort(key=lambda struct: struct.name)
    return text.file_text(
        text.includes(package.header),
        text.includes(*_project_headers(package)),
        ['#include "apis/field_table.hpp"', '#include "apis/packages.hpp"'],
        ["namespace k8s::inline v0 {", f"namespace {package.namespace} {{", "namespace {"],
        *(_table(struct) for struct in structs if struct.fields),
        ["}  // namespace", f"}}  // namespace {package.namespace}"],
        _infos(package, structs),
        [f"namespace {package.namespace} {{"],
        [f"CLIENT_CPP_DEFINE_EQUAL({struct.name})" for struct in structs],
        [f"}}  // namespace {package.namespace}"],
        _package_types(package),
        ["}  // namespace k8s::inline v0"],
        [line for resource in package.resources for line in _object_type(resource)],
    )


def _project_headers(package):
    headers = ["k8s/apis/scheme.hpp", "k8s/codec/type_info.hpp"]
    return [*headers, "k8s/runtime/object_type_of.hpp"] if package.resources else headers


def _table(struct):
    lines = [f"constexpr codec::Field k{struct.name}Fields[] = {{"]
    for f in struct.fields:
        items = [struct.name, f.member, text.quoted(f.wire), f.omit, str(f.proto)]
        items.append(str(f.proto_inline))
        lines += _row(items)
    return [*lines, "};"]


def _row(items):
    start = "    CLIENT_CPP_FIELD_ROW("
    line = start + ", ".join(items) + "),"
    if len(line) <= 100:
        return [line]
    return [start + ", ".join(items[:2]) + ",", " " * len(start) + ", ".join(items[2:]) + "),"]


def _infos(package, structs):
    """One block: the definitions of the declarations in the header."""
    lines = ["namespace codec {"]
    for struct in structs:
        macro = "CLIENT_CPP_DEFINE_STRUCT" if struct.fields else "CLIENT_CPP_DEFINE_EMPTY_STRUCT"
        lines.append(f"{macro}({package.namespace}, {struct.name})")
    return [*lines, "}  // namespace codec"]


def _package_types(package):
    """The package's part of the scheme."""
    names = sorted(struct.name for struct in package.structs)
    qualified = f"{package.namespace}::"
    lines = [
        "namespace apis::detail {",
        "namespace {",
        "constexpr const codec::TypeInfo* kTypes[] = {",
        *(f"    &codec::TypeOf<{qualified}{name}>()," for name in names),
        "};",
    ]
    object_types = "{}"
    if package.resources:
        object_types = "kObjectTypes"
        lines += [
            "constexpr PackageTypes::ObjectTypeFunc* kObjectTypes[] = {",
            *(f"    &runtime::ObjectTypeOf<{r.cpp_type}>," for r in package.resources),
            "};",
        ]
    return [
        *lines,
        "}  // namespace",
        f"constinit const PackageTypes k{_camel(package)} = {{",
        f"    {text.quoted(package.go_name)}, kTypes, {object_types}}};",
        "}  // namespace apis::detail",
    ]


def packages_header(schema):
    """src/apis/packages.hpp"""
    return text.file_text(
        ["#pragma once"],
        text.includes("k8s/apis/scheme.hpp"),
        ["namespace k8s::inline v0::apis::detail {"],
        [f"extern const PackageTypes k{_camel(package)};" for package in schema.packages],
        ["inline constexpr const PackageTypes* kPackages[] = {"]
        + [f"    &k{_camel(package)}," for package in schema.packages]
        + ["};"],
        ["}  // namespace k8s::inline v0::apis::detail"],
    )


def _camel(package):
    return package.namespace[0].upper() + package.namespace[1:]


def _object_type(resource):
    facts = resource.facts
    return [
        f"CLIENT_CPP_DEFINE_OBJECT_TYPE(k8s::{resource.cpp_type},",
        f"                              k8s::ResourceInfo{{.group = {text.quoted(facts['group'])},",
        f"                                                .version = {text.quoted(facts['version'])},",
        f"                                                .kind = {text.quoted(facts['kind'])},",
        f"                                                .plural = {text.quoted(facts['resource'])},",
        f"                                                .scope = {resource.scope}}})",
    ]
