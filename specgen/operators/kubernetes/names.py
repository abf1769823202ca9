"""The forms of names as the API server takes them: labels and subdomains.

Read from Kubernetes 1.36, apimachinery, pkg/util/validation/validation.go. No regular expressions: most names of a job
are judged in every build.
"""

from __future__ import annotations

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
_LABEL = _LETTERS | frozenset("0123456789-")


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
    if len(name) > 253:
        return False
    parts = name.split(".")
    return all(part and _LABEL.issuperset(part) and part[0] != "-" and part[-1] != "-" for part in parts)
