"""Labels of pods as the API server takes them (apimachinery, pkg/apis/meta/v1/validation and pkg/util/validation)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_WORD = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_PREFIX = "abcdefghijklmnopqrstuvwxyz0123456789-."


def unusable(labels: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    """(name, whether it is the name itself) of each label that is refused; texts that a tool still fills in are not."""
    for name, value in labels.items():
        if not _final(name):
            continue
        if not _is_name(name):
            yield name, True
        elif isinstance(value, str) and value and _final(value) and not _is_part(value):
            yield name, False


def _final(text: str) -> bool:
    return "$" not in text and "{{" not in text


def _is_part(text: str) -> bool:
    return len(text) <= 63 and text[0] in _WORD and text[-1] in _WORD and not text.strip(_WORD + "-_.")


def _is_name(text: str) -> bool:
    """``name`` or ``prefix/name``, the prefix a DNS name."""
    prefix, slash, name = text.rpartition("/")
    if slash and (not prefix or len(prefix) > 253 or prefix.strip(_PREFIX) or not _is_dns(prefix)):
        return False
    return bool(name) and _is_part(name)


def _is_dns(text: str) -> bool:
    return all(part and part[0] != "-" and part[-1] != "-" for part in text.split("."))
