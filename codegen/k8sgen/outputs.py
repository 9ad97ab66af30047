"""Which files there are."""

from . import accessors, forward, resources, sources, types


def all_files(schema):
    """Text by path from the root of the project."""
    files = {
        "include/k8s/apis/fwd.hpp": forward.header(schema),
        "include/k8s/informers/accessors.hpp": accessors.informers(schema),
        "include/k8s/informers/listers.hpp": accessors.listers(schema),
        "include/k8s/kubernetes/typed/accessors.hpp": accessors.clients(schema),
        "src/apis/packages.hpp": sources.packages_header(schema),
        "src/apis/resources_table.cpp": resources.source(schema),
    }
    for package in schema.packages:
        files[f"include/{package.header}"] = types.header(package, schema.packages)
        files[f"src/apis/{package.source_stem}.cpp"] = sources.source(package)
    return files
