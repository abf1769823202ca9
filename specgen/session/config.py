"""``specgen.toml``, or ``[tool.specgen]`` in ``pyproject.toml``: what a repository says of all that it has linted.

    exclude = ["charts/", "*.tmpl.yaml"]     # not linted, in folders or by name; patterns as .gitignore has them
    include = ["*.yaml", "*.yml"]            # what a folder stands for
    select = ["default", "policy"]           # codes, their beginnings and names, groups; errors are always reported
    ignore = ["missing-shm"]
    cluster = "clusters/lab.yaml"            # what manifests are judged by, from this file on
    severity = {SG304 = "error"}
    operators = {trainer = ["2.1.0", "2.2.0"]}
    kustomize = true                         # kustomizations are judged as they are rendered

    [paths."legacy/**"]                      # more of it for some paths: `ignore` adds, all else takes its place
    ignore = ["SG4"]

Nothing here raises a limit or names a program. The nearest file upwards counts, alone, as far as the repository goes.
"""

from __future__ import annotations

import posixpath

from specgen.diagnostics._index import CODES
from specgen.diagnostics.model import ERROR, NOTE, WARNING, BadQuestion, listed, shown
from specgen.diagnostics.selection import POLICY, Selection, codes_of, kept
from specgen.session import globs
from specgen.session.toml import places
from specgen.session.versions import asked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.source import Path, Source

NAME = "specgen.toml"
SHARED = "pyproject.toml"
# Longer ones of the project's own name are refused: no file in a repository may make a run long.
_LONGEST = 256 * 1024
_PARTS = ("select", "ignore", "severity", "cluster", "operators")
_WHOLE = ("include", "exclude", "kustomize", *_PARTS, "paths")
_SEVERITIES = (ERROR, WARNING, NOTE)


def is_there(source: Source) -> bool:
    """Whether a file that may hold a configuration does."""
    if posixpath.basename(source.name) != SHARED:
        return True
    return "specgen" in source.text and len(source.text) <= _LONGEST and _table(source.text) is not None


def _table(text: str) -> object:
    try:
        return _loaded(text).get("tool", {}).get("specgen")
    except (ValueError, RecursionError):
        # what is wrong with a file of others they say themselves
        heads = ("[tool.specgen]", "[tool.specgen.")
        return next((line for line in text.splitlines() if _bare(line).startswith(heads)), None)
    except AttributeError:
        return None


def _bare(line: str) -> str:
    """A line without blanks and quotes."""
    return "".join(line.replace('"', "").replace("'", "").split())


def _loaded(text: str) -> dict[str, Any]:
    from tomllib import loads

    return loads(text)


class Terms:
    """What holds for some paths."""

    __slots__ = ("cluster", "operators", "selection", "where")

    def __init__(
        self, selection: Selection, cluster: str | None = None, operators: dict[str, list[str]] | None = None
    ) -> None:
        self.selection = selection
        # file name of the cluster profile, where one is named
        self.cluster = cluster
        # operator → versions that manifests are judged by
        self.operators = operators or {}
        # place of the cluster's name, as sentences begin with it
        self.where = ""


class Config:
    """A configuration that was read. Raises BadQuestion, with line and column, where it says something else."""

    __slots__ = ("_at", "_data", "_folder", "_known", "_paths", "exclude", "include", "kustomize", "source")

    def __init__(self, source: Source) -> None:
        self.source = source
        self._folder = posixpath.dirname(source.name)
        self._known: dict[tuple[int, ...], Terms] = {}
        self._at: dict[Path, tuple[int, int]] = {}
        if len(source.text) > _LONGEST:
            raise BadQuestion(f"{source.name}: it is longer than {_LONGEST:,} characters")
        try:
            whole = _loaded(source.text)
        except RecursionError:
            raise BadQuestion(f"{source.name}: it is nested too deeply") from None
        except ValueError as error:
            raise BadQuestion(_unreadable(source.name, str(error))) from None
        self._at = places(source.text)
        top: Path = ("tool", "specgen") if posixpath.basename(source.name) == SHARED else ()
        if top:
            whole = whole["tool"]["specgen"]
        data = self._mapping(top, whole, _WHOLE)
        self._data = (top, data)
        self.include: list[str] | None = self._texts((*top, "include"), data["include"]) if "include" in data else None
        self.exclude = self._texts((*top, "exclude"), data.get("exclude", []))
        self.kustomize = data.get("kustomize", False)
        if not isinstance(self.kustomize, bool):
            raise self._wrong((*top, "kustomize"), "`kustomize` is true or false")
        self._paths: list[tuple[str, tuple[Path, dict[str, Any]]]] = []
        written = data.get("paths", {})
        for pattern in self._mapping((*top, "paths"), written, None):
            path = (*top, "paths", pattern)
            self._paths.append((pattern, (path, self._mapping(path, written[pattern], _PARTS))))
        # what is wrong in any of it is said before the first file is read
        for at in range(len(self._paths)):
            self._terms((at,))
        self._terms(())

    def path(self, name: str) -> str:
        """A file's path as patterns know it: from the folder of this file."""
        return posixpath.relpath(name, self._folder or ".")

    def excludes(self, name: str) -> bool:
        """Whether a file is left out."""
        return globs.first(self.exclude, self.path(name)) is not None

    def includes(self, name: str) -> bool:
        """Whether a file that is met in a folder is looked at."""
        return self.include is None or globs.first(self.include, self.path(name)) is not None

    def terms(self, name: str) -> Terms:
        """What holds for a file; the same object for all files for which the same holds."""
        path = self.path(name)
        return self._terms(tuple(at for at, (pattern, _) in enumerate(self._paths) if globs.matches(pattern, path)))

    def _terms(self, matching: tuple[int, ...]) -> Terms:
        if matching in self._known:
            return self._known[matching]
        select: frozenset[str] | None = None
        ignore: frozenset[str] = frozenset()
        severities: dict[str, str] = {}
        terms = Terms(Selection())
        for path, data in (self._data, *(self._paths[at][1] for at in matching)):
            if "select" in data:
                select = self._codes((*path, "select"), data["select"])
            ignore |= self._codes((*path, "ignore"), data.get("ignore", []))
            severities.update(self._severities((*path, "severity"), data.get("severity", {})))
            if "cluster" in data:
                at = (*path, "cluster")
                terms.cluster = posixpath.normpath(posixpath.join(self._folder, self._text(at, data["cluster"])))
                terms.where = self._sentence(at)
            terms.operators = {**terms.operators, **self._operators((*path, "operators"), data.get("operators", {}))}
        terms.selection = Selection(select, ignore, severities)
        self._known[matching] = terms
        return terms

    # What is written there, of the type that it takes.

    def _mapping(self, path: Path, value: object, known: tuple[str, ...] | None) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise self._wrong(path, f"`{path[-1]}` is a table")
        for key in value if known is not None else ():
            if key not in (known or ()):
                from specgen.diagnostics.suggest import hint

                raise self._wrong(
                    (*path, key), f"there is no setting `{shown(key)}`", hint(key, known or (), "setting")
                )
        return value

    def _texts(self, path: Path, value: object) -> list[str]:
        if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
            raise self._wrong(path, f"`{path[-1]}` takes a list of texts")
        return value

    def _text(self, path: Path, value: object) -> str:
        if not isinstance(value, str) or not value:
            raise self._wrong(path, f"`{path[-1]}` takes a text")
        return value

    def _codes(self, path: Path, value: object) -> frozenset[str]:
        words = self._texts(path, value)
        return frozenset(code for at, word in enumerate(words) for code in self._asked((*path, at), codes_of, word))

    def _severities(self, path: Path, value: object) -> dict[str, str]:
        found = {}
        for word, severity in self._mapping(path, value, None).items():
            at = (*path, word)
            if severity not in _SEVERITIES:
                raise self._wrong(at, f"a severity is {listed(_SEVERITIES).replace(' and', ' or')}")
            for code in self._asked(at, codes_of, word):
                found[code] = severity
            if word != POLICY and severity != ERROR and CODES[code][1] == ERROR and kept(code):
                help = "it is accepted where it stands by `--baseline`, or its file is left out by `exclude`"
                raise self._wrong(at, f"{code} is an error that holds whatever a configuration says", help)
        return found

    def _operators(self, path: Path, value: object) -> dict[str, list[str]]:
        found = {}
        for name, versions in self._mapping(path, value, None).items():
            at = (*path, name)
            told = [versions] if isinstance(versions, str) else self._texts(at, versions)
            found[name] = self._asked(at, asked, name, told)
        return found

    def _asked(self, path: Path, ask: Callable[..., list[str]], *words: object) -> list[str]:
        """What a question comes to; where it is a bad one, with its place."""
        try:
            return ask(*words)
        except BadQuestion as error:
            raise self._wrong(path, str(error), error.help) from None

    def _sentence(self, path: Path) -> str:
        start, _ = self._at.get(path, (0, 0))
        while path and path not in self._at:
            path = path[:-1]
            start, _ = self._at.get(path, (0, 0))
        line, column = self.source.position(start)
        return f"{self.source.name}:{line}:{column}"

    def _wrong(self, path: Path, message: str, help: str | None = None) -> BadQuestion:
        return BadQuestion(f"{self._sentence(path)}: {message}", help)


def _unreadable(name: str, message: str) -> str:
    """``tomllib``'s sentence, which ends in ``(at line 3, column 5)``."""
    said, sign, place = message.partition(" (at line ")
    line, _, column = place.rstrip(")").partition(", column ")
    at = f":{line}:{column}" if sign and line.isdecimal() and column.isdecimal() else ""
    return f"{name}{at}: it is no TOML: {said[:1].lower()}{said[1:]}"
