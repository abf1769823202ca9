"""What the lines of profiles become in a manifest, and what is shown of both: no secrets."""

from __future__ import annotations

from specgen.diagnostics.model import spelt
from specgen.manifest.asked import origin_of, role_name, role_of, roles_once, units, value_at
from specgen.manifest.origins import Origins
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.source import Path, Source


# Characters of a value: a whole file can be one.
_LONGEST = 120


class Part:
    """What stands in a manifest: in which roles, its path and value in words, and why."""

    __slots__ = ("reason", "roles", "said")

    def __init__(self, roles: list[str], said: str, reason: str) -> None:
        self.roles = roles
        self.said = said
        self.reason = reason

    def __str__(self) -> str:
        return f"{', '.join(self.roles)}: {self.said}" if self.roles else self.said


def becoming(
    manifest: Manifest, secrets: Secrets, quoted: Quoted
) -> tuple[dict[tuple[str, int, str], list[Part]], list[Part]]:
    """(file, line, its text) of profiles, in order, → the parts that come of it; and the parts that nobody wrote."""
    origins = manifest.where
    assert isinstance(origins, Origins)
    by_line: dict[tuple[str, int, str], list[Part]] = {}
    added: list[Part] = []
    for path, others in roles_once(manifest, units(manifest)):
        origin = origin_of(manifest, path)
        at = role_of(path)
        roles = [] if at is None else [role_name(manifest.tree, path[: at + 1]), *others]
        shown = dotted(path[at + 1 :] if at is not None and at + 1 < len(path) else path)
        shown = shown.removeprefix("template.spec.")
        text = " ".join(secrets.shown(path, value_at(manifest.tree, path)).split())
        text = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
        if origin is None or origin[1] is None:
            added.append(Part(roles, f"{shown} = {text}", secrets.masked(origin[2]) if origin is not None else ""))
            continue
        source, start, _ = (origin[1].where or origins.default).span(origin[1])
        line, _ = source.position(start)
        part = Part(roles, f"{shown} = {text}", secrets.masked(origin[2]))
        by_line.setdefault((source.name, line, quoted.line(source, line)), []).append(part)
    files = list(dict.fromkeys(name for name, _, _ in by_line))
    return dict(sorted(by_line.items(), key=lambda one: (files.index(one[0][0]), one[0][1]))), added


class Secrets:
    """What is not shown of an object."""

    __slots__ = ("_known", "_whole")

    def __init__(self, tree: Any) -> None:
        from specgen.diagnostics.secrets import hidden, values

        self._known = values(tree)
        self._whole = {path for path, span in hidden(tree) if span is None}

    def shown(self, path: Path, value: object) -> str:
        """A value without its secrets."""
        from specgen.diagnostics.secrets import DOTS

        if any(path[: len(one)] == one for one in self._whole):
            return DOTS
        if isinstance(value, dict) and value:
            return "{" + ", ".join(f"{key}: {self.shown((*path, key), one)}" for key, one in value.items()) + "}"
        if isinstance(value, list) and value:
            return "[" + ", ".join(self.shown((*path, at), one) for at, one in enumerate(value)) + "]"
        return self.masked(spelt(value))

    def masked(self, text: str) -> str:
        """A text without those of the object."""
        from specgen.diagnostics.secrets import masked

        return masked(text, self._known)


class Quoted:
    """Lines of profiles without their secrets."""

    __slots__ = ("_lines",)

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = {}

    def line(self, source: Source, number: int) -> str:
        """A line, without the blanks around it."""
        from specgen.diagnostics.sources import quoted
        from specgen.document.secrets import concealed

        if source.name not in self._lines:
            self._lines[source.name] = concealed(source).split("\n")
        return quoted(self._lines[source.name], [number])[number].strip()
