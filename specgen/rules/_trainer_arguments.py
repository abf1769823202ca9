"""The trainer's arguments, as its parser reads them (trainer/cli.py, without abbreviations): types and choices.

A command line wins over ``TRAINER_<NAME>``, which wins over a default; what stands in a variable is not known.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.rules._words import shown
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Container
    from specgen.source import Path

    Names = dict[str, tuple[str, str, list[str]]]

# What trainer/main_mnist.py sets otherwise, as far as rules ask for it.
_DEFAULTS = {"main_mnist.py": {"arch": "mnist", "format": "idx", "batch_size": 64}}
_NUMBERS = {"int": (int, "whole number"), "float": (float, "number")}


class Word:
    """A word of the command line, the range of its scalar that it was, and whether its text is not known yet."""

    __slots__ = ("end", "open", "path", "start", "text")

    def __init__(self, text: str, path: Path, start: int, end: int, open: bool) -> None:
        self.text = text
        self.path = path
        self.start = start
        self.end = end
        self.open = open

    @property
    def place(self) -> Place:
        return Place(self.path, inside=(self.start, self.end))


class Said:
    """An argument as said: its value (None: a flag that has none, or not known yet), as written, and where."""

    __slots__ = ("path", "text", "word", "written")

    def __init__(self, text: str | None, written: str, word: Word | None, path: Path) -> None:
        self.text = text
        self.written = written
        self.word = word
        self.path = path

    @property
    def place(self) -> Place:
        return self.word.place if self.word is not None else Place(self.path)


class Arguments:
    """What is said to one command. ``said``: key → argument; ``unknown``: words that the trainer has no argument for.

    ``wrong``: (place, message, label) of values that it refuses; ``defaults``: key → default; ``complete``: whether all
    is seen, and nothing comes from elsewhere.
    """

    __slots__ = ("complete", "defaults", "said", "unknown", "wrong")

    def __init__(self, defaults: dict[str, Any], *, complete: bool) -> None:
        self.said: dict[str, Said] = {}
        self.unknown: list[Word] = []
        self.wrong: list[tuple[Place, str, str]] = []
        self.defaults = defaults
        self.complete = complete

    def text(self, key: str) -> str | None:
        """The value of an argument, its default if it is not said; None where it is not known."""
        if key in self.said:
            return self.said[key].text
        return str(self.defaults[key]) if self.complete and key in self.defaults else None

    def number(self, key: str) -> int | None:
        """The same as a whole number; None also where it is none."""
        text = self.text(key)
        return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 10 else None


_INFINITE = float("inf")


def key_of(flag: dict[str, Any]) -> str:
    """The name of an argument of the contract in `said`."""
    name: str = next(name for name in flag["names"] if name.startswith("--"))
    return name[2:].replace("-", "_")


_flags: dict[str, dict[str, dict[str, Any]]] = {}


def flags(command: str) -> dict[str, dict[str, Any]]:
    """The arguments of a command in the contract, by their names in `said`."""
    if command not in _flags:
        parts = {"bench": ("bench",), "preflight": ("train", "preflight")}.get(command, ("train",))
        _flags[command] = {key_of(flag): flag for part in parts for flag in CONTRACT["arguments"][part]}
    return _flags[command]


def beyond(flag: dict[str, Any], text: str) -> tuple[str, str] | None:
    """(what follows the argument in a sentence, label) where a value is beyond what the contract allows, else None."""
    if flag["type"] not in _NUMBERS:
        if "pattern" not in flag:
            return None
        from re import fullmatch  # few arguments have one

        return None if fullmatch(flag["pattern"], text) else ("is no value that it takes", "not such a value")
    try:
        number = _NUMBERS[flag["type"]][0](text)
    except ValueError:
        return None  # which is said of its type
    least, above = flag.get("minimum"), flag.get("above")
    if not -_INFINITE < number < _INFINITE:  # nor is NaN
        return "is no finite number", "must be a number"
    if least is not None and number < least:
        return f"is less than {least:g}", f"must be {least:g} or more"
    if above is not None and number <= above:
        return f"is not above {above:g}", f"must be above {above:g}"
    return None


_tables: dict[tuple[str, str], tuple[Names, dict[str, Any]]] = {}


def table(command: str, entry: str = "") -> tuple[Names, dict[str, Any]]:
    """(argument as written → (key, type, choices), key → default) of a command, or of one called through a script."""
    if (command, entry) not in _tables:
        names: Names = {}
        defaults: dict[str, Any] = {}
        for key, flag in flags(command).items():
            for name in flag["names"]:
                names[name] = (key, flag["type"], flag["choices"])
            if flag["type"] == "bool" and flag["default"] is True:
                names[f"--no-{key.replace('_', '-')}"] = (f"no_{key}", "bool", [])
            defaults[key] = flag["default"]
        _tables[command, entry] = names, {**defaults, **_DEFAULTS.get(entry, {})}
    return _tables[command, entry]


def read(command: str, entry: str, line: list[Word], container: Container) -> Arguments:
    """What a command is told by its words and variables; ``entry``: the script through which it was called, if any."""
    names, defaults = table(command, entry)
    found = Arguments(defaults, complete="envFrom" not in container.tree)
    _variables(found, names, container)
    folders = 0 if command == "bench" else 1
    number, options = 0, True
    of_options = [_is_option(word.text, names) for word in line]
    while number < len(line):
        word = line[number]
        text = word.text
        number += 1
        if text == "--" and options:
            options = False
        elif options and of_options[number - 1]:
            number += _option(found, names, word, line[number] if of_options[number : number + 1] == [False] else None)
        elif word.open:
            found.complete = False  # it may be any number of words
        elif folders:
            folders -= 1
            found.said["data"] = Said(text, text, word, word.path)
        else:
            found.unknown.append(word)
    if "data" in found.said and found.said["data"].text == "":
        del found.said["data"]
    return found


def _option(found: Arguments, names: Names, word: Word, after: Word | None) -> int:
    """Reads one option; 1 if the word after it is its value, else 0. ``after``: that word, None if it cannot be."""
    text = word.text
    name, equals, value = text.partition("=")
    if name not in names and text[:2] in names and text[1] != "-":
        name, equals, value = text[:2], "=", text[2:]
    if name not in names:
        if name not in ("-h", "--help"):
            found.unknown.append(word)
        return 0
    key, kind, choices = names[name]
    taken = 0
    if kind == "bool":
        if equals:
            found.wrong.append((word.place, f"`{shown(text)}` gives a value to `{name}`, which takes none", "no value"))
        said = Said("true", name, word, word.path)
    elif equals:
        said = Said(None if word.open else value, text, word, word.path)
    elif after is not None:
        said, taken = Said(None if after.open else after.text, f"{name} {after.text}", after, after.path), 1
    elif key == "spawn":
        said = Said("0", name, word, word.path)
    else:
        found.wrong.append((word.place, f"`{name}` stands without its value", "its value must follow"))
        return 0
    found.said[key] = said
    if kind != "bool":
        _judge(found, said, kind, choices)
    return taken


def _is_option(text: str, names: Names) -> bool:
    """Whether argparse takes a word for an option: negative numbers, and unknown words with blanks, are values."""
    if len(text) < 2 or text[0] != "-":
        return False
    if text.partition("=")[0] in names or text[:2] in names:
        return True
    return " " not in text and not text[1:].replace(".", "", 1).isdigit()


def _variables(found: Arguments, names: Names, container: Container) -> None:
    """Arguments that variables say. One that comes from elsewhere is said, and its value is not known."""
    keys = None
    for name, (index, entry) in container.env.items():
        if not name.startswith("TRAINER_"):
            continue
        if keys is None:
            keys = {f"TRAINER_{said[0].upper()}": said for said in names.values()}
        if name not in keys:
            continue
        key, kind, choices = keys[name]
        value = entry.get("value")
        text = value if isinstance(value, str) and "$(" not in value else None
        if kind != "bool" or text is None or text.lower() in ("1", "true", "yes"):
            found.said[key] = Said(text, f"{name}={value}", None, (*container.path, "env", index))
            _judge(found, found.said[key], kind, choices)


def _judge(found: Arguments, said: Said, kind: str, choices: list[str]) -> None:
    """Whether the value has the type, and is one of the choices."""
    if said.text is None:
        return
    if kind in _NUMBERS:
        convert, noun = _NUMBERS[kind]
        try:
            convert(said.text)
        except ValueError:
            found.wrong.append((said.place, f"`{shown(said.written)}` is no {noun}", f"must be a {noun}"))
    elif choices and said.text not in choices:
        known = ", ".join(f"`{choice}`" for choice in choices)
        found.wrong.append(
            (said.place, f"`{shown(said.written)}` is none of the values that it takes", f"must be one of {known}")
        )
