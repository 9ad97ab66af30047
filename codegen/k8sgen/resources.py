"""The table of facts about resources."""

from . import text


def source(schema):
    """src/apis/resources_table.cpp"""
    names = _NameLists()
    subresources, rows = [], []
    for resource in schema.resources:
        facts = resource.facts
        part = "{}"
        if facts.get("subresources"):
            part = f"k{resource.package.namespace.capitalize()}{resource.kind}Subresources"
            subresources.append(_subresources(part, facts, names))
        rows += _row(facts, part, names)
    return text.file_text(
        text.includes("k8s/apis/resources.hpp"),
        text.includes("string_view"),
        ["namespace k8s::inline v0::apis {", "namespace {"],
        names.lines,
        *subresources,
        ["constexpr ResourceFacts kResources[] = {", *rows, "};"],
        ["}  // namespace"],
        ["std::span<const ResourceFacts> BuiltinResources() { return kResources; }"],
        ["}  // namespace k8s::inline v0::apis"],
    )


class _NameLists:
    """Lists of names, each written once."""

    def __init__(self):
        self.lines = []
        self._by_names = {}

    def __call__(self, names):
        if not names:
            return "{}"
        key = tuple(sorted(names))
        if key not in self._by_names:
            constant = f"kNames{len(self._by_names)}"
            self._by_names[key] = constant
            items = [text.quoted(name) for name in key]
            self.lines += _joined(f"constexpr std::string_view {constant}[] = {{", items, "};")
        return self._by_names[key]


def _joined(start, items, end):
    line = start + ", ".join(items) + end
    return [line] if len(line) <= 100 else [start, *text.wrapped(items, "    ", end)]


def _subresources(constant, facts, names):
    lines = [f"constexpr SubresourceFacts {constant}[] = {{"]
    for part in facts["subresources"]:
        group, version = part["group"], part["version"]
        if not version:  # Discovery leaves out what is the resource's own.
            group, version = facts["group"], facts["version"]
        strings = [text.quoted(s) for s in (part["name"], group, version, part["kind"])]
        lines.append("    {" + ", ".join([*strings, names(part["verbs"])]) + "},")
    return [*lines, "};"]


def _row(facts, subresources, names):
    strings = ("group", "version", "kind", "resource", "singular")
    items = [text.quoted(facts[name]) for name in strings]
    items += [
        "Scope::kNamespaced" if facts["namespaced"] else "Scope::kCluster",
        "true" if facts["servedByDefault"] else "false",
        names(facts.get("shortNames")),
        names(facts.get("categories")),
        names(facts["verbs"]),
        subresources,
    ]
    lines = text.wrapped(items, "     ", "},")
    return ["    {" + lines[0].lstrip(), *lines[1:]]
