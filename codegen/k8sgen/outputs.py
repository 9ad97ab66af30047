"""Which files there are."""

from . import types


def all_files(schema):
    """Text by path from the root of the project."""
    files = {}
    for package in schema.packages:
        files[f"include/{package.header}"] = types.header(package, schema.packages)
    return files
