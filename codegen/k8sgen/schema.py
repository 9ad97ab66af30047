"""Reads the facts and turns them into a model in C++ terms."""

import json
from dataclasses import dataclass, field
from functools import cached_property

from . import naming

_SCALARS = {
    "string": "std::string",
    "bool": "bool",
    "int32": "std::int32_t",
    "int64": "std::int64_t",
    "float64": "double",
    "bytes": "Bytes",
    "any": "runtime::RawExtension",
    "meta/v1.Time": "metav1::Time",
    "meta/v1.MicroTime": "metav1::MicroTime",
    "meta/v1.FieldsV1": "metav1::FieldsV1",
    "resource.Quantity": "resource::Quantity",
    "intstr.IntOrString": "intstr::IntOrString",
    "runtime.RawExtension": "runtime::RawExtension",
    "apiextensions/v1.JSON": "apiextensionsv1::JSON",
}

# Scalars alone: each "= {}" of a class type makes every file that includes the header instantiate the
# member's destructor, and those of all that it holds, which doubles what the header costs.
_INITIAL = {"bool": " = false", "std::int32_t": " = 0", "std::int64_t": " = 0", "double": " = 0"}

_OMIT = {None: "kNever", "omitempty": "kEmpty", "omitempty,omitzero": "kZero"}


@dataclass(frozen=True)
class Field:
    """A member of a C++ struct."""

    member: str
    wire: str
    cpp_type: str  # as written inside the package's namespace
    omit: str
    proto: int
    inline_path: tuple  # protobuf numbers of the inlined messages around it, outermost first
    value_dep: str | None  # struct key that must be complete before this one
    element: str  # schema's name of the scalar or struct
    packages: frozenset  # keys of the packages whose headers it needs

    @property
    def initial(self):
        return _INITIAL.get(self.cpp_type, "")

    @property
    def proto_inline(self):
        """The path as one number: outermost in the low byte."""
        return sum(number << (8 * i) for i, number in enumerate(self.inline_path))


@dataclass(frozen=True)
class Struct:
    key: str
    name: str
    fields: tuple
    custom_json: bool  # JSON of its own shape, written by hand


@dataclass
class Package:
    """One Go package: one header, one source, one namespace."""

    key: str
    folder: str
    stem: str
    namespace: str
    structs: list  # in an order that makes members by value complete
    map_aliases: list  # (name, C++ type)
    constants: list  # (name, Go type, value)
    resources: list = field(default_factory=list)

    @property
    def header(self):
        return f"k8s/apis/{self.folder}/{self.stem}.hpp"

    @property
    def go_name(self):
        """The end of the import path: core/v1."""
        return self.key.removeprefix("k8s.io/apimachinery/pkg/")

    @property
    def source_stem(self):
        return f"{self.folder}_{self.stem}"


@dataclass(frozen=True)
class Resource:
    """A resource that servers offer."""

    facts: dict
    package: Package

    @property
    def kind(self):
        return self.facts["kind"]

    @property
    def namespaced(self):
        return self.facts["namespaced"]

    @property
    def scope(self):
        return "k8s::Scope::kNamespaced" if self.namespaced else "k8s::Scope::kCluster"

    @property
    def accessor(self):
        """client-go's name: NetworkPolicies."""
        name = naming.plural_kind(self.kind)
        if name.lower() != self.facts["resource"]:
            raise ValueError(f"{self.kind}: plural {name} is not {self.facts['resource']}")
        return name

    @property
    def cpp_type(self):
        return f"{self.package.namespace}::{self.facts['type'].rsplit('.', 1)[1]}"

    @property
    def watchable(self):
        return {"list", "watch"} <= set(self.facts["verbs"])


class Schema:
    """All packages and resources."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self._facts = json.load(file)
        self._structs = self._facts["structs"]
        self._aliases = self._facts["aliases"]

    @cached_property
    def packages(self):
        keys = {_package_of(key) for key in self._structs}
        packages = [self._package(key) for key in sorted(keys)]
        by_key = {package.key: package for package in packages}
        for facts in self._facts["resources"]:
            package = by_key[_package_of(facts["type"])]
            package.resources.append(Resource(facts, package))
        return packages

    @cached_property
    def resources(self):
        """By group, version and kind."""
        found = [resource for package in self.packages for resource in package.resources]
        return sorted(found, key=lambda r: (r.facts["group"], r.facts["version"], r.kind))

    def _package(self, key):
        names = [name for name in self._structs if _package_of(name) == key]
        structs = {name: self._struct(name) for name in names}
        return Package(
            key,
            *naming.package_parts(key),
            structs=_by_value_order(structs),
            map_aliases=[
                (alias.rsplit(".", 1)[1], self._map_type(alias, key))
                for alias, facts in self._aliases.items()
                if _package_of(alias) == key and facts.get("map")
            ],
            constants=[
                (name, facts["type"], facts["value"])
                for name, facts in self._facts["constants"].get(key, {}).items()
            ],
        )

    def _struct(self, key):
        flat = list(self._flatten(key))
        custom = any("json" not in facts for facts, _ in flat)
        fields = tuple(self._field(facts, path, _package_of(key)) for facts, path in flat)
        return Struct(key, key.rsplit(".", 1)[1], fields, custom)

    def _flatten(self, key, path=()):
        for facts in self._structs[key]:
            if not facts.get("inline"):
                yield facts, path
            elif "proto" in facts:
                yield from self._flatten(facts["type"], (*path, facts["proto"]))
            else:  # TypeMeta: in protobuf it travels outside of the message.
                for inner, _ in self._flatten(facts["type"]):
                    yield {k: v for k, v in inner.items() if k != "proto"}, path

    def _field(self, facts, path, package):
        proto = facts.get("proto", 0)
        return Field(
            member=naming.member_name(facts["name"], facts.get("json")),
            wire=facts.get("json", ""),
            cpp_type=self._cpp_type(facts, package),
            omit=_OMIT[facts.get("omit")],
            proto=proto,
            inline_path=path if proto else (),
            value_dep=None if facts.get("pointer") else self._struct_used(facts["type"]),
            element=self._resolve(facts["type"]),
            packages=self._packages_used(facts["type"]),
        )

    def _resolve(self, type_name):
        """Through aliases and `mapOfList:` to a struct or scalar."""
        type_name = type_name.removeprefix("mapOfList:")
        while type_name in self._aliases:
            type_name = self._aliases[type_name]["type"]
        return type_name

    def _struct_used(self, type_name):
        resolved = self._resolve(type_name)
        return resolved if resolved in self._structs else None

    def _packages_used(self, type_name):
        used = {type_name} if self._aliases.get(type_name, {}).get("map") else set()
        used |= {self._struct_used(type_name)} - {None}
        return frozenset(_package_of(name) for name in used)

    def _element_type(self, type_name, package):
        """The C++ type without list, map and pointer."""
        resolved = self._resolve(type_name)
        if resolved not in self._structs:
            return _within(_SCALARS[resolved], naming.package_parts(package)[2])
        name = f"{naming.package_parts(_package_of(resolved))[2]}::{resolved.rsplit('.', 1)[1]}"
        return _within(name, naming.package_parts(package)[2])

    def _map_type(self, alias, package):
        return f"StringMap<{self._element_type(alias, package)}>"

    def _cpp_type(self, facts, package):
        type_name = facts["type"]
        alias = self._aliases.get(type_name, {})
        if alias.get("map"):
            name = f"{naming.package_parts(_package_of(type_name))[2]}::{type_name.rsplit('.', 1)[1]}"
            return _within(name, naming.package_parts(package)[2])
        element = self._element_type(type_name, package)
        if type_name.startswith("mapOfList:"):
            return f"StringMap<RequiredList<{element}>>"
        if facts.get("map"):
            return f"StringMap<{element}>"
        if facts.get("list") or alias.get("list"):
            element = "Bool" if element == "bool" else element
            return f"std::vector<{element}>" if facts.get("omit") else f"RequiredList<{element}>"
        if facts.get("pointer"):
            is_struct = self._struct_used(type_name) is not None
            return f"Box<{element}>" if is_struct else f"std::optional<{element}>"
        return element


def _package_of(key):
    return key.rsplit(".", 1)[0]


def _within(name, namespace):
    return name.removeprefix(namespace + "::")


def _by_value_order(structs):
    """Every struct after those it has by value, in a list or in a map; else by name."""
    ordered, seen = [], set()

    def visit(key):
        if key in seen:
            return
        seen.add(key)
        for dep in sorted({f.value_dep for f in structs[key].fields if f.value_dep in structs}):
            visit(dep)
        ordered.append(structs[key])

    for key in sorted(structs):
        visit(key)
    return ordered
