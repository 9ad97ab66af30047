"""Access to resources under client-go's names: factory.Core().V1().Pods(), client.CoreV1().Pods().

The accessors are templates with their type as default, so that a program compiles and links only
the types it asks for.
"""

from . import naming, text


def informers(schema):
    """include/k8s/informers/accessors.hpp"""
    packages = [p for p in schema.packages if _watchable(p)]
    folders = sorted({package.folder for package in packages})
    return text.file_text(
        ["#pragma once"],
        text.includes(
            "k8s/apis/fwd.hpp",
            "k8s/informers/factory_core.hpp",
            "k8s/informers/listers.hpp",
            "k8s/informers/typed_informer.hpp",
        ),
        text.includes("utility"),
        [
            "/// What `factory.Core().V1().Pods()` goes through. To use what it returns, include the type's",
            "/// header, <k8s/apis/core/v1.hpp>.",
            "namespace k8s::inline v0::informers {",
        ],
        *(_version_informers(package) for package in packages),
        *(_group_informers(f, [p for p in packages if p.folder == f]) for f in folders),
        ["namespace detail {"],
        [
            "/// The groups of a SharedInformerFactory.",
            "class GroupAccessors {",
            " public:",
            "  explicit GroupAccessors(FactoryCorePtr core) : core_(std::move(core)) {}",
            "",
            *(
                line
                for f in folders
                for line in [
                    f"  [[nodiscard]] {_group_class(f)} {naming.group_accessor(f)}() const {{",
                    f"    return {_group_class(f)}(core_);",
                    "  }",
                ]
            ),
            "",
            " protected:",
            "  [[nodiscard]] const FactoryCorePtr& core() const { return core_; }",
            "",
            " private:",
            "  FactoryCorePtr core_;",
            "};",
        ],
        ["}  // namespace detail"],
        ["}  // namespace k8s::inline v0::informers"],
    )


def _version_informers(package):
    """The informers of one group-version."""
    name = _group_class(package.folder, package.stem)
    return [
        f"class {name} {{",
        " public:",
        f"  explicit {name}(FactoryCorePtr core) : core_(std::move(core)) {{}}",
        "",
        *(
            line
            for resource in _watchable(package)
            for line in [
                f"  template <class T = {resource.cpp_type}>",
                f"  [[nodiscard]] TypedInformer<T> {resource.accessor}() const {{",
                "    return TypedInformer<T>(core_);",
                "  }",
            ]
        ),
        "",
        " private:",
        "  FactoryCorePtr core_;",
        "};",
    ]


def _group_informers(folder, packages):
    """The versions of one group."""
    name = _group_class(folder)
    return [
        f"class {name} {{",
        " public:",
        f"  explicit {name}(FactoryCorePtr core) : core_(std::move(core)) {{}}",
        "",
        *(
            line
            for package in packages
            for line in [
                f"  [[nodiscard]] {_group_class(folder, package.stem)}"
                f" {naming.version_accessor(package.stem)}() const {{",
                f"    return {_group_class(folder, package.stem)}(core_);",
                "  }",
            ]
        ),
        "",
        " private:",
        "  FactoryCorePtr core_;",
        "};",
    ]


def listers(schema):
    """include/k8s/informers/listers.hpp"""
    namespaced = [r for p in schema.packages for r in _watchable(p) if r.namespaced]
    accessor_of = {resource.kind: resource.accessor for resource in namespaced}
    return text.file_text(
        ["#pragma once"],
        text.includes("k8s/apis/fwd.hpp", "k8s/informers/typed_informer.hpp"),
        text.includes("string_view", "utility"),
        [
            "/// Listers of namespaced built-in types, with client-go's names for `Namespace`.",
            "namespace k8s::inline v0::informers {",
        ],
        *(_lister(kind, accessor) for kind, accessor in sorted(accessor_of.items())),
        *(
            [
                "template <>",
                f"struct ListerTrait<{resource.cpp_type}> {{",
                f"  using type = {resource.kind}Lister<{resource.cpp_type}>;",
                "};",
            ]
            for resource in namespaced
        ),
        ["}  // namespace k8s::inline v0::informers"],
    )


def _lister(kind, accessor):
    return [
        "template <class T>",
        f"class {kind}Lister : public cache::Lister<T> {{",
        " public:",
        "  using cache::Lister<T>::Lister;",
        f"  explicit {kind}Lister(cache::Lister<T> lister)",
        "      : cache::Lister<T>(std::move(lister)) {}",
        f"  [[nodiscard]] auto {accessor}(std::string_view name_space) const {{",
        "    return this->Namespace(name_space);",
        "  }",
        "};",
    ]


def clients(schema):
    """include/k8s/kubernetes/typed/accessors.hpp"""
    packages = [package for package in schema.packages if package.resources]
    return text.file_text(
        ["#pragma once"],
        text.includes(
            "k8s/apis/fwd.hpp", "k8s/kubernetes/typed/expansions.hpp", "k8s/rest/client.hpp"
        ),
        text.includes("string_view", "utility"),
        [
            "/// What `client.CoreV1().Pods(\"default\")` goes through. To use what it returns, include the",
            "/// type's header, <k8s/apis/core/v1.hpp>.",
            "namespace k8s::inline v0::kubernetes {",
        ],
        *(_version_client(package) for package in packages),
        [
            "/// The group-versions of a Clientset.",
            "class ClientsetAccessors {",
            " public:",
            "  explicit ClientsetAccessors(rest::Client client) : client_(std::move(client)) {}",
            "",
            *(
                line
                for package in packages
                for line in [
                    f"  [[nodiscard]] {_client_class(package)} {_group_version(package)}() const {{",
                    f"    return {_client_class(package)}(client_);",
                    "  }",
                ]
            ),
            "",
            " protected:",
            "  [[nodiscard]] const rest::Client& rest_client() const { return client_; }",
            "",
            " private:",
            "  rest::Client client_;",
            "};",
        ],
        ["}  // namespace k8s::inline v0::kubernetes"],
    )


def _version_client(package):
    """The resources of one group-version."""
    name = _client_class(package)
    lines = [
        f"class {name} {{",
        " public:",
        f"  explicit {name}(rest::Client client) : client_(std::move(client)) {{}}",
        "",
    ]
    for resource in sorted(package.resources, key=lambda r: r.kind):
        parameter = "std::string_view namespace_" if resource.namespaced else ""
        argument = ", namespace_" if resource.namespaced else ""
        lines += [
            f"  template <class T = {resource.cpp_type}>",
            f"  [[nodiscard]] ClientFor<T> {resource.accessor}({parameter}) const {{",
            f"    return ClientFor<T>(client_{argument});",
            "  }",
        ]
    return [*lines, "", " private:", "  rest::Client client_;", "};"]


def _watchable(package):
    return sorted((r for r in package.resources if r.watchable), key=lambda r: r.kind)


def _group_version(package):
    return naming.group_accessor(package.folder) + naming.version_accessor(package.stem)


def _group_class(folder, version=None):
    suffix = naming.version_accessor(version) if version else ""
    return naming.group_accessor(folder) + suffix + "Informers"


def _client_class(package):
    return _group_version(package) + "Client"
