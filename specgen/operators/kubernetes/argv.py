"""What of a container's command line cannot work as it is written: the kubelet runs the words themselves, without a
shell, after it has replaced ``$(VAR)``.

Read from Kubernetes 1.36, pkg/kubelet/container/helpers.go (ExpandContainerCommandAndArgs) and the OCI runtime
specification 1.2, config.md, "process.args"; what launchers take, ``launchers`` knows; shells, POSIX 2017.
"""

from __future__ import annotations

from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED
from specgen.operators.kubernetes.shell import BUILTINS, JOINS, LAUNCHERS, REDIRECTIONS, assigned
from specgen.operators.kubernetes.shell import SHELLS as SHELLS
from specgen.operators.kubernetes.shell import script_at as script_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Causes: several words in one; a shell's words without one; `$VAR` that nobody replaces; `$(VAR)` of no variable; a
# launcher before what is no script; words behind a shell's text that it does not read; an option in the program's
# place; a shell's text that may leave a program in the background, or lose its exit code; two commands in one line.
ONE_STRING, SHELL_WORDS, UNEXPANDED, UNDEFINED = "one-string", "shell-words", "unexpanded", "undefined"
NO_SCRIPT, LOST_WORDS, OPTION_FIRST = "no-script", "lost-words", "option-first"
BACKGROUND, LOST_CODE, FOLDED = "background", "lost-code", "folded"
CAUSES = (
    ONE_STRING,
    SHELL_WORDS,
    UNEXPANDED,
    UNDEFINED,
    NO_SCRIPT,
    LOST_WORDS,
    OPTION_FIRST,
    BACKGROUND,
    LOST_CODE,
    FOLDED,
)

# Programs by names that are no file's name with blanks, and that hand no word to a shell.
# fmt: off
_KNOWN = (
    "python", "python2", "python3", "pip", "pip3", "conda", "uv", "torchrun", "accelerate", "deepspeed", "mpirun",
    "mpiexec", "horovodrun", "sh", "bash", "dash", "ash", "zsh", "sleep", "echo", "cp", "mv", "mkdir", "rm", "ls",
    "cat", "tar", "git", "wget", "curl", "apt", "apt-get", "yum", "dnf", "nvidia-smi", "node", "java", "tail",
    "chmod", "chown", "ln", "env", "nohup", "exec", "cd", "source", "export", "set", "ulimit", "eval", "alias",
    "unset",
)
# fmt: on
_MPI = ("mpirun", "mpiexec", "orterun", "horovodrun")
# Options of theirs that have values: what else has blanks may be the value of one, as in `-mca plm_rsh_args "-p 2222"`.
_OF_MPI = ("np", "n", "x", "N", "H", "host", "hostfile", "bind-to", "map-by", "mca", "genv", "env", "ppn", "npernode")
# Programs that know words like `$NAME` themselves, or hand their words to a shell.
_OWN_DOLLARS = ("awk", "gawk", "mawk", "perl", "sed", "jq", "yq", "php", "ruby", "envsubst", "make", "grep", "find")
_TO_SHELLS = ("ssh", "su", "watch", "xargs", "find", "parallel", "kubectl", "chroot", "nsenter", "expr", "test", "[")
# What no launcher takes for a script: programs with a name that no file of Python's has.
# fmt: off
_NO_SCRIPTS = (
    "python", "python2", "python3", "sh", "bash", "dash", "ash", "zsh", "sleep", "tail", "echo", "cat", "env",
    "exec", "nohup", "nsys", "numactl", "accelerate", "deepspeed", "torchrun", "mpirun", "mpiexec", "orterun",
    "horovodrun", "pip", "pip3", "conda", "uv", "srun", "sbatch", "salloc",
)
# fmt: on


class Slip:
    """``cause``: one of ``CAUSES``; ``at``: the word's number among command and arguments; ``inside``: where in it.

    ``text``: what is wrong, as it stands; ``sure``: whether nothing else can come of it, whatever the image holds;
    ``known``: of a variable, whether it is there.
    """

    __slots__ = ("at", "cause", "inside", "known", "sure", "text")

    def __init__(
        self,
        cause: str,
        at: int,
        text: str,
        *,
        inside: tuple[int, int] | None = None,
        sure: bool = False,
        known: bool = False,
    ) -> None:
        self.cause = cause
        self.at = at
        self.text = text
        self.inside = inside
        self.sure = sure
        self.known = known


def slips(words: Sequence[str], commands: int) -> Iterator[Slip]:
    """All of a command line; ``commands``: how many of the words are ``command``, and not ``args``.

    Variables are named and not looked up: who knows them leaves out those that are there.
    """
    script = script_at(words)
    if not words or "{{" in words[0]:
        return
    if commands and not words[0].startswith("$"):
        whole = list(_one_string(words, script))
        yield from whole
        if whole and whole[0].at == 0:
            return  # whatever else is wrong in it, a shell may put right
    first = words[0].rpartition("/")[2]
    if commands and words[0][:1] == "-":
        yield Slip(OPTION_FIRST, 0, words[0])
    if script is None and first not in SHELLS:
        yield from _shell_words(words, first, commands)
    start = 0
    if script is not None and first in SHELLS:
        yield from _lost_words(words, script)
        yield from _of_text(words, script)
        # a program that the text runs, behind the word that names the shell
        start = script + 2 if '"$@"' in words[script] else len(words)
    yield from _no_script(words, start)
    yield from _variables(words, script, first)


def _one_string(words: Sequence[str], script: int | None) -> Iterator[Slip]:
    name = words[0].strip()
    head, *rest = name.split() or [""]
    if rest:
        base = head.rpartition("/")[2]
        sure = _is_known(base) or any(word.startswith("-") or word in JOINS for word in rest)
        yield Slip(ONE_STRING, 0, name, sure=sure)
        return
    if script is not None:
        return
    base = name.rpartition("/")[2]
    line = launchers.of_words(words)
    if line is not None:
        if line.program < len(words) and (line.python or words[line.program].startswith("-")):
            yield from _file(words, line.program)
        if line.python:
            yield from _arguments(words, line.program + 1)
    elif base in _MPI:
        yield from _of_mpi(words)
    elif base.startswith("python"):
        at = next((at for at, word in enumerate(words[1:], 1) if not word.startswith("-") or " " in word), len(words))
        if not any("c" in word or "m" in word for word in words[1:at] if not word.startswith("--")):
            if at < len(words):
                yield from _file(words, at)
            yield from _arguments(words, at + 1)


def _of_mpi(words: Sequence[str]) -> Iterator[Slip]:
    """An option of mpirun with its value in one word, and its program with the arguments."""
    for at, word in enumerate(words[1:], 1):
        head, *rest = word.split() or [""]
        if not rest:
            if word[:1] != "-" and (_is_known(word) or word.endswith(".py")):
                return  # what stands behind is the program's
        elif head.lstrip("-") in _OF_MPI and head[:1] == "-":
            yield Slip(ONE_STRING, at, word.strip(), sure=True)
        elif _is_known(head) or head.startswith("python"):
            yield Slip(ONE_STRING, at, word.strip(), sure=True)
            return


def _file(words: Sequence[str], at: int) -> Iterator[Slip]:
    """A script's name with its arguments in it, or an option with its value, which a launcher takes for one."""
    head, *rest = words[at].split() or [""]
    if rest and (head.endswith(".py") or head.startswith("--")):
        yield Slip(ONE_STRING, at, words[at].strip(), sure=True)


def _arguments(words: Sequence[str], start: int) -> Iterator[Slip]:
    """`--name value` in one word, behind a script; not where the word is another option's value."""
    for at in range(start, len(words)):
        head, *rest = words[at].split() or [""]
        option = head.startswith("--") and "=" not in head and head[2:].replace("-", "").replace("_", "").isalnum()
        before = words[at - 1]
        waits = before.startswith("-") and "=" not in before and " " not in before
        if option and len(rest) == 1 and not waits:
            yield Slip(ONE_STRING, at, words[at])


def _shell_words(words: Sequence[str], first: str, commands: int) -> Iterator[Slip]:
    if words[0].startswith("$") or first in _TO_SHELLS:
        return
    if commands and (words[0] in BUILTINS or (assigned(words[0]) and len(words) > 1)):
        yield Slip(SHELL_WORDS, 0, words[0], sure=True)
        return
    for at, word in enumerate(words[1:], 1):
        if word in JOINS or word in REDIRECTIONS:
            follows = word in ("&&", "||") and at + 1 < len(words)
            yield Slip(SHELL_WORDS, at, word, sure=bool(commands) and follows and _is_known(first))
            return


def _is_known(name: str) -> bool:
    return name in _KNOWN or (name.startswith("python3.") and name[8:].isdigit())


def _lost_words(words: Sequence[str], script: int) -> Iterator[Slip]:
    """A shell's text takes the words behind it as `$0`, `$1`, …: without a sign of them they are lost."""
    text, behind = words[script], words[script + 1 :]
    # a word that names the shell itself is `$0`, by custom
    named = behind and (behind[0].rpartition("/")[2] in SHELLS or behind[0] in ("--", "-", "_", ""))
    lost = behind[1:] if named else behind
    if not lost or "{{" in text or text.startswith("$"):
        return
    reads = any(f"${sign}" in text or f"${{{sign}" in text for sign in "@*#0123456789")
    if reads or "shift" in text or "getopts" in text or "BASH_ARGV" in text:
        return
    alone = len(text.split()) == 1 and not any(sign in text for sign in "$;&|<>`./")
    joined = any(word in JOINS for word in lost)
    at = script + 1 + len(behind) - len(lost)
    yield Slip(LOST_WORDS, at, lost[0], sure=joined or (alone and _is_known(text)))


def _of_text(words: Sequence[str], script: int) -> Iterator[Slip]:
    """What a shell's text may do with its last program; whether it does, a closer look tells."""
    text = words[script]
    if "&" in text.replace("&&", "").replace("&>", "").replace(">&", "").replace("|&", "") and "wait" not in text:
        yield Slip(BACKGROUND, script, "&")
    starts = any([name in text for name in ("python", *LAUNCHERS, *_MPI)])
    if starts or "--" in text:
        yield from _of_calls(words, script)
    # a pipe, or more commands than one
    if "|" in text or ((";" in text or "\n" in text.strip()) and starts):
        yield Slip(LOST_CODE, script, "")
    if "$" in text:
        yield from _unset(text, script)


# Variables that no image has, and a shell's text reads because an operator is to set them.
# fmt: off
_OF_OPERATORS = (
    "RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "VC_TASK_INDEX", "VK_TASK_INDEX", "JOB_COMPLETION_INDEX",
)
# fmt: on
# What brings variables from elsewhere, and documents whose signs stay as they are.
_BRING = ("source ", ". /", '. "', ". $", "eval ", "<<'", '<<"', "<<-'", '<<-"', "<< '", '<< "', "<<\\")


def _unset(text: str, script: int) -> Iterator[Slip]:
    """The first sign of each variable of operators that a shell's text replaces, and does nothing else with.

    Where it names one without a sign it may set it, or ask whether it is there, as `${NAME:-0}` does.
    """
    found: dict[str, tuple[int, int]] = {}
    signed: dict[str, int] = {}
    for _, name, start, end in signs(text):
        if name in _OF_OPERATORS or name.startswith("PET_"):
            signed[name] = signed.get(name, 0) + 1
            found.setdefault(name, (start, end))
    if not found or any([sign in text for sign in _BRING]):
        return
    kept = _replaced(text)
    for name, inside in found.items():
        # as a whole word
        named = sum([word == name for word in "".join([c if c.isalnum() or c == "_" else " " for c in text]).split()])
        if named == signed[name] and inside[0] in kept:
            yield Slip(UNDEFINED, script, name, inside=inside)


def _replaced(text: str) -> set[int]:
    """Where the dollar signs stand that a shell replaces: none behind a backslash, in a comment or in single quotes."""
    kept = set()
    at, quoted = 0, False
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            at += 1
        elif sign == '"':
            quoted = not quoted
        elif sign == "'" and not quoted:
            end = text.find("'", at + 1)
            at = len(text) if end < 0 else end
        elif sign == "#" and not quoted and (at == 0 or text[at - 1].isspace()):
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif sign == "$":
            kept.add(at)
        at += 1
    return kept


# Builtins that take no program, and how many words each may have in front of one by mistake.
_TAKE_NONE = {"cd": 2, "source": 2, ".": 2, "export": 2, "set": 2, "sleep": 2, "ulimit": 2, "umask": 2, "unset": 2}


def _of_calls(words: Sequence[str], script: int) -> Iterator[Slip]:
    """Options that a shell's text calls as programs, and programs that it hands to a builtin as words."""
    from specgen.operators.kubernetes.calls import calls

    for call in calls(words):
        own = [piece for piece in call.pieces if piece.at == script and not piece.open]
        if not own or own[0] is not call.pieces[0]:
            continue
        first = own[0]
        if first.text.startswith("--") and len(first.text) > 2:
            yield Slip(OPTION_FIRST, script, first.text, inside=(first.start, first.end))
            return
        for at, piece in enumerate(own[_TAKE_NONE.get(first.text, len(own)) :], _TAKE_NONE.get(first.text, 0)):
            name = piece.text.rpartition("/")[2]
            called = name in ("torchrun", *_MPI) or (name in (ACCELERATE, DEEPSPEED) or name.startswith("python"))
            if called and at + 1 < len(own):
                yield Slip(FOLDED, script, first.text, inside=(piece.start, piece.end))
                return


def _no_script(words: Sequence[str], start: int) -> Iterator[Slip]:
    line = launchers.of_words(words[start:])
    if line is None or not line.python:
        return
    at = start + line.program
    if at >= len(words):
        # an option that is new may have no value, and the script is taken for one
        known = not any(word.endswith(".py") for word in words[start:])
        if known and not {"h", "help"} & set(line.options):
            yield Slip(NO_SCRIPT, start + line.at, "", sure=True)
        return
    name = words[at]
    of_shell = name.endswith((".sh", ".bash"))
    if is_no_script(name) or of_shell:
        # a path may lead to a program that is a script of Python's, as pip and accelerate install them
        alone = "/" not in name and not of_shell
        yield Slip(NO_SCRIPT, at, name, sure=alone or name.rpartition("/")[2].startswith("python"))
    elif is_bare(name):
        yield Slip(NO_SCRIPT, at, name, sure=False)


def is_no_script(word: str) -> bool:
    """Whether a word names a program that is no file of Python's."""
    base = word.rpartition("/")[2]
    return base in _NO_SCRIPTS or (base.startswith("python3.") and base[8:].isdigit())


def is_bare(word: str) -> bool:
    """Whether a word looks like a program of the PATH, as pip installs them: a script is a file, and mostly ends so."""
    return word.replace("-", "").replace("_", "").isalnum() and word[:1].isalpha()


def _variables(words: Sequence[str], script: int | None, first: str) -> Iterator[Slip]:
    """Signs of variables in words that no shell sees."""
    for at, word in enumerate(words):
        # the text of a shell that another program starts, such as mpirun behind a shell of its own
        of_another = (
            script is not None
            and at > script
            and "$" in word
            and script_at(words[script + 1 : at + 1]) == at - script - 1
        )
        if "$" not in word or at == script or of_another:
            continue
        calls, sums = _substitutions(word), _sums(word)
        for start, end in calls:
            yield Slip(UNDEFINED, at, word[start + 2 : end - 1], inside=(start, end))
        for start, end in sums if first not in _OWN_DOLLARS and first not in _TO_SHELLS else ():
            yield Slip(UNEXPANDED, at, "", inside=(start, end))
        for sign, name, start, end in signs(word):
            if any([first_sign < start < last_sign for first_sign, last_sign in (*calls, *sums)]):
                continue
            if sign == "(":
                yield Slip(UNDEFINED, at, name, inside=(start, end))
            elif first not in _OWN_DOLLARS and first not in _TO_SHELLS:
                yield Slip(UNEXPANDED, at, name, inside=(start, end))
        for name, start, end in _of_shells(word) if first not in _OWN_DOLLARS and first not in _TO_SHELLS else ():
            yield Slip(UNEXPANDED, at, name, inside=(start, end))


# What a shell alone understands behind a name, and no template: `${now:%Y}` is Hydra's.
_OPERATORS = (":-", ":+", ":=", ":?", "[", "%", "##", "^^", ",,")


def _of_shells(word: str) -> Iterator[tuple[str, int, int]]:
    """(name, start, end) of `${NAME[0]}`, `${NAME:-default}` and their like."""
    at = word.find("${")
    while at >= 0:
        end = at + 2
        while end < len(word) and (word[end].isascii() and (word[end].isalnum() or word[end] == "_")):
            end += 1
        closing = word.find("}", end)
        if end > at + 2 and closing > 0 and word.startswith(_OPERATORS, end) and word[at - 1 : at] != "$":
            yield word[at + 2 : end], at, closing + 1
        at = word.find("${", end)


def _sums(word: str) -> list[tuple[int, int]]:
    """Where the result of a sum is meant: `$((256 / 8))`."""
    found: list[tuple[int, int]] = []
    at = word.find("$((")
    while at >= 0:
        from specgen.operators.kubernetes.script import closed  # few words have one

        end = closed(word, at + 1)
        if word[end - 2 : end] == "))" and word[at - 1 : at] != "$":
            found.append((at, end))
        at = word.find("$((", end)
    return found


def _substitutions(word: str) -> list[tuple[int, int]]:
    """Where the output of commands is meant: `$(hostname -i)`, which has a blank, as no name has."""
    found: list[tuple[int, int]] = []
    at = word.find("$(") if " " in word else -1
    while at >= 0:
        from specgen.operators.kubernetes.script import closed  # few words have one

        end = closed(word, at + 1)
        inside = word[at + 2 : end - 1]
        if " " in inside and inside[:1].isalnum() and word[end - 1] == ")" and word[at - 1 : at] != "$":
            found.append((at, end))
        at = word.find("$(", end)
    return found


def signs(text: str) -> Iterator[tuple[str, str, int, int]]:
    """(``(``, ``{`` or nothing, name, start, end) of `$(NAME)`, `${NAME}` and `$NAME`; `$$` is a dollar sign."""
    at = text.find("$")
    while 0 <= at < len(text) - 1:
        after = text[at + 1]
        if after == "$":
            at = text.find("$", at + 2)
            continue
        opened = after if after in "({" else ""
        begin = at + 1 + len(opened)
        end, more = begin, "-._" if opened == "(" else "_"
        while end < len(text) and (text[end].isascii() and (text[end].isalnum() or text[end] in more)):
            end += 1
        name = text[begin:end]
        closing = {"(": ")", "{": "}"}.get(opened, "")
        if name and not name[0].isdigit() and (not opened or text[end : end + 1] == closing):
            yield opened, name, at, end + len(closing)
        at = text.find("$", max(end, at + 1))
