"""The page of a word."""

from __future__ import annotations

from specgen.profile.variables import BUILTIN
from specgen.reference._examples import CASES
from specgen.reference.becoming import MOST_LINES, Compiler, targets
from specgen.reference.examples import beside, data, example
from specgen.reference.page import Code, Page
from specgen.reference.words import CLUSTER, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics import model
    from specgen.reference.becoming import Becoming
    from specgen.reference.page import Block
    from specgen.reference.words import Word


# Kinds whose lines are shown to somebody who asked for a word, and the one that comes first: most jobs are of it.
_MOST_KINDS = 2
_FIRST = "PyTorchJob"


class Wanted:
    """What of a page somebody wants to see who reads it on a screen.

    ``kinds``: these alone, as ``targets`` calls them; empty: the first kinds in full, and the names of others.
    """

    __slots__ = ("kinds",)

    def __init__(self, kinds: list[str]) -> None:
        self.kinds = kinds

    def chosen(self, becomings: list[Becoming]) -> list[Becoming]:
        """What a word becomes in the kinds that are wanted; of ``_MOST_KINDS`` the first is the one of most jobs."""
        if self.kinds:
            found = [one.of([kind for kind in one.kinds if kind in self.kinds]) for one in becomings]
            return [one for one in found if one.kinds]
        return sorted(becomings, key=lambda one: _FIRST not in one.kinds)


# The word by which `$<name>` is looked up, and what each variable that is always there holds.
VARIABLES = "vars"
_OF_JOB = {
    "name": "its name",
    "namespace": "its namespace",
    "pods": "its pods that train",
    "procsPerPod": "the processes of each pod",
    "processes": "all processes",
    "gpu": "the GPUs of each pod",
}
# Word → (heading, what a type and an example do not say of it).
# Deadlines: training-operator 1.9.4, pkg/core/job.go, `PastActiveDeadline`, counts from
# `status.startTime`. Restarts: `Counted.limit` of ``operators.lifecycle``.
_BESIDE = {
    "env.secret": (
        "Before the job",
        "The Secret must be in the job's namespace before its pods start; they wait in `CreateContainerConfigError` "
        "until then. `kubectl create secret generic wandb --namespace NAMESPACE --from-file=token` makes one, with the "
        "file `token` as its entry.",
    ),
    "lifecycle.deadline": (
        "Counted from",
        "Where the job has it, from when the operator takes the job up: the time that pods wait for nodes counts, "
        "unlike with `--time` of Slurm, so add it. A job that is suspended, as Kueue does with those that wait in its "
        "queues, does not count until it goes on.",
    ),
    "lifecycle.restarts": (
        "The limit that follows",
        "Operators that count starts of containers count all pods together, and an incident may end each of them: the "
        "limit is incidents times pods, and one more where reaching it fails the job. 3 incidents of 2 pods are 7, "
        "5 of 6 pods are 31.",
    ),
}


def page(word: Word, compiler: Compiler, codes: dict[str, list[model.Code]], wanted: Wanted | None = None) -> Page:
    """All that is known of a word, or what of it is ``wanted``. ``codes``: those of each word, as ``spoken`` says."""
    found = Page(word.name, _about(word), word.sentence)
    found.add("Takes", _takes(word), _meanings(word))
    if word.name == VARIABLES:
        found.add("Always there", "These need no line here, and one that says the same name replaces it.", _always())
    if word.name in _BESIDE:
        found.add(*_BESIDE[word.name])
    job, cluster = example(word)
    mine, other = (cluster, job) if word.profile == CLUSTER else (job, cluster)
    between = "of a job, for which it counts:" if word.profile == CLUSTER else "in the cluster profile:"
    blocks: list[Block] = [Code(mine, "yaml")]
    if other:
        blocks += [between, Code(other, "yaml")]
    for name, text in beside(job):
        blocks += [f"in `{name}`:", Code(text, "yaml")]
    found.add("Example", *blocks)
    becomings = compiler.becomings(word)
    if wanted is not None:
        becomings = wanted.chosen(becomings)
    found.add("If not said", *_default(word, becomings))
    found.add("What it becomes", *_becomes(becomings, word, wanted))
    for case, *said in CASES.get(word.name, ()):
        found.add(f"What it becomes {case}", *_case(word, compiler, said[0], said[1], wanted))
    found.add("Since", _since(becomings))
    if word.profile != CLUSTER and cluster:
        found.add("Needs of the cluster", _said(data(cluster)))
    found.add("Below it", _below(word))
    found.add("Codes", [f"`{code.id}` {code.slug}: {title(code)}" for code in codes.get(word.name, ())])
    return found


def _always() -> list[str]:
    return [f"`$<{name}>`: of the job, {_OF_JOB[name]}" for name in BUILTIN]


def title(code: model.Code) -> str:
    """The first line of a code's page."""
    return code.page.strip().partition("\n")[0]


def _about(word: Word) -> str:
    where = "a cluster profile" if word.profile == CLUSTER else "a job or base profile"
    return f"a word of {where}" + (", which must say it" if word.required and len(word.path) == 1 else "")


def _takes(word: Word) -> str:
    must = f"; must be said where `{word.path[-2]}` is" if word.required and len(word.path) > 1 else ""
    return word.takes[:1].upper() + word.takes[1:] + must + "."


def _meanings(word: Word) -> list[str]:
    """What each of the words that it takes means, where a name does not say it."""
    known = [one for one in word.alternatives if "enumDescriptions" in one]
    return [
        f"`{name}`: {meaning}"
        for one in known
        for name, meaning in zip(one["enum"], one["enumDescriptions"], strict=True)
    ]


def _default(word: Word, becomings: list[Becoming]) -> list[Block]:
    said = f"`{word.default}`, the language's own default." if word.default is not None else ""
    items = []
    for one in becomings:
        # the reason is the operator's, the API server's or specgen's own, as `explain PROFILE` gives it
        for line, reason in one.unsaid[:2]:
            items.append(f"{_kinds(one)}: `{_plain(line)}`" + (f", because {reason}" if reason else ""))
    return [said, items]


def _becomes(becomings: list[Becoming], word: Word, wanted: Wanted | None) -> list[Block]:
    blocks: list[Block] = []
    left: list[str] = []
    full = 0
    for one in becomings:
        full += bool(one.lines)
        if wanted is not None and not wanted.kinds and one.lines and full > _MOST_KINDS:
            left += one.kinds
            continue
        if one.refused is not None:
            code, message = one.refused
            blocks.append(f"{_kinds(one)}: refused, `{code}`: {message}")
        elif not one.lines:
            blocks.append(f"{_kinds(one)}: nothing in the manifest by itself.")
        else:
            most = len(one.lines) if wanted is not None and wanted.kinds else MOST_LINES
            more = [f"… and {len(one.lines) - most} more"] if len(one.lines) > most else []
            blocks += [f"{_kinds(one)}:", Code("\n".join([*one.lines[:most], *more]))]
    if left:
        blocks.append(
            f"{', '.join(sorted(left))}: other lines, which `specgen explain {word.name} --target KIND` shows."
        )
    return blocks


def _case(word: Word, compiler: Compiler, job: str, cluster: str, wanted: Wanted | None) -> list[Block]:
    """The word in another example, as far as a kind takes it."""
    blocks: list[Block] = [Code(job, "yaml")]
    if cluster:
        blocks += ["in the cluster profile:", Code(cluster, "yaml")]
    becomings = compiler.becomings(word, (job, cluster))
    return blocks + _becomes(wanted.chosen(becomings) if wanted is not None else becomings, word, wanted)


def _plain(line: str) -> str:
    return line.replace("`", "'")


def _kinds(one: Becoming) -> str:
    return "all kinds" if len(one.kinds) == len(targets()) else ", ".join(one.kinds)


def _since(becomings: list[Becoming]) -> list[str]:
    found: dict[tuple[str, str], list[str]] = {}
    for one in becomings:
        for since in one.since:
            found.setdefault(since, []).extend(one.kinds)
    return [f"{operator} {release}: {', '.join(kinds)}" for (operator, release), kinds in found.items()]


def _said(tree: object) -> list[str]:
    """The words of a cluster profile that an example says, names of entries left out."""
    known = {word.path: word for word in words() if word.profile == CLUSTER}
    found: list[str] = []

    def walk(node: object, at: tuple[str, ...]) -> None:
        if not isinstance(node, dict):
            return
        for key, value in node.items():
            below = (*at, key) if (*at, key) in known else at
            if below != at and (not isinstance(value, dict) or not known[below].below):
                found.append(f"`{known[below].name}`: {known[below].sentence}")
            walk(value, below)

    walk(tree, ())
    return list(dict.fromkeys(found))


def _below(word: Word) -> list[str]:
    items = [f"`{one.name}`: {one.sentence}" for one in word.below]
    items += [f"the words below `{one.name}`" for one in word.alike if one is not word]
    if word.holds_job_words:
        items.append("the words of a job: `image`, `resources`, `env`, `mounts`, …")
    return items
