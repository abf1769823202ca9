"""Manifests that are right, made wrong in one way: the rule says it once, no other changes its mind, and a fix heals.

The manifests are those that the samples come to, of every kind. A slip is a patch; where the fix is its inverse, the
healed text is the original, byte by byte.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from specgen.diagnostics.model import BadQuestion, Finding
from specgen.diagnostics.operations import Append, Move, Refusal, Remove, Rename, Set
from specgen.document.patch import applied, patched
from specgen.document.read import read
from specgen.session import Session
from specgen.session.repair import repair
from specgen.source import Source
from tests.shares import one_of

FILES = sorted((Path(__file__).parents[1] / "out").rglob("*job*.yaml")) + sorted(
    (Path(__file__).parents[1] / "out").rglob("jobset.yaml")
)
Path_ = tuple[str | int, ...]
ROLES = ("pytorchReplicaSpecs", "tfReplicaSpecs", "mpiReplicaSpecs", "msReplicaSpecs")


class Slip:
    """What somebody gets wrong: a patch, the code that it must be found as, and whether its fix is its inverse."""

    def __init__(self, name: str, code: str, patch: list[Any], *, inverse: bool = True) -> None:
        self.name = name
        self.code = code
        self.patch = patch
        self.inverse = inverse


def containers(tree: Any, path: Path_ = ()) -> Iterator[tuple[Path_, dict[str, Any]]]:
    """Each container of each pod template, with its path."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            if key == "containers" and isinstance(value, list):
                yield from (((*path, key, index), one) for index, one in enumerate(value))
            else:
                yield from containers(value, (*path, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            yield from containers(value, (*path, index))


def roles(tree: dict[str, Any]) -> Iterator[tuple[Path_, dict[str, Any]]]:
    for field in ROLES:
        for name, role in tree["spec"].get(field, {}).items():
            yield ("spec", field, name), role


def of_lists(tree: dict[str, Any]) -> Iterator[Slip]:
    for path, one in containers(tree):
        env, mounts = one.get("env", []), one.get("volumeMounts", [])
        if env and mounts and "value" in env[-1]:
            yield Slip(
                "the last variable", "SG111", [Move((*path, "env", len(env) - 1), (*path, "volumeMounts", len(mounts)))]
            )
        if len(mounts) > 1 and env:
            at = (*path, "volumeMounts", len(mounts) - 1)
            yield Slip("the last mount", "SG113", [Move(at, (*path, "env", len(env)))])


def of_places(tree: dict[str, Any]) -> Iterator[Slip]:
    policy = tree["spec"].get("runPolicy", {})
    if policy:
        last = list(policy)[-1]
        if not isinstance(policy[last], dict):
            yield Slip(
                "a field of runPolicy",
                "SG112",
                [Move(("spec", "runPolicy", last), ("spec", last))],
                inverse=len(policy) > 1,
            )
    for path, role in roles(tree):
        pod = role["template"]["spec"]
        last = list(pod)[-1]
        if last in ("schedulerName", "nodeSelector", "tolerations", "volumes", "priorityClassName"):
            template = (*path, "template")
            yield Slip("a field of the pod", "SG112", [Move((*template, "spec", last), (*template, last))])


def of_names(tree: dict[str, Any]) -> Iterator[Slip]:
    yield Slip("a misspelt field", "SG101", [Rename(("spec",), "spce")])
    for path, one in containers(tree):
        yield Slip("a misspelt field", "SG101", [Rename((*path, "image"), "imgae")])
        for index, entry in enumerate(one.get("env", [])):
            if entry["name"] in ("NCCL_SOCKET_IFNAME", "NCCL_DEBUG", "NCCL_IB_HCA"):
                name = entry["name"].replace("_IF", "_IF_").replace("DEBUG", "DEBGU").replace("_HCA", "_HAC")
                yield Slip("a misspelt variable", "SG520", [Set((*path, "env", index, "name"), name)])
    for path, _ in roles(tree):
        if path[-1] == "Worker" and path[-2] != "tfReplicaSpecs" and path[-2] != "msReplicaSpecs":
            yield Slip("a misspelt role", "SG303", [Rename(path, "Workers")])


def of_words(tree: dict[str, Any]) -> Iterator[Slip]:
    for path, role in roles(tree):
        if role.get("restartPolicy") == "OnFailure":
            yield Slip("a misspelt word", "SG313", [Set((*path, "restartPolicy"), "OnFailur")])
    for path, one in containers(tree):
        if "imagePullPolicy" in one:
            word = one["imagePullPolicy"].lower()
            yield Slip("a word in lower case", "SG315", [Set((*path, "imagePullPolicy"), word)], inverse=False)


def of_values(tree: dict[str, Any]) -> Iterator[Slip]:
    for path, one in containers(tree):
        for index, entry in enumerate(one.get("env", [])):
            if str(entry.get("value", "x")).isdigit() and str(int(entry["value"])) == entry["value"]:
                yield Slip("a number", "SG103", [Set((*path, "env", index, "value"), int(entry["value"]))])
                break
        # in an MSJob nobody tells them apart
        if one.get("env") and "value" in one["env"][0] and tree["kind"] != "MSJob":
            yield Slip("a variable twice", "SG104", [Append((*path, "env"), one["env"][0])])


def of_roles(tree: dict[str, Any]) -> Iterator[Slip]:
    named = {"PyTorchJob": "pytorch", "TFJob": "tensorflow"}.get(tree["kind"])
    for path, role in roles(tree):
        pod = role["template"]["spec"]
        if named and len(pod["containers"]) == 1 and "initContainers" not in pod:
            place = (*path, "template", "spec", "containers", 0, "name")
            yield Slip("a container of another name", "SG301", [Set(place, "trainer")])
        if path[-1] in ("Master", "Launcher"):
            yield Slip("two of a kind", "SG304", [Set((*path, "replicas"), 2)])
        if "restartPolicy" in role:
            yield Slip("a policy twice", "SG475", [Set((*path, "template", "spec", "restartPolicy"), "Always")])
    for path, one in containers(tree):
        if one.get("securityContext") == {"capabilities": {"add": ["IPC_LOCK"]}} and list(one)[-1] == "securityContext":
            yield Slip("no right to lock memory", "SG410", [Remove((*path, "securityContext"))])
    yield Slip("a name in capitals", "SG302", [Set(("metadata", "name"), tree["metadata"]["name"].upper())])


def of_objects(tree: dict[str, Any]) -> Iterator[Slip]:
    yield Slip("a field of the server", "SG326", [Set(("metadata", "resourceVersion"), "48151")])
    yield Slip("the state of a job", "SG326", [Set(("status",), {"phase": "Running"})])
    if "annotations" not in tree["metadata"]:
        note = {"config.kubernetes.io/path": "../job.yaml"}
        yield Slip("an annotation of tools", "SG329", [Set(("metadata", "annotations"), note)])


SLIPS: tuple[Callable[[dict[str, Any]], Iterator[Slip]], ...] = (
    of_lists,
    of_places,
    of_names,
    of_words,
    of_values,
    of_roles,
    of_objects,
)


class Texts:
    """One text in place of files."""

    def __init__(self, text: str) -> None:
        self.source = Source("job.yaml", text)

    def below(self, name: str) -> list[str] | None:
        return None

    def all_below(self, name: str) -> list[str]:
        return []

    def config(self, name: str) -> Source | None:
        return None

    def around(self, steps: int) -> str:
        return ""

    def is_there(self, name: str) -> bool:
        return name == "job.yaml"

    def expect(self, names: object) -> None:
        pass

    def named(self, name: str) -> tuple[Source | None, list[Finding]]:
        return self.source, []

    def join(self, name: str, beside: str) -> str:
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        raise BadQuestion("there is no other file")

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        raise BadQuestion("there is no other file")

    def beside(self, name: str) -> str | None:
        return None

    def printed(self, name: str) -> str:
        return self.again(name)

    def again(self, name: str) -> str:
        return self.source.text


def lint(files: Any) -> Session:
    session = Session(files)
    session.lint(["job.yaml"])
    return session


@cache
def codes(text: str) -> Counter[tuple[str, str]]:
    return Counter((one["code"], one["message"]) for one in lint(Texts(text)).found())


def cases() -> Iterator[Any]:
    for file in FILES:
        # a sample may leave a warning as it is, with a reason in its profile
        done = repair(Texts(file.read_text()), lint, unsafe=True, fixed=lambda name: True)
        text = done.changed["job.yaml"][1].text if done.changed else file.read_text()
        for document in read(Source("job.yaml", text))[0]:
            if not isinstance(document.data, dict) or "spec" not in document.data:
                continue
            for make in SLIPS:
                for number, slip in enumerate(make(document.data)):
                    name = f"{file.parent.name}-{slip.code}-{make.__name__}-{number}"
                    yield pytest.param(text, document.number, slip, id=name)


CASES = list(cases())


def test_every_kind_and_slip_is_there() -> None:
    named = {str(case.id).split("-SG")[0] for case in CASES}
    assert len(named) > 6
    found = Counter(case.values[2].code for case in CASES)
    assert min(found[code] for code in ("SG101", "SG103", "SG104", "SG111", "SG112", "SG113", "SG303", "SG520")) > 0, (
        found
    )


@pytest.mark.parametrize(("text", "number", "slip"), one_of(4, CASES))
def test_a_slip_is_found_once_and_healed(text: str, number: int, slip: Slip) -> None:
    document = read(Source("job.yaml", text))[0][number]
    edits = patched(document, slip.patch)
    if isinstance(edits, Refusal):
        pytest.skip(f"this text cannot be made wrong in this way: {edits.reason}")
    wrong = applied(text, [(one.offset, one.length, one.text) for one in edits])
    before, after = codes(text), codes(wrong)
    new = after - before
    assert [code for code, _ in new.elements()] == [slip.code], "\n".join(message for _, message in new)
    outcome = repair(Texts(wrong), lint, unsafe=True, fixed=lambda name: True)
    healed = outcome.changed["job.yaml"][1].text if outcome.changed else wrong
    if slip.code == "SG315":
        return  # a word that the API server refuses has no one remedy
    assert not codes(healed) - before
    if slip.inverse:
        assert healed == text
