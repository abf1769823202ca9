"""The forms of names as the API server takes them: labels, subdomains, keys, ports, variables, addresses.

Read from Kubernetes 1.36, apimachinery, pkg/util/validation/validation.go and pkg/api/validate/content. No regular
expressions: most names of a job are judged in every build.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_DIGITS = frozenset("0123456789")
_LABEL = _LETTERS | _DIGITS | {"-"}
_SUBDOMAIN = _LABEL | {"."}
_WORD = _LETTERS | _DIGITS | frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_NAME = _WORD | frozenset("-_.")
# All printable ASCII but the equals sign.
_VARIABLE = frozenset(chr(code) for code in range(32, 127)) - {"="}
# RFC 9110's tokens, as IsHTTPHeaderName takes them.
_HEADER = _WORD | {"-"}


# Letters that the API server puts behind a `generateName`, where nobody knows them yet.
RANDOM = "<random>"


def known(name: str) -> str:
    """A name with letters for the unknown ones, to judge its form by."""
    return name.replace(RANDOM, "x" * 5)


def is_label(name: str, *, letter_first: bool = False) -> bool:
    """Whether a name is a DNS label: at most 63 of ``a-z0-9-``, no dash at an end; by RFC 1035 a letter comes first."""
    if not 0 < len(name) <= 63 or not _LABEL.issuperset(name) or name[0] == "-" or name[-1] == "-":
        return False
    return not letter_first or name[0] in _LETTERS


def is_subdomain(name: str) -> bool:
    """Whether a name is labels with dots between them, at most 253 characters: what objects may be called."""
    if not 0 < len(name) <= 253 or not _SUBDOMAIN.issuperset(name):
        return False
    # no label is empty, begins, or ends with a dash
    return ".." not in name and "-." not in name and ".-" not in name and name[0] not in ".-" and name[-1] not in ".-"


def is_search_domain(name: str) -> bool:
    """Whether a name may be searched in: a subdomain with underscores in it, and a dot behind it, or a dot alone."""
    if name == ".":
        return True
    ends, signs = _LABEL - {"-"}, _LABEL | {"_"}
    parts = [part.removeprefix("_") for part in name.removesuffix(".").split(".")]
    return len(name) <= 254 and all(
        part and signs.issuperset(part) and part[0] in ends and part[-1] in ends for part in parts
    )


def is_port_name(name: Any) -> bool:
    """Whether a name is one of IANA's for services: at most 15 of ``a-z0-9-``, a letter among them, single dashes."""
    if not isinstance(name, str) or len(name) > 15 or not is_label(name):
        return False
    return "--" not in name and not _LETTERS.isdisjoint(name)


def is_label_value(text: str) -> bool:
    """Whether a text may be the value of a label: empty, or at most 63 letters, digits, ``-_.``, none at an end."""
    return not text or is_name_part(text)


def is_name_part(text: str) -> bool:
    """Whether a text may stand behind the slash of a qualified name, or alone."""
    return 0 < len(text) <= 63 and _NAME.issuperset(text) and text[0] in _WORD and text[-1] in _WORD


def is_qualified(text: str) -> bool:
    """``name`` or ``prefix/name``, the prefix a subdomain: keys of labels and annotations, resources, gates."""
    prefix, slash, name = text.rpartition("/")
    return is_name_part(name) and (not slash or (bool(prefix) and is_subdomain(prefix)))


def is_key(text: str) -> bool:
    """Whether a text may be a key of a ConfigMap or Secret."""
    return 0 < len(text) <= 253 and _NAME.issuperset(text) and text != "." and not text.startswith("..")


def is_variable(name: str) -> bool:
    """Whether a name may be that of a variable: printable ASCII without ``=`` (relaxed since Kubernetes 1.32)."""
    return bool(name) and _VARIABLE.issuperset(name)


def is_header(name: str) -> bool:
    """Whether a name may be that of an HTTP header."""
    return bool(name) and _HEADER.issuperset(name)


def is_sysctl(name: str) -> bool:
    """Whether a name may be that of a sysctl: segments of ``a-z0-9-_`` with dots or slashes between."""
    signs = _LABEL | {"_"}
    parts = name.replace("/", ".").split(".")
    return 0 < len(name) <= 253 and all(
        part and signs.issuperset(part) and part[0] not in "-_" and part[-1] not in "-_" for part in parts
    )


def is_address(text: str) -> bool:
    """Whether a text is an IP address; zeros may lead, as in Go before 1.17 (netutils.ParseIPSloppy)."""
    parts = text.split(".")
    if ":" not in text:
        return len(parts) == 4 and all(_DIGITS.issuperset(part) and len(part) > 0 and _small(part) for part in parts)
    if "%" in text:
        return False
    from ipaddress import IPv6Address  # few hosts have such an address

    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def _small(digits: str) -> bool:
    significant = digits.lstrip("0")
    return len(significant) < 4 and int(significant or "0") <= 255
