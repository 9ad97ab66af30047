"""How names of the Kubernetes API look in C++."""

import re

# What may not name a member: keywords, alternative tokens, and macros of <cstdio>.
_RESERVED = frozenset(
    """
    alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
    char32_t class compl concept const consteval constexpr constinit const_cast continue co_await
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export
    extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq
    nullptr operator or or_eq private protected public register reinterpret_cast requires return
    short signed sizeof static static_assert static_cast struct switch template this thread_local
    throw true try typedef typeid typename union unsigned using virtual void volatile wchar_t while
    xor xor_eq stdin stdout stderr linux unix""".split()
)

# Packages of the schema that are not named group/version.
_OTHER_PACKAGES = {"k8s.io/apimachinery/pkg/version": ("version", "info", "version")}

# client-go's plural accessor where it is not the kind with an ending.
_PLURALS = {"Endpoints": "Endpoints"}

# client-go's accessor of a group where it is not the capitalised package.
_GROUP_ACCESSORS = {"apiserverinternal": "Internal"}


def lower_first(name):
    """Port -> port, JSONSchemas -> jsonSchemas, XListType -> xListType."""
    if re.match(r"[A-Z][A-Z]+[a-z]", name):
        head = re.match(r"[A-Z]+(?=[A-Z][a-z])", name).group()
        return head.lower() + name[len(head):]
    return name[0].lower() + name[1:]


def member_name(go_name, json_name):
    """The wire name where it is an identifier, else Go's with a lower first letter."""
    name = json_name or ""
    if not re.fullmatch(r"[a-z][A-Za-z0-9]*", name):
        name = lower_first(go_name)
    return name + "_" if name in _RESERVED else name


def package_parts(key):
    """Folder, file stem and namespace of a package: core/v1 -> core, v1, corev1."""
    if key in _OTHER_PACKAGES:
        return _OTHER_PACKAGES[key]
    folder, version = key.split("/")
    return folder, version, folder + version


def plural_kind(kind):
    """NetworkPolicy -> NetworkPolicies, as client-go names its accessors."""
    if kind in _PLURALS:
        return _PLURALS[kind]
    if re.search(r"[^aeiou]y$", kind):
        return kind[:-1] + "ies"
    if re.search(r"(s|x|z|ch|sh)$", kind):
        return kind + "es"
    return kind + "s"


def group_accessor(folder):
    """core -> Core, rbac -> Rbac, as client-go names its groups."""
    return _GROUP_ACCESSORS.get(folder, folder[0].upper() + folder[1:])


def version_accessor(version):
    """v1beta1 -> V1beta1."""
    return version[0].upper() + version[1:]
