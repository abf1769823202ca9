"""Every node of every sample with every odd value: what the test of it, and who runs the whole of it, take cases from.

A case is a file of a set (`Seed`) with one node replaced, renamed or taken out, and the commands that are run of it.
`python -m tests.bad.every_node` runs all cases of all sets, several hundred thousand, and says which of them failed;
`python -m tests.bad.every_node profiles 0/4` those of one set, one case of four.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

from specgen.cli import exits
from specgen.cli.main import main
from specgen.schema.accept import accepts
from tests.conftest import ROOT, shared_folder

# What stands in the place of a node. Texts bend YAML, names, paths, numbers, variables and terminals.
VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 2**31, 2**63 - 1, 1.5, 1e300),
    *("", " ", "a", "A_b.c", "x" * 300, "a\nb", "\x1b[31m", "\u202e", "\U0001f680", "null", "1", "1.10"),
    *("$<x>", "$<pods>", "$(A)", "/", "../..", "a/b:c@d", "-1", "100Gi", "1h"),
    *([], {}, [None], [[]], [{}], ["a"], {"": None}, {"a": None}, {"a": "b"}, {"a": {"b": None}}, {"name": None}),
    *({"name": ["x"]}, [{"name": ["x"]}], [{"name": None}], [{"name": "a"}, {"name": "a"}]),
)
# What stands in the place of a key.
NAMES = ("", " ", "null", "1", "A b", "x" * 300, "__class__", "\u202e", "a.b/c", "name", "patch")

# Where the samples lie as they were, and a cluster for those that name none.
BEFORE = "../before"
CLUSTER = "../cluster.yaml"

# Of cases that the shape of a profile refuses, one of so many is run where not all are.
FEW_REFUSED = 16
# Mappings whose keys are names: what stands under one of them stands for what stands under another.
_MAPS = frozenset(
    (
        *("env", "mounts", "files", "labels", "annotations", "ports", "init", "sidecars", "vars", "other"),
        *("claims", "tolerations", "nodeLabels", "preferLabels", "variants", "matrix", "pools", "nccl"),
        *("storage", "topology", "mirrors", "priorities", "runtimes", "slices", "limits", "requests", "data"),
        *("stringData", "matchLabels", "nodeSelector", "ignore", "hugepages", "volumeAttributes"),
    )
)

Path_ = tuple[str | int, ...]
Command = tuple[str, ...]


class Seed:
    """A file below a folder of samples, its documents, and the commands that are run of each mutant of it.

    ``first``: runs of every mutant. ``then``: of those that the first command took, all; of others, one after another.
    """

    def __init__(self, name: str, documents: list[Any], first: Sequence[Command], then: Sequence[Command]) -> None:
        self.name = name
        self.documents = documents
        self.first = tuple(first)
        self.then = tuple(then)


def places(tree: Any, path: Path_ = ()) -> Iterator[Path_]:
    """All paths of a tree but the whole of it."""
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in children:
        yield (*path, key)
        yield from places(value, (*path, key))


def put(tree: Any, path: Path_, change: Callable[[Any, Any], Any]) -> Any:
    """The tree with the mapping or list that holds a path changed: ``change(holder, last step)`` gives the new one."""
    if len(path) == 1:
        return change(tree, path[0])
    copy = tree.copy()
    copy[path[0]] = put(tree[path[0]], path[1:], change)
    return copy


def replaced(value: Any) -> Callable[[Any, Any], Any]:
    """The change that puts a value in place of another one."""

    def change(holder: Any, step: Any) -> Any:
        copy = holder.copy()
        copy[step] = value
        return copy

    return change


def _renamed(name: str) -> Callable[[Any, Any], Any]:
    return lambda holder, step: {name if key == step else key: value for key, value in holder.items()}


def _without(holder: Any, step: Any) -> Any:
    copy = holder.copy()
    del copy[step]
    return copy


def changes(path: Path_) -> Iterator[tuple[str, Callable[[Any, Any], Any]]]:
    """What is done at a path, with its name."""
    for value in VALUES:
        yield f"= {value!r:.40}", replaced(value)
    if isinstance(path[-1], str):
        for name in NAMES:
            yield f"→ {name!r:.40}", _renamed(name)
    yield "gone", _without


def specgen(*words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of a run in this process."""
    streams = sys.stdout, sys.stderr
    out, err = io.StringIO(), io.StringIO()
    sys.stdout, sys.stderr = out, err
    try:
        code = main(words)
    finally:
        sys.stdout, sys.stderr = streams
    return code, out.getvalue(), err.getvalue()


# Verbs whose standard output is their answer: none of it where there is none. `explain` tells of what is refused, too.
_ANSWERS = ("build", "expand", "images", "run", "operators", "preflight")


def wrong(words: Command, text: str, name: str) -> tuple[int, list[str]]:
    """The exit code of a run, and what is wrong with how it ended."""
    try:
        code, out, err = specgen(*words)
    except BaseException as error:  # what gets past `main` is a traceback at a user
        if isinstance(error, KeyboardInterrupt):
            raise
        return exits.BUG, [f"{type(error).__name__} past main"]
    found = []
    if code not in (exits.GOOD, exits.BAD, exits.QUESTION):
        lines = [line for line in (out + err).splitlines() if "SG900" in line or "specgen failed" in line]
        found.append(f"exit {code}: {lines[0] if lines else err[-200:]}")
    if not code and words[0] == "build" and "--out" not in words and not out:
        found.append("exit 0 without a manifest")
    if "Traceback" in out + err:
        found.append("a traceback")
    # a table says why there are no pods
    if code and words[0] in _ANSWERS and out and not (words[0] == "expand" and "-o" not in words):
        found.append(f"exit {code} with an answer: {out[:80]!r}")
    if code and not out and not err:
        found.append(f"exit {code} without a word")
    if "json" in words[-1] and words[0] in ("build", "lint"):
        found += _misplaced(text, name, out if words[0] == "lint" else err)
    return code, found


def _misplaced(text: str, name: str, report: str) -> list[str]:
    try:
        diagnostics = json.loads(report)["diagnostics"]
    except (ValueError, KeyError):
        return [] if not report.startswith("{") else ["a report that is no JSON"]
    found = []
    for one in diagnostics:
        if not one["message"]:
            found.append(f"{one['code']} without a message")
        for region in (one["primary"], *one["related"]):
            if region["file"] != name:
                continue
            for at in (region["start"], region["end"]):
                before = text[: at["offset"]]
                line, column = before.count("\n") + 1, at["offset"] - (before.rfind("\n") + 1) + 1
                if at["offset"] > len(text) or (at["line"], at["column"]) != (line, column):
                    found.append(f"{one['code']} at {at}, outside of the file")
    return found


def text_of(documents: Sequence[Any]) -> str:
    """Documents as a text that every reader takes: JSON, of which each is a document of YAML."""
    return "".join(("---\n" if number else "") + json.dumps(one) + "\n" for number, one in enumerate(documents))


def load(text: str) -> list[Any]:
    """The documents of a text as JSON could say them; none of one that PyYAML does not take."""
    try:
        found = list(yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
        return [json.loads(json.dumps(one, default=str)) for one in found if one is not None]
    except (yaml.YAMLError, ValueError, TypeError):
        return []


def profiles(folder: Path) -> Iterator[Seed]:
    """Jobs and bases, with every verb that takes a profile."""
    for file in sorted(folder.rglob("*.yaml")):
        documents = load(file.read_text("utf-8"))
        name = str(file.relative_to(folder))
        kind = documents[0].get("kind") if len(documents) == 1 and isinstance(documents[0], dict) else None
        if kind == "Job":
            then = [
                ("expand", name),
                ("expand", "-o", "json", name),
                ("images", name),
                ("explain", name),
                ("run", "--dry-run", name),
                ("build", "--out", "out", name),
                ("lint", "--format", "json", name),
                ("lint", "--select", "default,policy", name),
                ("fit", name),
                ("preflight", name),
                ("diff", f"{BEFORE}/{name}", name),
                ("diff", name, f"{BEFORE}/{name}"),
            ]
            yield Seed(name, documents, [("build", name, "--format=json")], then)


def _named(folder: Path, kinds: Sequence[str]) -> dict[str, list[str]]:
    """File of one of these kinds → the jobs that name it."""
    jobs: dict[str, list[str]] = {}
    found = {}
    for file in sorted(folder.rglob("*.yaml")):
        documents = load(file.read_text("utf-8"))
        if len(documents) != 1 or not isinstance(documents[0], dict):
            continue
        name = str(file.relative_to(folder))
        if documents[0].get("kind") in kinds:
            found[name] = jobs.setdefault(name, [])
        if documents[0].get("kind") == "Job":
            extends = documents[0].get("extends") or []
            for other in [documents[0].get("cluster"), *([extends] if isinstance(extends, str) else extends)]:
                if other:
                    jobs.setdefault(os.path.normpath(os.path.join(os.path.dirname(name), other)), []).append(name)
    return found


def parts(folder: Path) -> Iterator[Seed]:
    """Cluster profiles and bases, with jobs that name them."""
    for name, jobs in _named(folder, ("Cluster", "Base")).items():
        documents = load((folder / name).read_text("utf-8"))
        # of jobs that differ least: the first, the last, and one between
        some = list(dict.fromkeys([*jobs[:1], *jobs[len(jobs) // 2 : len(jobs) // 2 + 1], *jobs[-1:]]))
        first = [("lint", name, "--format=json"), *(("build", job) for job in some)]
        then: list[Command] = [(verb, job) for job in some[:1] for verb in ("expand", "images", "explain")]
        if documents[0]["kind"] == "Cluster" and some:
            then += [("images", name), ("operators", name), ("run", "--dry-run", some[0]), ("fit", some[0])]
        yield Seed(name, documents, first, then)


def manifests(folder: Path) -> Iterator[Seed]:
    """Manifests that somebody wrote, with every verb that takes one."""
    for file in sorted(one for one in folder.rglob("*") if one.suffix in (".yaml", ".yml") and one.is_file()):
        documents = [one for one in load(file.read_text("utf-8", "replace")) if isinstance(one, dict)]
        if any(str(one.get("apiVersion")).startswith("specgen") for one in documents):
            continue
        if not documents or len(str(documents)) > 30_000:
            continue
        name = str(file.relative_to(folder))
        then = [
            ("expand", "-o", "yaml", name),
            ("expand", name),
            ("expand", "--lenient", name),
            ("expand", "--fields", name),
            ("fix", "--diff", name),
            ("fix", "--diff", "--unsafe", name),
            ("lint", "--select", "default,policy", name),
            ("fit", "--cluster", CLUSTER, name),
            ("fit", "--world", name, name),
            ("preflight", name),
            ("diff", f"{BEFORE}/{name}", name),
            ("diff", name, f"{BEFORE}/{name}"),
        ]
        yield Seed(name, documents, [("lint", name, "--format=json")], then)


def runtimes(folder: Path) -> Iterator[Seed]:
    """Runtimes as a TrainJob, by hand or of a profile, stands on them."""
    for seed in manifests(folder):
        if any(str(one.get("apiVersion")).startswith("trainer") for one in seed.documents):
            profiles = [
                ("build", "over.yaml"),
                ("expand", "over.yaml"),
                ("images", "over.yaml"),
                ("explain", "over.yaml"),
            ]
            beside: list[Command] = [(verb, "trainjob-by-hand.yaml", "runtime.yaml") for verb in ("lint", "expand")]
            beside.append(("fit", "--world", "runtime.yaml", "trainjob-by-hand.yaml"))
            yield Seed(seed.name, seed.documents, [*seed.first, profiles[0], *beside], [*seed.then, *profiles[1:]])


# a file, the number of the document, the path in it, what is done there, and how; None: by `--set`, as it is said
Case = tuple[Seed, int, Path_, str, Callable[[Any, Any], Any] | None]


def settings(seeds: Sequence[Seed], *, alike: bool) -> Iterator[Case]:
    """Each node of each profile × each value by `--set`, which is a layer over the file."""
    seen: set[tuple[Any, ...]] = set()
    for seed in seeds:
        for path in places(seed.documents[0]):
            general = tuple(_general(path))
            if any(isinstance(step, int) or "]" in step for step in path) or (not alike and general in seen):
                continue
            seen.add(general)
            name = "".join(f"[{step}]" for step in path)
            for value in (*VALUES, "\udc80"):
                text = value if isinstance(value, str) else json.dumps(value)
                yield seed, 0, path, f"{name}={text}", None


def cases(seeds: Sequence[Seed], *, alike: bool) -> Iterator[Case]:
    """Each node × each change. ``alike``: also of nodes that another file has at the same path with the same type."""
    seen: Counter[tuple[Any, ...]] = Counter()
    for seed in seeds:
        for number, document in enumerate(seed.documents):
            kind = (str(document.get("apiVersion")), str(document.get("kind")))
            for path in places(document):
                node: Any = document
                for step in path:
                    node = node[step]
                shape = (*kind, *_general(path), type(node).__name__)
                seen[shape] += 1
                if alike or seen[shape] == 1:
                    for what, change in changes(path):
                        yield seed, number, path, what, change


def _general(path: Path_) -> Iterator[str]:
    """A path without the numbers of items and the names of entries."""
    for above, step in zip(("", *path), path, strict=False):
        yield "*" if isinstance(step, int) or above in _MAPS else step


def is_refused(case: Case) -> bool:
    """Whether the shape of a profile refuses a case, so that only readers and the judge of shapes see it."""
    from specgen.tables import cluster, job

    seed, number, path, _, change = case
    document = seed.documents[number]
    if change is None or not str(document.get("apiVersion")).startswith("specgen/"):
        return False
    changed = put(document, path, change)
    model = {"Job": "JobProfile", "Base": "BaseProfile"}.get(str(document["kind"]), "ClusterProfile")
    table = cluster if model == "ClusterProfile" else job
    return not accepts(table.DEFINITIONS[model], changed)


def check(case: Case, *, whole: bool) -> list[str]:
    """What is wrong with a case, run in the folder of its set. ``whole``: with every command."""
    seed, number, path, what, change = case
    documents = list(seed.documents)
    option: Command = ()
    if change is None:
        option = ("--set", what)
    else:
        documents[number] = put(documents[number], path, change)
    text = text_of(documents)
    with open(seed.name, encoding="utf-8") as file:
        before = file.read()
    with open(seed.name, "w", encoding="utf-8") as file:
        file.write(text)
    found = []
    try:
        good = True
        for words in seed.first:
            code, problems = wrong((*words, *option), text, seed.name)
            good = good and not code
            found += [f"{' '.join(words)}: {one}" for one in problems]
        then = seed.then
        if not whole and then:
            chance = zlib.crc32(f"{seed.name} {path} {what}".encode("utf-8", "replace"))
            then = (then[chance % len(then)],)
        for words in then:
            if not option or words[0] not in ("lint", "fix"):
                _, problems = wrong((*words, *option), text, seed.name)
            else:
                problems = []
            found += [f"{' '.join(words)}: {one}" for one in problems]
    finally:
        with open(seed.name, "w", encoding="utf-8") as file:
            file.write(before)
    return [f"{seed.name} {'.'.join(map(str, path))} {what}: {one}" for one in found]


def _shared(*names: str) -> list[Path]:
    shared = shared_folder()
    return [shared.joinpath(*names)] if shared is not None else []


NODES = Path(__file__).parent / "nodes"

# Name → the folders of samples, what is made of the files in one, and the cases of those.
SETS: dict[str, tuple[Callable[[], list[Path]], Callable[[Path], Iterator[Seed]], Callable[..., Iterator[Case]]]] = {
    "profiles": (lambda: [NODES, ROOT / "profiles", *_shared("profiles")], profiles, cases),
    "parts": (lambda: [NODES, ROOT / "profiles", *_shared("profiles")], parts, cases),
    "settings": (lambda: [NODES, ROOT / "profiles"], profiles, settings),
    "runtimes": (lambda: [NODES], runtimes, cases),
    "manifests": (lambda: _shared("corpus"), manifests, cases),
}


def copied(folder: Path, home: Path) -> Path:
    """A copy of samples, a repository, in a new folder with what the commands of seeds name beside it."""
    copy = home / "now"
    for one in (copy, home / Path(BEFORE).name):
        shutil.copytree(folder, one)
        (one / ".git").mkdir()
    shutil.copy(ROOT / "profiles/clusters/gpu.yaml", home / Path(CLUSTER).name)
    return copy


def chosen(name: str, scratch: Path, *, part: int = 0, of: int = 1, whole: bool = False) -> Iterator[Case]:
    """The cases of a set, one of so many, each while the process is in a copy of the folder of its samples."""
    folders, make, cases_of = SETS[name]
    home = os.getcwd()
    for number, folder in enumerate(folders()):
        copy = copied(folder, scratch / f"{name}-{number}")
        os.chdir(copy)
        try:
            for at, case in enumerate(cases_of(list(make(Path("."))), alike=whole)):
                if at % of == part and (whole or at // of % FEW_REFUSED == 0 or not is_refused(case)):
                    yield case
        finally:
            os.chdir(home)


def failures(name: str, scratch: Path, *, part: int = 0, of: int = 1, whole: bool = False) -> tuple[int, list[str]]:
    """How many cases were run, and what is wrong with any of them."""
    count = 0
    found: list[str] = []
    for case in chosen(name, scratch, part=part, of=of, whole=whole):
        count += 1
        found += check(case, whole=whole)
    return count, found


def _print(name: str, share: str, whole: bool) -> int:
    part, of = (int(one) for one in share.split("/"))
    failed: Counter[str] = Counter()
    examples: dict[str, str] = {}
    count, began = 0, time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        for case in chosen(name, Path(scratch), part=part, of=of, whole=whole):
            count += 1
            for one in check(case, whole=whole):
                why = one.rpartition(": exit")[2] or one
                failed[why] += 1
                if examples.setdefault(why, one) is one:
                    print(one, flush=True)
    print(f"{name}: {count:,} cases in {time.monotonic() - began:.0f} s, {sum(failed.values()):,} failures")
    for why, times in failed.most_common():
        print(f"{times:7} {why}\n        {examples[why]}")
    return 1 if failed else 0


if __name__ == "__main__":
    said = sys.argv[1:]
    asked = [word for word in said if word in SETS] or list(SETS)
    of_all = next((word for word in said if "/" in word), "0/1")
    sys.exit(max(_print(name, of_all, "--whole" in said) for name in asked))
