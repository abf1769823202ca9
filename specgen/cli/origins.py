"""Where each part of a manifest comes from: the parts of a path, or what became of each line of a profile."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.source import Path, Source

# Characters of a value on the short page.
_LONGEST = 60


def matching(manifests: list[Manifest], wanted: str) -> list[tuple[Manifest, Path]]:
    """The parts that ``wanted`` names: by a path or its end, in whatever letters, or by a value or a part of one."""
    for manifest_paths in (_by_path, _by_folded_path, _by_value, _by_part_of_value):
        found = [(manifest, path) for manifest in manifests for path in manifest_paths(manifest, wanted)]
        if found:
            return found
    return []


def _by_path(manifest: Manifest, wanted: str) -> list[Path]:
    return _paths(manifest.tree, (), wanted)


def _by_folded_path(manifest: Manifest, wanted: str) -> list[Path]:
    return _paths(manifest.tree, (), wanted, fold=True)


def _by_value(manifest: Manifest, wanted: str) -> list[Path]:
    return [path for path in _paths(manifest.tree, (), None) if _text(_value(manifest.tree, path)) == wanted]


def _by_part_of_value(manifest: Manifest, wanted: str) -> list[Path]:
    if len(wanted) < 3:  # a digit is a part of everything
        return []
    return [path for path in _paths(manifest.tree, (), None) if wanted in _text(_value(manifest.tree, path))]


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree


def parts(found: list[tuple[Manifest, Path]]) -> Iterator[str]:
    """Of each part, or of the leaves below it: its value, the profile's line and the reason, as text."""
    quoted = _Quoted()
    secrets: dict[int, _Secrets] = {}
    for manifest, path in found:
        hidden = secrets.setdefault(id(manifest), _Secrets(manifest.tree))
        for leaf in _below(manifest, path):
            yield _line(manifest, leaf, hidden, quoted)


def every(manifests: list[Manifest]) -> list[tuple[Manifest, Path]]:
    """All leaves."""
    return [(manifest, path) for manifest in manifests for path in _paths(manifest.tree, (), None)]


class _Group:
    """Parts of a manifest with one line of the profile behind them, or none.

    ``where``: file, line, and the line's text; ``parts``: (path with its alternatives, value, reason).
    """

    __slots__ = ("parts", "where")

    def __init__(self, where: tuple[str, int, str] | None) -> None:
        self.where = where
        self.parts: list[tuple[list[list[str]], str, str]] = []

    def take(self, steps: list[str], value: str, reason: str) -> None:
        """Takes a part: of paths that differ in one step, such as a role, and say the same, one is kept."""
        for known, its_value, its_reason in self.parts:
            if (its_value, its_reason, len(known)) != (value, reason, len(steps)):
                continue
            apart = [number for number, step in enumerate(steps) if step not in known[number]]
            others = [number for number, names in enumerate(known) if len(names) > 1]
            if len(apart) <= 1 and (not others or not apart or others == apart):
                if apart:
                    known[apart[0]].append(steps[apart[0]])
                return
        self.parts.append(([[step] for step in steps], value, reason))


def page(manifests: list[Manifest], job: Manifest) -> Iterator[str]:
    """What each line of the profile became, line by line, and what was added to it, as text."""
    from specgen.diagnostics.safe import log_line
    from specgen.manifest.origins import Origins

    groups: dict[tuple[str, int, str] | None, _Group] = {}
    quoted = _Quoted()
    for manifest in manifests:
        origins = manifest.where
        assert isinstance(origins, Origins)
        secrets = _Secrets(manifest.tree)
        for path in dict.fromkeys([_told_of(manifest.tree, path) for path in _paths(manifest.tree, (), None)]):
            origin = origins.of(path) or origins.of((*path, 0))
            if origin is None or _says_its_name(manifest.tree, path):
                continue
            _, place, reason = origin
            where = None
            if place is not None:
                source, start, _ = (place.where or origins.default).span(place)
                line = source.position(start)[0]
                where = (source.name, line, quoted.line(source, line))
            whole = _value(manifest.tree, path)
            texts = whole if isinstance(whole, list) and whole else [whole]
            value = ", ".join([" ".join(secrets.shown(path, one).split()) for one in texts])
            value = f"[{value}]" if texts is whole else value
            value = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
            # the line itself says what a word of it is for
            because = "" if where is not None and reason.startswith("`") else secrets.masked(reason)
            group = groups.setdefault(where, _Group(where))
            group.take([manifest.ref.kind, *_steps(manifest.tree, path)], value, because)
    files = list(dict.fromkeys([where[0] for where in groups if where is not None]))
    told = sorted([group for where, group in groups.items() if where is not None], key=lambda one: _rank(one, files))
    for group in [*told, *[group for where, group in groups.items() if where is None]]:
        where = group.where
        lines = ["added, as no profile says it" if where is None else f"{where[0]}:{where[1]}  {where[2]}"]
        for steps, value, because in group.parts:
            kinds, *below = steps
            # the kind is said of the objects beside the job
            whose = "" if kinds == [job.ref.kind] or _is_of_pods(below) else f"{', '.join(kinds)}: "
            lines.append(f"  {whose}{_named(below)} = {value}")
            lines += [f"      {because}"] if because else []
        yield "".join(f"{log_line(text)}\n" for text in lines)


def _rank(group: _Group, files: list[str]) -> tuple[int, int]:
    assert group.where is not None  # those without a line come last
    return files.index(group.where[0]), group.where[1]


def _told_of(tree: Any, path: Path) -> Path:
    """The path of a leaf, or of the list of texts that it is an item of."""
    if not path or not isinstance(path[-1], int):
        return path
    return path if any([isinstance(one, (dict, list)) for one in _value(tree, path[:-1])]) else path[:-1]


def _says_its_name(tree: Any, path: Path) -> bool:
    """Whether a leaf is the name of an item that goes by it, and has more to say."""
    above = path[-2] if len(path) > 1 else None
    return path[-1] == "name" and isinstance(above, int) and len(_value(tree, path[:-1])) > 1


def _pods_at(steps: list[list[str]]) -> int:
    """Where a path enters the spec of a pod template: the number of the step behind it; 0: nowhere."""
    # a JobSet's Jobs have a template of their own around that of their pods
    least = steps.index([".replicatedJobs"]) + 5 if [".replicatedJobs"] in steps else 1
    for at in range(len(steps) - 2, least - 1, -1):
        if (steps[at - 1], steps[at]) == ([".template"], [".spec"]):
            return at + 1
    return 0


def _is_of_pods(steps: list[list[str]]) -> bool:
    return _pods_at(steps) > 0


def _named(steps: list[list[str]]) -> str:
    """A path as text. One into a pod template goes without the way there: `pods of Master, Worker: hostNetwork`."""
    at = _pods_at(steps)
    if at == 0:
        return _joined(steps)
    roles = [names for names in steps[1 : at - 2] if names not in ([".template"], [".spec"])]
    which = f" of {', '.join([name.strip('.[]') for name in roles[-1]])}" if roles else ""
    return f"pods{which}: {_joined(steps[at:]).lstrip('.')}"


def _joined(steps: list[list[str]]) -> str:
    return "".join([names[0] if len(names) == 1 else _either(names) for names in steps])


def _either(names: list[str]) -> str:
    """``.Master`` and ``.Worker`` as ``.{Master,Worker}``."""
    mark = names[0][0]
    return f"{mark}{{{','.join([name.strip('.[]') for name in names])}}}" + ("]" if mark == "[" else "")


def _steps(tree: Any, path: Path) -> list[str]:
    """A path as texts that make it up together; items of lists go by their names."""
    from specgen.source import dotted

    steps: list[str] = []
    for step in path:
        below = tree[step]
        name = below.get("name") if isinstance(step, int) and isinstance(below, dict) else None
        text = f"[{name if isinstance(name, str) else step}]" if isinstance(step, int) else dotted((step,))
        steps.append(text if not steps or text.startswith("[") else f".{text}")
        tree = below
    return steps


def _paths(tree: object, path: Path, wanted: str | None, named: Path = (), fold: bool = False) -> list[Path]:
    """Paths of leaves, or those that are ``wanted`` or end with it; items of lists also go by their names.

    ``fold``: whatever the letters' case.
    """
    from specgen.source import dotted

    found: list[Path] = []
    if path and wanted is not None:
        texts = (dotted(path), dotted(named))
        if fold:
            texts, wanted = (texts[0].lower(), texts[1].lower()), wanted.lower()
        if wanted in texts:
            return [path]
        ends = ("." + wanted, f"[{wanted}]", wanted if wanted.startswith("[") else f"[{wanted}]")
        if any(text.endswith(ends) for text in texts):
            found.append(path)
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            found += _paths(value, (*path, key), wanted, (*named, key), fold)
    elif isinstance(tree, list) and tree:
        for index, value in enumerate(tree):
            name = value.get("name") if isinstance(value, dict) else None
            # a name in brackets, as paths print keys that hold a dot
            step = f"[{name}]" if isinstance(name, str) else index
            found += _paths(
                value, (*path, index), wanted, (*named[:-1], f"{named[-1]}{step}") if name else (*named, index), fold
            )
    elif wanted is None:
        found.append(path)
    return found


def _below(manifest: Manifest, path: Path) -> list[Path]:
    """The path itself where it has an origin of its own, else the leaves below it."""
    if manifest.where.of(path) is not None:  # type: ignore[attr-defined]  # origins: it was compiled
        return [path]
    return _paths(_value(manifest.tree, path), path, None)


class _Secrets:
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
        return self.masked(_text(value))

    def masked(self, text: str) -> str:
        """A text without those of the object."""
        from specgen.diagnostics.secrets import masked

        return masked(text, self._known)


class _Quoted:
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


def _line(manifest: Manifest, path: Path, secrets: _Secrets, quoted: _Quoted) -> str:
    """One part of the manifest: its value, the profile's line, and the reason. Secrets are dots."""
    from specgen.diagnostics.safe import log_line
    from specgen.manifest.origins import Origins
    from specgen.source import dotted

    origins = manifest.where
    assert isinstance(origins, Origins)
    value = _value(manifest.tree, path)
    shown = "" if isinstance(value, (dict, list)) else f" = {secrets.shown(path, value)}"
    lines = [f"{dotted(path)}{shown}"]
    origin = origins.of(path)
    if origin is None:
        lines.append("  part of what stands below it")
        return "".join(f"{log_line(text)}\n" for text in lines)
    _, place, reason = origin
    if place is not None:
        source, start, _ = (place.where or origins.default).span(place)
        line, column = source.position(start)
        lines.append(f"  {source.name}:{line}:{column}  {quoted.line(source, line)}")
    lines.append(f"  because: {secrets.masked(reason)}")
    return "".join(f"{log_line(text)}\n" for text in lines)
