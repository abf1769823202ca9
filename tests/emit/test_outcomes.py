"""What Argo CD and Flux are told of jobs, executed: Lua 5.1 and CEL, on made-up statuses and on all recorded ones."""

from __future__ import annotations

import functools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.emit import argocd, flux
from specgen.operators import by_object
from specgen.operators.index import KINDS
from specgen.operators.reader import Reader

lua51 = pytest.importorskip("lupa.lua51", reason="lupa is absent, which runs Lua")
celpy = pytest.importorskip("celpy", reason="cel-python is absent, which runs CEL")

CASES = yaml.safe_load((Path(__file__).parent / "outcomes.yaml").read_text("utf-8"))
# Where recordings of operators and schedulers do not say the apiVersion.
VERSIONS = {kind: version for version, kind in KINDS}
# Admitted by Kueue, with pods that a quota of the namespace refuses: the operator leaves its condition Suspended.
STILL_SUSPENDED = "conformance/schedulers/kueue/quota-resourcequota-below.json"
# The words of both for one state.
PAIRS = {"Healthy": "Current", "Degraded": "Failed", "Suspended": "InProgress", "Progressing": "InProgress"}


def reader_of(version: str, kind: str) -> Reader:
    found = by_object(version, kind)
    assert found is not None
    return found


@functools.cache
def script(version: str, kind: str) -> str:
    data = argocd.settings([reader_of(version, kind)], kueue=False)["data"]
    (text,) = [value for key, value in data.items() if ".health." in key]
    assert isinstance(text, str)
    return text


def argocd_says(version: str, kind: str, status: dict[str, Any] | None) -> tuple[str, str | None]:
    """Status and message, in a Lua that has what Argo CD gives to scripts and nothing else."""
    lua = lua51.LuaRuntime(register_eval=False, unpack_returned_tuples=True)
    for library in ("io", "os", "string", "math", "debug", "python"):
        lua.globals()[library] = None
    obj = {"apiVersion": version, "kind": kind} | ({} if status is None else {"status": status})
    lua.globals()["obj"] = lua.table_from(obj, recursive=True)
    found = lua.execute(script(version, kind))
    return found["status"], found["message"]


@functools.cache
def programs(version: str, kind: str) -> list[tuple[str, Any]]:
    ((one,)) = flux.settings([reader_of(version, kind)])["spec"]["healthCheckExprs"]
    assert (one["apiVersion"], one["kind"]) == (version, kind)
    environment = celpy.Environment()
    return [
        (said, environment.program(environment.compile(one[field])))
        for said, field in (("Failed", "failed"), ("Current", "current"))
    ]


def flux_says(version: str, kind: str, status: dict[str, Any] | None) -> str:
    """The first expression that is true, as kustomize-controller asks them.

    Without a status cel-go has nothing to look into, and the controller asks again; this library says false.
    """
    given = {} if status is None else {"status": celpy.json_to_cel(status)}
    return next((said for said, program in programs(version, kind) if program.evaluate(given)), "InProgress")


def test_every_kind_has_both() -> None:
    readers = [reader_of(*one) for one in KINDS]
    keys = [key for key in argocd.settings(readers, kueue=True)["data"] if ".health." in key]
    assert keys == list(
        dict.fromkeys(f"resource.customizations.health.{one.partition('/')[0]}_{kind}" for one, kind in KINDS)
    )
    checks = flux.settings(readers)["spec"]["healthCheckExprs"]
    assert [(one["apiVersion"], one["kind"]) for one in checks] == list(KINDS)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['argocd']}")
def test_made_up(case: dict[str, Any]) -> None:
    version, status = VERSIONS[case["kind"]], case.get("status")
    assert argocd_says(version, case["kind"], status) == (case["argocd"], case["message"])
    assert flux_says(version, case["kind"], status) == case["flux"]


def statuses(tree: Any, kind: str = "", version: str = "") -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """(apiVersion, kind, status, state by the recording) of each job in a record."""
    for stage in (tree, *tree.get("stages", ())):
        job, jobset = stage.get("job"), stage.get("jobset")
        if isinstance(job, dict) and isinstance(job.get("conditions"), list):
            yield tree["apiVersion"], tree["kind"], {"conditions": job["conditions"]}, ""
        if isinstance(jobset, dict) and isinstance(jobset.get("status"), dict):
            yield VERSIONS["JobSet"], "JobSet", jobset["status"], ""
    for stage in tree.get("settled", ()):
        for job in stage.get("jobs", {}).values():
            if "phase" in job:
                yield VERSIONS["Job"], "Job", {"state": job["phase"]}, job["state"]
            elif job["kind"] in VERSIONS and job["kind"] != "Job":
                yield VERSIONS[job["kind"]], job["kind"], {"conditions": job.get("conditions") or []}, job["state"]


def by_reasons(status: dict[str, Any]) -> str:
    """What the reasons of true conditions say, which scripts do not read."""
    reasons = [str(one.get("reason")) for one in status.get("conditions") or () if one["status"] == "True"]
    for said, ends in (
        ("Degraded", ("Failed", "FailedJobs", "DeadlineExceeded", "BackoffLimitExceeded", "BackoffLimitExceeded/")),
        ("Healthy", ("Succeeded", "AllJobsCompleted")),
        ("Suspended", ("Suspended", "SuspendedJobs")),
    ):
        if any(one.endswith(ends) for one in reasons):
            return said
    return "Progressing"


def test_recorded(shared: Path) -> None:
    """All statuses that operators wrote. What a scheduler's recording says of a job in one word decides there."""
    states = {"finished": "Healthy", "failed": "Degraded", "suspended": "Suspended"}
    seen: Counter[tuple[str, str, str]] = Counter()
    answers: dict[str, tuple[str, str | None]] = {}
    wrong = []
    for file in sorted((shared / "conformance").rglob("*.json")):
        for version, kind, status, state in statuses(json.loads(file.read_text("utf-8"))):
            if (version, kind) not in KINDS or state == "gone":
                continue
            key = json.dumps([version, kind, status])
            if key not in answers:
                answers[key] = argocd_says(version, kind, status)[0], flux_says(version, kind, status)
            expected = states.get(state, "Progressing") if state else by_reasons(status)
            if answers[key] != (expected, PAIRS[expected]):
                wrong.append((file.relative_to(shared).as_posix(), kind, state, answers[key][0]))
            seen[version, kind, expected] += 1
    assert wrong == [(STILL_SUSPENDED, "PyTorchJob", "running", "Suspended")]
    assert {(version, kind) for version, kind, _ in seen} == set(KINDS)
    for kind in ("PyTorchJob", "TFJob", "TrainJob", "JobSet", "MPIJob"):
        assert all(seen[VERSIONS[kind], kind, state] for state in PAIRS)
    assert seen["kubeflow.org/v1", "MPIJob", "Suspended"]
    assert seen["mindspore.gitee.com/v1", "MSJob", "Degraded"]
    assert seen.total() > 4000
