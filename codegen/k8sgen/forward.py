"""Forward declarations of all types."""

from . import text


def header(schema):
    """include/k8s/apis/fwd.hpp"""
    return text.file_text(
        ["#pragma once"],
        ["namespace k8s::inline v0 {"],
        *(declarations(package) for package in schema.packages),
        ["}  // namespace k8s::inline v0"],
    )


def declarations(package):
    """Of all structs of one package."""
    names = sorted(struct.name for struct in package.structs)
    return [
        f"namespace {package.namespace} {{",
        *(f"struct {name};" for name in names),
        f"}}  // namespace {package.namespace}",
    ]
