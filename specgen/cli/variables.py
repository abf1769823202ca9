"""What the commands of a script do to its variables, and the words that these become."""

from __future__ import annotations

import re
import shlex
from itertools import count, takewhile

from specgen.cli import slurm
from specgen.cli.brought import safe
from specgen.cli.called import name_of
from specgen.cli.substitution import HERE, LONGEST
from specgen.diagnostics.secrets import masked
from specgen.operators.kubernetes.launchers import of_words
from specgen.operators.kubernetes.script import closed, commands
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.brought import Brought
    from specgen.cli.called import Text
    from specgen.cli.substitution import Shell, Value
    from specgen.operators.kubernetes.script import Command, Word

_DOCUMENT = re.compile(r"<<(-?)\s*(['\"]?)(\w+)\2")
# What is handed to a command or a loop, behind what takes its output.
_FED = re.compile(r"\s*(?:\d?>>?\s*[\w./&-]+\s+)*(<<<|<<|<)(?![&<])")
_PAIR = re.compile(r"\[(.*?)\]=(.*)", re.DOTALL)
# Of a list whose words have names so many are looked at.
_MOST = 512
POSITIONAL = tuple(map(str, range(1, 10)))
DECIDES = "a condition"
_ASK = 'have `prepare` ask in each pod: `if …; then set -- "$@" WORDS; fi`'
SCONTROL = "the operator sets MASTER_ADDR; `specgen expand` lists the pods by their names"


class Variables:
    """The variables of a script while it is read.

    ``own``: those that the script sets, with how they are written and where; ``locals``: of each function that is
    called, what its own variables were before, False where they were not set; ``of_file``: whether what is read depends
    on a file being there; ``integers``: variables whose values are sums, `declare -i`, and ``maps``, those whose words
    have names, `declare -A`. ``standing``: whether a command runs, None where nobody knows; ``again``: whether it
    stands in a loop whose turns nobody counts.
    """

    __slots__ = ("_numbers", "_text", "brought", "integers", "locals", "maps", "of_file", "own", "shell")

    def __init__(self, shell: Shell, text: Text, brought: Brought, numbers: dict[str, str]) -> None:
        """``numbers``: Slurm's."""
        self.shell = shell
        self.brought = brought
        self._text = text
        self._numbers = numbers
        self.own: dict[str, tuple[str, int]] = {}
        self.locals: list[dict[str, Value | bool]] = []
        self.of_file = False
        self.integers: set[str] = set()
        self.maps: set[str] = set()

    def give(self, words: list[str] | None) -> None:
        """Gives the script or a function arguments; None: nobody knows which."""
        values = self.shell.values
        for name in self.positional():
            del values[name]
        values["@"] = words
        values |= {str(at): one for at, one in enumerate(words, 1)} if words is not None else {}
        values |= dict.fromkeys(("@", *POSITIONAL)) if words is None else {}

    def positional(self) -> list[str]:
        """The numbers of arguments that are there."""
        return [*takewhile(self.shell.values.__contains__, map(str, count(1)))]

    def shift(self, many: int | None) -> None:
        """`shift`: gives the arguments behind so many; None: nobody knows how many."""
        listed = self.shell.values.get("@")
        self.give(listed[many:] if isinstance(listed, list) and many is not None else None)

    def words(self, called: list[Word], *, said: bool = True) -> list[str]:
        """Words with the script's own variables in place; Slurm's numbers, in the options of a starter alone."""
        if not called:
            return []
        texts = [word.text for word in called]
        line = of_words(texts)
        name = texts[0].rpartition("/")[2]
        mpi = mpirun.call(texts) if name in mpirun.STARTERS else None
        until = line.program if line is not None else mpi.behind if mpi is not None else 0
        if name in slurm.STARTERS:
            until = 1 + slurm.options(texts[1:])[1]
        shell = self.shell
        found: list[str] = []
        for at, word in enumerate(called):
            if at == until:
                hidden = {
                    one: value
                    for one, value in self._numbers.items()
                    if shell.values.get(one) == value and one in slurm.OF_PODS
                }
                shell.numbers |= hidden
                for one in hidden:
                    del shell.values[one]
            found += shell.words(self._text.raw(word))
        if until <= len(called):
            shell.values |= {one: value for one, value in shell.numbers.items() if one not in shell.values}
        if said:
            for raw in shell.sought:
                self.brought.leave(raw, "a shell alone makes paths of it: write them, or their folder")
            for raw in shell.literal:
                why = "quotes in its value are signs of the words: a list, `A=(…)`, keeps words whole"
                self.brought.leave(raw, why)
            self.name_lost()
        shell.sought, shell.lost, shell.literal = [], [], []
        return [one.replace(HERE, ".") for one in found]

    def name_lost(self) -> None:
        """Names parts of words that are empty, as nothing sets their variable."""
        for written, name in self.shell.lost:
            self.brought.leave(written, f"the script sets no `{name}`: the words are left out")
        self.shell.lost = []

    def value(self, word: Word) -> tuple[str, str, Value]:
        """(name, value as a text, value) of an assignment; the value is None where a command is to say it."""
        raw = self._text.raw(word)
        name, _, written = raw.partition("=")
        appends = name.endswith("+")
        name = name.removesuffix("+")
        if not assigned(f"{name}="):
            # the whole of it stands in quotes
            name, _, text = self.shell.text(raw).partition("=")
            return name, text, text if is_known(text) else None
        if written[:1] == "(" and name in self.maps:
            return name, written, self._mapped(name, written, appends=appends)
        if written[:1] == "(":
            sought = len(self.shell.sought)
            listed = self.shell.listed(written)
            before = self.shell.values.get(name, []) if appends else []
            before = None if isinstance(before, dict) else before
            listed = [*(before if isinstance(before, list) else [] if before is None else [before]), *listed]
            # of an element that a command prints nothing but its place is known
            known = len(listed) < LONGEST and before is not None and len(self.shell.sought) == sought
            known = known and not any([one[:1] == "[" and "]=" in one for one in listed])
            return name, shlex.join(listed), listed if known else None
        text = self.shell.text(written)
        if name in self.integers:
            value = self.shell.summed(f"{name} + ({text})" if appends else text)
            return name, f"${name}" if value is None else str(value), None if value is None else str(value)
        if appends:
            before = self.shell.values.get(name, "")
            text = f"{before}{text}" if isinstance(before, str) else f"${name}{text}"
            if before is None or isinstance(before, list):
                return name, text, None
        return name, text, text if is_known(text) else None

    def _mapped(self, name: str, written: str, *, appends: bool) -> Value:
        """`([a]=1 [b]=2)` of a list whose words have names."""
        before = self.shell.values.get(name, {}) if appends else {}
        if not isinstance(before, dict) or len(written) > LONGEST:
            return None
        found = dict(before)
        text = f": {written[1:-1]}".replace("\n", " ")
        for word in [word for one in commands(text) for word in one.words[1:]]:
            pair = _PAIR.fullmatch(text[word.start : word.end])
            key, value = (self.shell.text(pair[1]), self.shell.text(pair[2])) if pair is not None else ("$", "")
            if {"$", "`", HERE} & {*key}:
                return None
            found[key] = value
        return found

    def assign(self, one: Command, word: Word, standing: bool | None, *, again: bool) -> None:
        """Takes an assignment."""
        name, text, value = self.value(word)
        self.name_lost()
        self.own[name] = (word.text, one.line)
        if "scontrol" in text:
            self.brought.leave(word.text, SCONTROL, one.line)
            self.own.pop(name, None)
            value = None
        # of a loop whose turns nobody counts, what follows from the turn before is not known
        itself = "+=" in word.text or re.search(rf"\b{name}\b", word.text.partition("=")[2]) is not None
        self.take(one, name, value, word.text, perhaps=standing is None or (itself and again))

    def element(self, one: Command, element: re.Match[str], standing: bool | None, *, again: bool) -> bool:
        """`A[1]=z`: one word of a list; whether the list is known."""
        name, index, appends, written = element.groups()
        before = self.shell.values.get(name, [])
        if isinstance(before, dict):
            key, text = self.shell.text(index), self.shell.text(written)
            known = not {"$", "`", HERE} & {*key} and is_known(text) and len(before) < _MOST
            known = known and standing is not None and not again
            text = before.get(key, "") + text if appends else text
            self.shell.values[name] = {**before, key: text} if known else None
            return known
        at, text = self.shell.summed(index), self.shell.text(written)
        words = before if isinstance(before, list) else None if before is None else [before]
        whole = words is not None and at is not None and 0 <= at <= len(words) and is_known(text)
        if words is None or at is None or not whole or standing is None or again or appends:
            self.shell.values[name] = None
            return False
        self.shell.values[name] = [*words[:at], text, *words[at + 1 :]]
        return True

    def unset(self, name: str, standing: bool | None) -> None:
        """`unset A`, and `unset 'A[1]'`, behind which a list may have a gap."""
        values = self.shell.values
        name, bracket, index = name.rstrip("]").partition("[")
        before = values.get(name)
        values[name] = None
        if not bracket:
            if standing:
                del values[name]
                self.brought.env.pop(name, None)
        elif standing and isinstance(before, dict):
            key = self.shell.text(index)
            values[name] = {one: said for one, said in before.items() if one != key} if "$" not in key else None
        elif standing and isinstance(before, list) and self.shell.summed(index) in (-1, len(before) - 1):
            values[name] = before[:-1]

    def take(self, one: Command, name: str, value: Value, written: str, *, perhaps: bool) -> bool:
        """Gives a variable its value, unless another one may stay; whether it has it."""
        values = self.shell.values
        if perhaps and self.of_file and name not in values:
            self.brought.leave(
                written, f"a file decides whether it is set: write it, leave it out, or {_ASK}", one.line
            )
            values[name] = None
            return False
        if perhaps and name in values and values[name] != value:
            before = values[name]
            if before is not None and written:
                said = masked(f"{name}={before if isinstance(before, str) else shlex.join(before)}")
                why = f"{DECIDES} decides between it and `{safe(said)}`: write the one that is meant, or {_ASK}"
                self.brought.leave(written, why, one.line)
            values[name] = None
            return False
        values[name] = value
        if written[:7] != "export " and name in self.brought.env and isinstance(value, str):
            self.brought.env[name] = value  # what was exported once stays so
            self.own.pop(name, None)
        return True

    def export(self, one: Command, standing: bool | None, *, again: bool) -> None:
        """`export`, `declare` and their kin."""
        flags = "".join([word.text for word in one.words[1:] if word.text[:1] == "-"])
        values = self.shell.values
        if self.locals and name_of(one) != "export" and "g" not in flags:
            for word in one.words[1:]:
                name = word.text.partition("=")[0].removesuffix("+")
                self.locals[-1].setdefault(name, values.get(name, False))
        if name_of(one) != "export" and "i" in flags:
            self.integers |= {word.text.partition("=")[0].removesuffix("+") for word in one.words[1:]}
        if name_of(one) != "export" and "A" in flags:
            names = [word.text for word in one.words[1:] if word.text.isidentifier()]
            self.maps |= {word.text.partition("=")[0] for word in one.words[1:]}
            values |= {name: {} if standing else None for name in names if name not in values}
        if name_of(one) != "export" and "x" not in flags:
            for word in one.words[1:]:
                if assigned(word.text.replace("+=", "=", 1)):
                    self.assign(one, word, standing, again=again)
            return
        for word in one.words[1:]:
            if word.text.startswith("-"):
                continue
            if "=" not in word.text:
                # it was set before
                name = word.text
                self.own.pop(name, None)
                before = values.get(name)
                value = before if isinstance(before, str) else "$"
            else:
                name, value, known = self.value(word)
                self.name_lost()
                exported = self.brought.env.get(name, value)
                if not self.take(one, name, known, f"export {word.text}", perhaps=standing is None):
                    self.brought.env.pop(name, None)
                    continue
                if standing is None and exported != value:
                    continue
            self.brought.shell[name] = values.get(name)
            if "scontrol" in value:
                self.brought.leave(word.text, SCONTROL, one.line)
            elif " " in value.strip():
                self.brought.lines.append((name, value, f"export {word.text}", one.line))
            else:
                self.brought.variable(name, value, f"export {word.text}", one.line)

    def count(self, one: Command, standing: bool | None, *, again: bool) -> None:
        """`((i = i + 1))`, `((i += 2))` and `((i++))`."""
        self.counted(one.words[0].text[2:-2].strip(), one, standing, again=again)

    def counted(self, text: str, one: Command, standing: bool | None, *, again: bool) -> None:
        """The same of its text, which `let` has too."""
        self.shell.take(self.shell.reckoned(text), lost=standing is None or again)

    def read(self, one: Command, name: str, lines: Lines | None, *, sure: bool) -> bool | None:
        """`read` and its kin: whether there was something to read; None where nobody knows what.

        ``lines``: what they read where nothing of their own is handed to them; ``sure``: whether they run once.
        """
        options, names = _options(one)
        values = self.shell.values
        own = self.fed(one.end)
        if _FED.match(self._text.line(one.end)):
            lines = Lines(own) if own is not None else None
        signs = values.get("IFS", " ")
        for word in one.sets:
            signs = self.value(word)[2] if word.text.startswith("IFS=") else signs
        values |= dict.fromkeys(names or ["REPLY" if name == "read" else "MAPFILE"])
        if lines is None or not sure or not isinstance(signs, str):
            return None
        if name == "read" and options == "d" and own is not None:
            values[names[-1]] = own.removesuffix("\n")
            return True
        if name == "read" and not set(options) - {"r", "a"}:
            return self._line(lines, names, signs, options)
        if name in ("mapfile", "readarray") and options in ("", "t") and not one.piped:
            found = lines.rest()
            values[names[0] if names else "MAPFILE"] = found if options else [f"{each}\n" for each in found]
            return True
        return None

    def _line(self, lines: Lines, names: list[str], signs: str, options: str) -> bool | None:
        """A line, whose words the variables become."""
        found = lines.line()
        text, whole = found if found is not None else ("", False)
        values = self.shell.values
        if ("r" not in options and "\\" in text) or len(signs.strip()) > 1 or not is_known(text):
            return None
        blank = not signs.strip()
        plain = text.strip() if blank and signs else text
        if "a" in options:
            words = plain.split() if blank else plain.removesuffix(signs).split(signs) if plain else []
            values[names[-1]] = words if signs else [plain]
            return whole
        if not names:
            values["REPLY"] = text
            return whole
        words = plain.split(None, len(names) - 1) if blank and signs else [plain]
        if not blank:
            words = plain.split(signs, len(names) - 1)
            last = words[-1]
            words[-1] = last[:-1] if last.count(signs) == 1 and last.endswith(signs) else last
        values |= dict.fromkeys(names, "") | dict(zip(names, words, strict=False))
        return whole

    def fed(self, at: int) -> str | None:
        """The text that a command or a loop reads, which ends at a place; None where it reads another one."""
        rest = self._text.line(at)
        match = _FED.match(rest)
        if match is None:
            return None
        if match[1] == "<<":
            return self._document(at)
        raw = _word_of(rest[match.end() :].strip())
        if raw[:2] == "<(" and match[1] == "<" and raw[-1:] == ")":
            text = self.shell.known(f'"$({raw[2:-1]})"')
            return None if text is None else f"{text}\n"
        text = self.shell.known(raw) if raw else None
        return None if text is None else f"{text}\n" if match[1] == "<<<" else self.shell.contents(text)

    def document(self, one: Command) -> Value:
        """The text that a command reads, which stands in the script behind it; None where it reads another one."""
        text = self._document(one.end)
        return None if text is None else text.removesuffix("\n")

    def _document(self, at: int) -> str | None:
        whole = self._text.text
        line = self._text.line(at)
        mark = _DOCUMENT.search(line)
        if mark is None:
            return None
        lines: list[str] = []
        at += len(line) + 1
        while at < len(whole):
            text = self._text.line(at)
            stripped = text.lstrip("\t") if mark[1] else text
            if stripped == mark[3]:
                break
            lines.append(stripped)
            at += len(text) + 1
        found = self.shell.document("\n".join(lines), plain=bool(mark[2]))
        return None if found is None else f"{found}\n" if lines else ""


class Lines:
    """What several commands read, one line after the other."""

    __slots__ = ("_at", "_text")

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0

    def line(self) -> tuple[str, bool] | None:
        """(the next line, whether it has an end); None where there is none."""
        if self._at >= len(self._text):
            return None
        end = self._text.find("\n", self._at)
        whole = end >= 0
        end = end if whole else len(self._text)
        found = self._text[self._at : end]
        self._at = end + 1
        return found, whole

    def rest(self) -> list[str]:
        found = []
        while (line := self.line()) is not None:
            found.append(line[0])
        return found


def _options(one: Command) -> tuple[str, list[str]]:
    """(the letters of the options of `read`, its variables); a letter with a value but `-d ''` is `?`."""
    letters, names = "", []
    words = [word.text for word in one.words[1:]]
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word[:1] != "-" or word == "-":
            names.append(word)
            continue
        letters += word[1:]
        if word[-1] == "d":
            letters += "" if words[at : at + 1] == [""] else "?"
            at += 1
        elif word[-1] in "nNptuisOcC":
            letters += "?" if word != "-t" or names or name_of(one) == "read" else ""
            at += name_of(one) == "read"
    return letters.replace("r", "") if "d" in letters else letters, [one.partition("=")[0] for one in names]


def _word_of(text: str) -> str:
    """The first word of a text, as it is written."""
    if text[:2] == "<(":
        return text[: closed(text, 1)]
    called = next((one for one in commands(f": {text}")), None)
    return f": {text}"[called.words[1].start : called.words[1].end] if called and len(called.words) > 1 else ""


def is_known(value: str) -> bool:
    """Whether a shell would find no command in a value."""
    return "$(" not in value and "`" not in value and len(value) < LONGEST
