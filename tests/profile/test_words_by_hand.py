"""Lists by hand that repeat the models: each is complete, and one that is not says what to do about the new word."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import pytest

from specgen.generate.records import records
from specgen.plan.checks import OF_A_LAUNCHER
from specgen.plan.kind import Kind
from specgen.plan.model import Elastic, Fetched, Gang, Launch, Lifecycle, Plan, World
from specgen.plan.mounts import SOURCES
from specgen.plan.objects import Carried, Claim, ExtraObjects, Given
from specgen.plan.pods import ContainerPlan, Devices, MountPoint, RolePlan, Volume
from specgen.profile import layers, resolve, roles
from specgen.profile.job import JobProfile
from specgen.profile.mount import Mount
from specgen.profile.pod import Role
from specgen.profile.start import StartChoice
from specgen.profile.words import Words
from specgen.tables import job as job_table
from tests.lower.lowering import built

PACKAGE = Path(resolve.__file__).parents[1]
# Attributes that the planner alone reads, or that stand in a plan for whoever asks what came of a job.
OF_THE_PLANNER = {
    "RolePlan": {"twin"},
    "Devices": {"among", "claims", "gpu", "hca", "npu", "on_host", "pool", "pool_name", "shm"},
    "Volume": {"scratch"},
    "World": {"asked", "counted", "least", "most", "unled"},
}
# Those of a role that are its own, or that are planned for each role anew; the rest a role takes over from its twin.
OF_ONE_ROLE = {"container", "late", "lent", "name", "native", "replicas", "starts", "twin", "word"}


def keys(model: type[Words]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


@cache
def attributes(*folders: str) -> set[str]:
    """Every attribute that the modules of these folders read."""
    found = set()
    for folder in folders:
        for path in PACKAGE.glob(f"{folder}/**/*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                    found.add(node.attr)
    return found


@cache
def texts(folder: str) -> set[str]:
    """Every text that stands in the modules of a folder."""
    return {
        node.value
        for path in PACKAGE.glob(f"{folder}/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_a_role_inherits_every_word_of_pods() -> None:
    assert set(job_table.INHERITED) == keys(Role) - {"pods"}


@pytest.mark.parametrize("word", sorted(keys(Role) - {"pods", "vars"}))
def test_every_word_of_pods_is_read(word: str) -> None:
    attribute = next(name for name, field in Role.model_fields.items() if (field.alias or name) == word)
    read = attribute in attributes("plan") or word in texts("plan")
    assert read, f"nothing comes of `{word}`: read it in plan/, and write what it says into a RolePlan"


def test_a_word_said_for_all_pods_is_said_for_each_role() -> None:
    """As it would be lost, were it not inherited: said above, and said in the roles, it comes to the same."""
    words = {
        "image": "registry.example.com/b:2",
        "workdir": "/work",
        "env": {"A": "b"},
        "labels": {"a": "b"},
        "annotations": {"a": "b"},
        "ports": {"metrics": 9000},
        "security": {"user": 1000},
        "pod": {"hostIPC": True},
        "lifecycle": {"grace": "30s"},
        "scheduling": {"scheduler": "mine"},
    }
    job = {"target": "PyTorchJob", "pods": 2}
    above, below = built({**job, **words}), built({**job, "roles": {"master": words, "worker": words}})
    assert not above.failed and not below.failed
    one, other = (result.compiled[0].bundle for result in (above, below))
    assert one is not None and other is not None
    assert one.job.tree == other.job.tree


def test_a_launcher_inherits_words_that_there_are() -> None:
    for word, inner in roles._OF_A_START.items():
        assert word in keys(Role), f"`{word}` is no word of roles any more: leave it out of _OF_A_START"
        model = {"scheduling": "JobScheduling", "security": "Security"}.get(word)
        for name in inner or ():
            known = {entry[0] for entry in records([JobProfile])[model or ""].values()}
            assert name in known, f"`{word}.{name}` is no word any more: leave it out of _OF_A_START"


def test_defaults_of_the_language_stand_at_words_that_there_are() -> None:
    tables = records([JobProfile])
    for path in resolve._DEFAULTED:
        model = "JobProfile"
        for step in path:
            found = next((entry for entry in tables[model].values() if entry[0] == step), None)
            assert found is not None, f"`{'.'.join(path)}` is no word any more: leave it out of _DEFAULTED"
            model = found[3] or model


def test_every_word_that_is_a_text_for_short_is_known_to_layers() -> None:
    """A word whose value is a word of a list or a mapping: a layer below may say it either way."""
    short = set()
    for name, annotation in get_type_hints(JobProfile).items():
        options = get_args(annotation)
        choice = any(isinstance(one, type) and issubclass(one, Words) for one in options)
        if choice and any(get_origin(one) is Literal for one in options):
            short.add(JobProfile.model_fields[name].alias or name)
    assert short
    message = "say in profile/layers._SHORT which entry the text stands for"
    assert short == set(layers._SHORT), message


def test_the_words_of_a_launcher_are_those_of_start_that_no_other_starter_has() -> None:
    message = "a new word of `start` is of a launcher (plan/checks.OF_A_LAUNCHER), or of every starter"
    assert set(OF_A_LAUNCHER) == keys(StartChoice) - {"by", "path", "options", "entrypoint"}, message


def test_a_word_of_mounts_is_a_source_or_goes_with_one() -> None:
    with_a_source = {"create", "type", "size", "memory", "items", "mode"}
    of_any = {"readOnly", "subPath"}
    message = "a new word of mounts is a source (plan/mounts.SOURCES), goes with one (_strays), or goes with any"
    assert set(SOURCES) | with_a_source | of_any == keys(Mount), message


@pytest.mark.parametrize(
    "kind",
    [
        *(Carried, Claim, ContainerPlan, Devices, Elastic, ExtraObjects, Fetched, Gang, Given, Launch, Lifecycle),
        *(MountPoint, Plan, RolePlan, Volume, World),
    ],
)
def test_what_a_plan_says_is_read_by_a_lowering(kind: type) -> None:
    read = attributes("lower", "gangs", "install", "local")
    slots = {name for name in kind.__dict__["__slots__"] if not name.startswith("_")}
    unread = slots - read - OF_THE_PLANNER.get(kind.__name__, set())
    assert not unread, f"nobody reads {sorted(unread)} of a {kind.__name__}: write it into the manifest, in lower/"


def test_a_role_takes_over_from_its_twin_all_that_was_decided() -> None:
    taken = set()
    for file, name in (("draft.py", "follow"), ("complete.py", "_as_twin")):
        tree = ast.parse((PACKAGE / "plan" / file).read_text("utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef) and function.name == name:
                for node in ast.walk(function):
                    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
                        taken.add(node.attr)
    slots = set(RolePlan.__slots__)
    left = slots - taken - OF_ONE_ROLE
    assert not left, f"{sorted(left)} of a role is lost on equal roles: copy it in draft.follow or complete._as_twin"


def test_every_fact_of_a_kind_is_asked_for() -> None:
    unread = set(Kind.__slots__) - attributes("plan", "lower", "gangs", "local")
    assert not unread, f"nobody asks a Kind for {sorted(unread)}"
