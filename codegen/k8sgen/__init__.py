"""Generates the C++ API types of client-cpp from the facts in codegen/schema."""
