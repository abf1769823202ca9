"""What the commands of a script do to its variables, and the words that these become."""

from __future__ import annotations

import re
import shlex

from specgen.cli import slurm
from specgen.cli.brought import safe
from specgen.cli.called import name_of
from specgen.cli.substitution import HERE, LONGEST
from specgen.diagnostics.secrets import masked
from specgen.operators.kubernetes.launchers import of_words
from specgen.operators.kubernetes.script import commands
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.brought import Brought
    from specgen.cli.called import Text
    from specgen.cli.substitution import Shell, Value
    from specgen.operators.kubernetes.script import Command, Word

_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_HERE_STRING = re.compile(r"\s*<<<\s*(.*)")
POSITIONAL = tuple(map(str, range(1, 10)))
DECIDES = "a condition"
SCONTROL = "the operator sets MASTER_ADDR; `specgen expand` lists the pods by their names"


class Variables:
    """The variables of a script while it is read.

    ``own``: those that the script sets, with how they are written and where; ``locals``: of each function that is
    called, what its own variables were before, False where they were not set; ``of_file``: whether what is read depends
    on a file being there; ``integers``: variables whose values are sums, `declare -i`, and ``maps``, those whose words
    have names, `declare -A`. ``standing``: whether a command runs, None where nobody knows; ``again``: whether it
    stands in a loop whose turns nobody counts.
    """

    __slots__ = ("_numbers", "_text", "brought", "integers", "locals", "of_file", "own", "shell")

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

    def give(self, words: list[str] | None) -> None:
        """Gives the script or a function arguments; None: nobody knows which."""
        values = self.shell.values
        for name in [one for one in values if one.isdecimal()]:
            del values[name]
        values["@"] = words
        values |= {str(at): one for at, one in enumerate(words, 1)} if words is not None else {}
        values |= dict.fromkeys(("@", *POSITIONAL)) if words is None else {}

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
                shell.values = {one: value for one, value in shell.values.items() if one not in hidden}
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
        if written[:1] == "(":
            sought = len(self.shell.sought)
            listed = self.shell.listed(written)
            before = self.shell.values.get(name, []) if appends else []
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
        at, text = self.shell.summed(index), self.shell.text(written)
        words = before if isinstance(before, list) else None if before is None else [before]
        whole = words is not None and at is not None and 0 <= at <= len(words) and is_known(text)
        if words is None or at is None or not whole or standing is None or again or appends:
            self.shell.values[name] = None
            return False
        self.shell.values[name] = [*words[:at], text, *words[at + 1 :]]
        return True

    def take(self, one: Command, name: str, value: Value, written: str, *, perhaps: bool) -> bool:
        """Gives a variable its value, unless another one may stay; whether it has it."""
        values = self.shell.values
        if perhaps and self.of_file and name not in values:
            self.brought.leave(written, "a file decides whether it is set: write it, or leave it out", one.line)
            values[name] = None
            return False
        if perhaps and name in values and values[name] != value:
            before = values[name]
            if before is not None and written:
                said = masked(f"{name}={before if isinstance(before, str) else shlex.join(before)}")
                why = f"{DECIDES} decides between it and `{safe(said)}`: write the one that is meant"
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
        if name_of(one) != "export" and "x" not in flags:
            for word in one.words[1:]:
                if assigned(word.text.replace("+=", "=", 1)):
                    self.assign(one, word, standing, again=again)
                if "A" in flags and word.text[:1] != "-":
                    values[word.text.partition("=")[0]] = None  # names in the place of numbers
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

    def read(self, one: Command, name: str) -> bool:
        """`read` and its kin: of what stands in the script the value is known."""
        names = [word.text.partition("=")[0] for word in one.words[1:] if word.text[:1] != "-"]
        self.shell.values |= dict.fromkeys(names)
        options = [word.text for word in one.words[1:] if word.text[:1] == "-"]
        given = _HERE_STRING.fullmatch(self._text.behind(one))
        if name == "read" and "-d" in options:
            self.shell.values[one.words[-1].text] = self.document(one)
        elif name == "read" and given is not None and names and {*options} <= {"-r", "-a", "-ra"}:
            said = f": {given[1]}"
            called = list(commands(said))
            if len(called) != 1 or len(called[0].words) != 2:
                return False
            text = self.shell.known(said[called[0].words[1].start : called[0].words[1].end])
            signs = next((self.value(word)[1] for word in one.sets if word.text.startswith("IFS=")), " ")
            if text is None or len(signs) != 1 or "\n" in text:
                return False
            words = text.split() if signs == " " else text.split(signs)
            if "a" in "".join(options):
                self.shell.values[names[-1]] = words
                return True
            if len(words) <= len(names):
                self.shell.values |= {each: "" for each in names} | dict(zip(names, words, strict=False))
                return True
        return False

    def document(self, one: Command) -> Value:
        """The text that a command reads, which stands in the script behind it; None where it reads another one."""
        line, _, rest = self._text.text[one.end :].partition("\n")
        mark = _DOCUMENT.search(line)
        if mark is None:
            return None
        lines: list[str] = []
        for text in rest.split("\n"):
            if text.lstrip("\t") == mark[2]:
                break
            lines.append(text)
        return self.shell.document("\n".join(lines), plain=bool(mark[1]))


def is_known(value: str) -> bool:
    """Whether a shell would find no command in a value."""
    return "$(" not in value and "`" not in value and len(value) < LONGEST
