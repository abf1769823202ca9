"""All starts of a script's program, of the tasks of an array and of the turns of loops, as variants of one profile."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from math import prod

from specgen.cli.brought import ABSENT, ARRAY, MOST_TASKS, Brought, named, safe
from specgen.cli.interpreter import MOST_STARTS, OF_FOLDER
from specgen.operators.kubernetes.argv import SHELLS
from specgen.operators.kubernetes.launchers import of_words
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.cli.interpreter import Started, Step

_REFERENCE = re.compile(r"\$(?:(\w+)|\{(\w+)\})", re.ASCII)
# The name of a job and that of its variant have so many signs.
_LONGEST = 40
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
# Options that say which of the nodes one is.
_RANKS = ("node_rank", "node-rank", "machine_rank", "r")


class Run:
    """One start of the program: its ``words``, ``env`` and ``workdir``, the ``task``, and what ``loops`` are at."""

    __slots__ = ("env", "loops", "task", "words", "workdir")

    def __init__(self, task: int | None, words: list[str], started: Started) -> None:
        """``words``: those of the program alone."""
        self.task = task
        self.words = words
        self.env = started.env
        self.workdir = started.workdir
        self.loops = started.loops


def nodes_of_ranks(runs: Sequence[Run]) -> int:
    """The number of nodes, where each start is one of a job's: their words differ by its number alone; 0 elsewhere."""
    first = runs[0].words if runs else []
    if len(runs) < 2 or any([len(run.words) != len(first) for run in runs]):
        return 0
    differ = [at for at, word in enumerate(first) if any([run.words[at] != word for run in runs])]
    for at in differ:
        option = (first[at] if first[at][:1] == "-" else first[at - 1] if at else "").lstrip("-").partition("=")[0]
        if option not in _RANKS:
            return 0
    return len(runs) if differ else 0


def variants(
    brought: Brought, program: list[str], runs: list[Run], chosen: Step, script: str, entered: str
) -> list[str]:
    """The words of the program, with variables in the place of what differs from start to start.

    ``program``: its words with variables in place where the script itself has them; ``entered``: the folder in which
    the script ends.
    """
    if not runs:
        return program
    if entered and brought.workdir == entered:
        brought.workdir = runs[0].workdir
    _of_other_programs(brought, runs, script)
    runs = _without_repeats(brought, runs, chosen)
    tasks = brought.array
    if len(runs) == 1 and not tasks:
        brought.loops = {}
        _take_env(brought, runs)
        return runs[0].words
    in_turn = bool(chosen.command.loops) and len(runs) > max(len(tasks), 1) and not chosen.behind
    if _is_product(brought, runs) and _agree(brought, program, runs):
        _tell_of_order(brought, chosen, in_turn=in_turn)
        _take_env(brought, runs)
        return program
    groups: dict[int, list[Run]] = {}
    for run in runs:
        groups.setdefault(_head(run.words), []).append(run)
    kept = max(groups.values(), key=len)
    if len(kept) < len(runs):
        others = [run for many, group in groups.items() if group is not kept for run in group]
        _tell_of_others(brought, others, len(runs), chosen, script)
    if len(kept) > MOST_TASKS:
        times = f"{len(kept)} times" if len(kept) <= MOST_STARTS else "again and again"
        brought.notes.append(f"Line {chosen.line} starts it {times}: the first is taken, `matrix` says what of each.")
        kept = list({run.task: run for run in reversed(kept)}.values())[::-1]
    _tell_of_order(brought, chosen, in_turn=in_turn and len(kept) > max(len(tasks), 1))
    brought.array = [run.task for run in kept if run.task is not None]
    brought.picked = brought.picked if brought.array == tasks else {}
    brought.loops = {}
    brought.runs = len(kept) if len(set(brought.array)) < len(kept) and len(kept) > 1 else 0
    if brought.runs:
        brought.names = _names_of(kept, brought.name)
    if brought.runs and not tasks and all([_is_same(run, kept[0]) for run in kept]):
        brought.notes.append(f"Line {chosen.line} starts it {len(kept)} times with the same words.")
        for name in kept[0].loops:
            brought.of_tasks(name, [run.loops.get(name, "") for run in kept])
    _take_env(brought, kept)
    _take_folders(brought, kept)
    words = _take_words(brought, program, kept)
    _tell_of_rows(brought)
    return words


def _head(words: list[str]) -> int:
    """How many words name the program: what starts it with its options, and what that is given to run."""
    line = of_words(words)
    call = mpirun.call(words) if words[:1] and words[0].rpartition("/")[2] in mpirun.STARTERS else None
    at = line.program if line is not None else call.behind if call is not None else 0
    name = words[at].rpartition("/")[2] if at < len(words) else ""
    if name in SHELLS or name.startswith("python"):
        at = next((one for one in range(at + 1, len(words)) if words[one][:1] != "-"), len(words))
    return min(at + 1, len(words))


def _take_folders(brought: Brought, runs: list[Run]) -> None:
    """Takes the folder of each start, where they differ."""
    if len({run.workdir for run in runs}) > 1:
        brought.folders = [run.workdir for run in runs]
        brought.workdir = ""
        brought.left = {one: None for one in brought.left if one[2] != OF_FOLDER}


def _tell_of_rows(brought: Brought) -> None:
    """Says which tasks of an array have nothing of what they read, or the heading of a table in place of its values."""
    if not brought.array or brought.runs:
        return
    rows = {task: [said[at] for said in brought.picked.values()] for at, task in enumerate(brought.array)}
    empty = [task for task, row in rows.items() if row and not any(row)]
    others = [row for task, row in rows.items() if task not in empty]
    columns = [at for at in range(len(brought.picked)) if all([_NUMBER.fullmatch(row[at]) for row in others[1:]])]
    first = next((task for task in rows if task not in empty), None)
    if len(others) > 2 and columns and not any([_NUMBER.fullmatch(others[0][at]) for at in columns]):
        line = f"Task {first} has words where the others have numbers, as of a table's heading: leave it out."
        brought.notes.append(line)
    if empty and others:
        numbers = ", ".join(map(str, empty))
        have = "have" if len(empty) > 1 else "has"
        brought.notes.append(
            f"What is read has nothing for task{'s' * (len(empty) > 1)} {numbers}, which {have} no values."
        )


def _is_same(run: Run, other: Run) -> bool:
    return run.words == other.words and run.env == other.env


def _without_repeats(brought: Brought, runs: list[Run], chosen: Step) -> list[Run]:
    """The starts, or one of each task where all of its own come one after the other with the same words."""
    first: dict[int | None, Run] = {}
    for run in runs:
        first.setdefault(run.task, run)
    if chosen.behind or len(first) == len(runs) or not all([_is_same(run, first[run.task]) for run in runs]):
        return runs
    most = max(Counter([run.task for run in runs]).values())
    said = f"{most} times" if most <= MOST_STARTS else "again and again"
    brought.notes.append(f"Line {chosen.line} starts it {said}, one after the other, with the same words, here once.")
    return list(first.values())


def _tell_of_order(brought: Brought, chosen: Step, *, in_turn: bool) -> None:
    if in_turn:
        brought.notes.append(f"The loop around line {chosen.line} has them one after the other, the variants do not.")


def _of_other_programs(brought: Brought, runs: list[Run], script: str) -> None:
    """Leaves out tasks of an array that start something else."""
    there = {run.task for run in runs}
    others = [task for task in brought.array if task not in there]
    if others:
        numbers = ",".join(map(str, others))
        line = f"`sbatch --array={numbers} {script}`"
        brought.notes.append(f"Tasks {numbers} of the array start something else, or nothing: {line}.")
        places = [at for at, task in enumerate(brought.array) if task in there]
        brought.array = [brought.array[at] for at in places]
        brought.picked = {name: [said[at] for at in places] for name, said in brought.picked.items()}


def _tell_of_others(brought: Brought, others: list[Run], many: int, chosen: Step, script: str) -> None:
    numbers = ",".join(map(str, sorted({run.task for run in others if run.task is not None})))
    how = f": `sbatch --array={numbers} {script}`" if numbers else ""
    lines = list(dict.fromkeys([f"`specgen init job -- {safe(shlex.join(run.words))}`" for run in others]))
    how = how or f", a job of its own each: {', '.join(lines[:2])}" + (", …" if len(lines) > 2 else "")
    brought.notes.append(f"Of {many} starts in line {chosen.line}, {len(others)} have other words{how}.")


def _is_product(brought: Brought, runs: list[Run]) -> bool:
    """Whether each task and each turn of the loops comes together with each other one, once."""
    seen = {(run.task, *[run.loops.get(name) for name in brought.loops]) for run in runs}
    many = prod([len(values) for values in brought.loops.values()]) * max(len(brought.array), 1)
    return len(seen) == len(runs) == many and all([run.env == runs[0].env for run in runs])


def _agree(brought: Brought, program: list[str], runs: list[Run]) -> bool:
    """Whether the words with variables in place are those of each start."""
    return all([[_said(word, run, brought) for word in program] == run.words for run in runs])


def _said(word: str, run: Run, brought: Brought) -> str:
    """A word with what its variables are in one start."""

    def value(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name == ARRAY and run.task is not None:
            return str(run.task)
        if name in brought.picked and run.task in brought.array:
            return brought.picked[name][brought.array.index(run.task)]
        turns = [said for loop, said in run.loops.items() if loop.upper() == name and loop in brought.loops]
        return turns[0] if turns else found[0]

    return _REFERENCE.sub(value, word)


def _names_of(runs: list[Run], name: str) -> list[str]:
    """What the variants of a job are called: by what the loops are at, or by their numbers."""
    names = [
        "-".join([*([f"t{run.task}"] if run.task is not None else []), *[named(*turn) for turn in run.loops.items()]])
        for run in runs
    ]
    fit = len({*names}) == len(names) and all([0 < len(one) <= _LONGEST - len(name) for one in names])
    return names if fit and all([run.loops for run in runs]) else [f"r{at}" for at, _ in enumerate(runs, 1)]


def _take_env(brought: Brought, runs: list[Run]) -> None:
    """Takes variables of the program that each start has."""
    names = list(dict.fromkeys([name for run in runs for name in run.env]))
    for name in [one for one in brought.scripts if one not in names]:
        brought.env.pop(name, None)  # it is exported behind the program
    for name in names:
        said = [run.env.get(name, ABSENT) for run in runs]
        if all([one == said[0] for one in said]):
            brought.env[name] = said[0]
        elif name.isupper():
            brought.env.pop(name, None)
            brought.of_tasks(name, said)
    brought.left = {one: None for one in brought.left if not _is_picked(one[1], brought.picked)}


def _take_words(brought: Brought, program: list[str], runs: list[Run]) -> list[str]:
    """The words of all starts, with a variable for each that differs; what has none is with all behind it `rests`."""
    first = runs[0].words
    head, longest = _head(first), max([len(run.words) for run in runs])
    several = any([len(run.words) < longest for run in runs])
    same_length = len(program) == longest and not several
    done: list[str] = []
    for at in range(min([len(run.words) for run in runs])):
        said = [run.words[at] for run in runs]
        word = program[at] if same_length else first[at]
        if all([one == said[0] for one in said]):
            done.append(said[0])
        elif same_length and all([_said(word, run, brought) == run.words[at] for run in runs]):
            done.append(word)
        elif several and at >= head and not _is_of_option(said, first[at - 1]):
            break
        else:
            front, back = _around(word, said)
            values = [one[len(front) : len(one) - len(back)] for one in said]
            plain = not any(["$" in one or "`" in one for one in values])
            names = [*_names_for(word, first[at - 1] if at else ""), f"WORD_{at}"] if plain else []
            reference = next((found for name in names if (found := brought.of_tasks(name, values))), "")
            if not reference and at >= head:
                break
            if not reference:
                brought.leave(word, "it differs from start to start: `matrix` says what of each")
            done.append(front + reference + back if reference else word)
    many = len(done)
    if many < longest:
        # no option parts from its value
        many -= many > head and _is_option(first[many - 1]) and not all([_begins(run, many, "-") for run in runs])
        brought.rests = [run.words[many:] for run in runs]
    brought.left = {one: None for one in brought.left if not _is_picked(one[1], brought.picked)}
    return done[:many]


def _is_option(word: str) -> bool:
    """Whether the next word may be its value."""
    return word[:1] == "-" and "=" not in word


def _begins(run: Run, at: int, sign: str) -> bool:
    return run.words[at : at + 1] != [] and run.words[at].startswith(sign)


def _is_of_option(said: list[str], before: str) -> bool:
    """Whether words in one place are values of one option; ``before``: what stands in front of them."""
    option = said[0].partition("=")[0]
    same = option[:1] == "-" and all([one.startswith(f"{option}=") for one in said])
    return same or (_is_option(before) and not any([one[:1] == "-" for one in said]))


def _is_picked(text: str, picked: dict[str, list[str]]) -> bool:
    """Whether variants say what an assignment or a condition would decide."""
    read = re.match(r"(?:\w+=\S* )*read (.*)", text)
    if read is not None:
        return any([word.upper() in picked for word in read[1].split() if word[:1] != "-"])
    name = re.match(r"(?:export )?(\w+)\+?=", text)
    return bool(picked) and (name[1].upper() in picked if name is not None else ARRAY in text)


def _around(word: str, said: list[str]) -> tuple[str, str]:
    """What stands before and behind the part of a word that differs from start to start."""
    closed = not any(["$" in one for one in said])
    option = word[: word.find("=") + 1] if word[:1] == "-" else ""
    for before in (word.partition("$")[0], option):
        if before and before != word and closed and all([one.startswith(before) for one in said]):
            return before, ""
    if closed:
        return "", ""
    # what is not known is the same in all: no variable is put into its name
    front = _common(said)
    back = _common([one[len(front) :][::-1] for one in said])[::-1]
    whole = front.count("{") == front.count("}") and back.count("{") == back.count("}") and front[-1:] != "$"
    return (front, back) if whole else ("", "")


def _common(words: list[str]) -> str:
    """What all words begin with."""
    first, last = min(words), max(words)
    return first[: next((at for at, sign in enumerate(first) if sign != last[at : at + 1]), len(first))]


def _names_for(word: str, before: str) -> list[str]:
    """What a variable in the place of a word may be called: as the first in it, as its option, and with a number."""
    inside = [one for one in re.findall(r"[A-Za-z_]\w*", word.partition("$")[2]) if one != ARRAY]
    option = (word if "=" in word and word[:1] == "-" else before).lstrip("-").partition("=")[0]
    names = [*(inside[:1] if word.count("$") == 1 else []), re.sub(r"\W", "_", option)]
    return [one for one in [*names, *[f"{name}_{at}" for name in names for at in range(2, 4)]] if one]
