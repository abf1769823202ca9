"""Another reader's word on a text that was edited."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def agrees(before: str, after: str) -> bool:
    """Whether ruamel.yaml reads an edited text as the reader here does, as far as it did so before the edit.

    It is a parser of its own, and what it makes of a text is compared event by event. The two differ on rare texts
    that are right for one of them alone; an edit of these cannot be judged by it.
    """
    old, new = _documents(before), _documents(after)
    if len(old) != len(new) or any(text.lstrip("\ufeff").startswith("%") or "\n%" in text for text in (before, after)):
        # a directive is said ahead of the line that begins its document
        old, new = [before], [after]
    return all(_same(now) or not _same(then) for then, now in zip(old, new, strict=True) if then != now)


def _documents(text: str) -> list[str]:
    """The parts of a text that begin with the lines which part documents, in whatever they stand."""
    head, *others = text.split("\n---")
    return [head, *("\n---" + other for other in others)]


def _same(text: str) -> bool:
    from specgen.document import libyaml

    parser, _, error = libyaml.parser()
    own = parser(text)
    try:
        mine = []
        while own.check_event():
            mine.append(_essence(own.get_event()))
    except error:
        return False
    finally:
        own.dispose()
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        theirs = [_essence(event) for event in YAML(typ="safe", pure=True).parse(text)]
    except YAMLError:
        return False
    return mine == theirs


def _essence(event: Any) -> tuple[str, str | None, str | None]:
    return type(event).__name__, getattr(event, "value", None), getattr(event, "anchor", None)
