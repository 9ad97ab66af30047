"""The structs of a package: their header, and the source with their field tables."""

import re

from . import forward, text

# Headers of the hand-written scalars, by the schema's name.
_SCALAR_HEADERS = {
    "any": "k8s/runtime/raw_extension.hpp",
    "apiextensions/v1.JSON": "k8s/apis/apiextensions/json.hpp",
    "intstr.IntOrString": "k8s/util/intstr.hpp",
    "meta/v1.FieldsV1": "k8s/apis/meta/fields_v1.hpp",
    "meta/v1.MicroTime": "k8s/apis/meta/time.hpp",
    "meta/v1.Time": "k8s/apis/meta/time.hpp",
    "resource.Quantity": "k8s/resource/quantity.hpp",
    "runtime.RawExtension": "k8s/runtime/raw_extension.hpp",
}

# Headers of the vocabulary, by the words of a C++ type.
_WORD_HEADERS = {
    "Bool": "k8s/bool.hpp",
    "Box": "k8s/box.hpp",
    "Bytes": "k8s/bytes.hpp",
    "RequiredList": "k8s/required_list.hpp",
    "StringMap": "k8s/string_map.hpp",
    "std::int32_t": "cstdint",
    "std::int64_t": "cstdint",
    "std::optional": "optional",
    "std::string": "string",
    "std::vector": "vector",
}


def header(package, packages):
    """include/k8s/apis/<folder>/<version>.hpp"""
    project, std = _header_includes(package, packages)
    return text.file_text(
        ["#pragma once"],
        project,
        std,
        ["namespace k8s::inline v0 {"],
        forward.declarations(package),
        _describe_declarations(package),
        [f"namespace {package.namespace} {{"],
        *_constants(package),
        _map_aliases(package),
        *(_struct(struct) for struct in package.structs),
        [f"}}  // namespace {package.namespace}"],
        _object_type_declarations(package),
        ["}  // namespace k8s::inline v0"],
    )


def _header_includes(package, packages):
    headers = {"k8s/codec/type_info.hpp"}
    for member in (member for struct in package.structs for member in struct.fields):
        headers |= _word_headers(member.cpp_type)
        headers |= {_SCALAR_HEADERS.get(member.element)} - {None}
        headers |= {p.header for p in packages if p.key in member.packages - {package.key}}
    for _, cpp_type in package.map_aliases:
        headers |= _word_headers(cpp_type)
    if package.resources:
        headers.add("k8s/runtime/object_type.hpp")
    if any(struct.custom_json for struct in package.structs):
        headers.add("string_view")
    for _, _, value in package.constants:
        headers.add("string_view" if isinstance(value, str) else "cstdint")
    project = {h for h in headers if h.startswith("k8s/")}
    return text.includes(*project), text.includes(*(headers - project))


def _word_headers(cpp_type):
    words = re.findall(r"[\w:]+", cpp_type)
    return {_WORD_HEADERS[word] for word in words if word in _WORD_HEADERS}


def _describe_declarations(package):
    """Before any use, so that a Box of a type that is not complete yet can be described."""
    lines = ["namespace codec {"]
    for name in sorted(struct.name for struct in package.structs):
        lines += [
            "template <>",
            f"struct Describe<{package.namespace}::{name}> {{",
            "  static const TypeInfo info;",
            "};",
        ]
    return [*lines, "}  // namespace codec"]


def _constants(package):
    """Grouped by their Go type, which the heading names."""
    blocks = []
    for go_type in sorted({go_type for _, go_type, _ in package.constants}):
        lines = [f"// {go_type}"] if go_type not in ("", "string", "int32", "int") else []
        for name, of_type, value in sorted(package.constants):
            if of_type == go_type:
                lines += _constant(name, value)
        blocks.append(lines)
    return blocks


def _constant(name, value):
    if not isinstance(value, str):
        return [f"inline constexpr std::int32_t k{name} = {value};"]
    start = f"inline constexpr std::string_view k{name} ="
    line = f"{start} {text.quoted(value)};"
    return [line] if len(line) <= 100 else [start, f"    {text.quoted(value)};"]


def _struct(struct):
    lines = [f"struct {struct.name} {{"]
    lines += [f"  {f.cpp_type} {f.member}{f.initial};" for f in struct.fields]
    if struct.custom_json:
        lines += [
            "",
            "  const char* UnmarshalJSON(std::string_view raw);",
            "  void MarshalJSON(std::string& out) const;",
            "  [[nodiscard]] bool IsZero() const;",
        ]
    start, rest = f"  friend bool operator==(const {struct.name}&,", f"const {struct.name}&);"
    fits = len(start) + 1 + len(rest) <= 100
    lines += [f"{start} {rest}"] if fits else [start, " " * 25 + rest]
    return [*lines, "};"]


def _map_aliases(package):
    return [f"using {name} = {cpp_type};" for name, cpp_type in package.map_aliases]


def _object_type_declarations(package):
    if not package.resources:
        return []
    lines = ["namespace runtime {"]
    for resource in package.resources:
        lines += ["template <>", f"const ObjectType& ObjectTypeOf<{resource.cpp_type}>();"]
    return [*lines, "}  // namespace runtime"]
