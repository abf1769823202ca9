"""What the recordings refuse: by the API server, a webhook, or an event of the operator; and ``lint``'s word on it."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from specgen.diagnostics.model import ERROR, Diagnostic
from specgen.document.write import write_yaml
from specgen.linting import lint_source
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.recognise.templates import REFUSED
from specgen.schema.record import record as record_of
from specgen.source import Source
from specgen.tables import cluster as table
from tests.operators import recordings, trainer_recordings

NEWEST = {"training-operator": "1.9.4", "mpi-operator": "0.8.2", "ms-operator": "1.0.0", "trainer": "2.3.0"}
# Events by which an operator says that it refuses a job, or that it was refused what the job needs.
_EVENTS = (
    "FailedCreate",
    "FailedCreatePod",
    "FailedCreateService",
    "FailedValidation",
    "JobCreationFailed",
    "MPIJobFailed",
    "TrainJobResourcesCreationFailed",
    "ValidationError",
)
# What such an event says where the manifest is at fault, not a race of the operator with its own cache.
_FAULTS = (
    "invalid",
    "denied",
    "forbidden",
    "failed validation",
    "validation errors",
    "doesn't supported",
    "patch object",
)


class Case:
    """A recording: who refused it and why, empty for nobody; ``lacks``: an object that it needs was not there."""

    def __init__(self, name: str, data: dict[str, Any], text: str, cluster: ClusterProfile | None) -> None:
        self.name = name
        self.text = text
        self.cluster = cluster
        verdict = (data.get("trainjob_verdict") or data["verdict"])["strict"]
        said = verdict.get("message", "") or "refused"
        self.lacks = not verdict["accepted"] and ("no matches for kind" in said or "must be created before" in said)
        beside = [one["strict"] for one in data.get("companion_verdicts", {}).values()]
        if "trainjob_verdict" in data:
            beside.append(data["verdict"]["strict"])
        of_runtimes = next((str(one["message"]) for one in beside if not one["accepted"]), "")
        self.refused = (of_runtimes or _events(data)) if verdict["accepted"] else said

    def errors(self) -> list[str]:
        """The errors of ``lint``; each has its place in the text."""
        found = []
        for one in lint_source(Source(self.name, self.text), self.cluster).diagnostics:
            if says_refused(one):
                start = one["primary"]["start"]
                assert start["line"] > 0 and start["column"] > 0
                found.append(f"{one['code']} {one['message']}")
        return found


def says_refused(one: Diagnostic) -> bool:
    """Whether a diagnostic says that the object is refused; of one that a tool fills in first, a warning does."""
    return one["severity"] == ERROR or REFUSED in one["notes"]


def _events(data: dict[str, Any]) -> str:
    if "operator_crashed" in data or data.get("panics"):
        return "the operator panics"
    for event in data.get("events") or ():
        named = event["reason"] in _EVENTS or event["reason"].endswith("FailedValidation")
        # the webhook of JobSet sends followers of exclusive placement away until their leader has a node
        waits = "vpod.kb.io" in event["message"]
        if named and not waits and any(fault in event["message"] for fault in _FAULTS):
            return str(event["message"])
    return ""


def cluster(operator: str, version: str) -> ClusterProfile:
    """A cluster with one operator."""
    text = f'operators: {{{operator}: {{version: "{version}"}}}}\n'
    document, findings = check(Source("c", "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n" + text))
    assert document is not None and not findings
    profile: ClusterProfile = record_of(document.data, "ClusterProfile", table.RECORDS)
    return profile


def cases(shared: Path, operator: str, version: str) -> Iterator[Case]:
    """The recordings of an operator's version without gang scheduling; those of lifecycles are of jobs that ran."""
    folder, profile = f"{operator}-{version}", cluster(operator, version)
    if operator == "trainer":
        for one in trainer_recordings.records(shared):
            yield Case(f"{folder}/{one.name}", one.data, _trainer_text(one), profile)
        return
    newest = f"{operator}-{NEWEST[operator]}"
    with open(shared / "conformance" / folder / "INDEX.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["file"].startswith(("gang-", "lifecycle/")):
                continue
            home = newest if row.get(f"same_as_{newest}") == "yes" else folder
            data = json.loads((shared / "conformance" / home / row["file"]).read_text(encoding="utf-8"))
            text = recordings.Record(version, row["file"], data, shared).text()
            yield Case(f"{folder}/{row['file']}", data, text, profile)


def _trainer_text(one: trainer_recordings.Record) -> str:
    """The record's file, with the runtime that the TrainJob found installed behind it where the file has none."""
    job = one.job()
    parts = [(one.shared.parent / one.data["source"]).read_text(encoding="utf-8")]
    if "trainjob" in one.data:
        parts.append(write_yaml(job.tree))
    reference = (job.tree.get("spec") or {}).get("runtimeRef")
    wanted = reference.get("name") if isinstance(reference, dict) else None
    own = [tree for tree in one.documents if (tree.get("metadata") or {}).get("name") == wanted]
    if not any("Runtime" in str(tree.get("kind")) for tree in own):
        installed = [each for each in one.companions() if each.ref.name == wanted and "Runtime" in each.ref.kind]
        parts += [write_yaml(each.tree) for each in installed[-1:]]
    return "\n---\n".join(part.rstrip("\n") for part in parts) + "\n"


class Tally:
    """Both counts of a comparison, and where the two disagree without a reason."""

    KINDS = (
        "refused by both",
        "accepted by both",
        "an error to lint alone",
        "clean to lint alone",
        "lack an object",
    )

    def __init__(self, exceptions: dict[str, str]) -> None:
        self.counts = dict.fromkeys(self.KINDS, 0)
        self.exceptions = exceptions
        self.used: set[str] = set()
        self.failures: list[str] = []

    def add(self, name: str, refused: str, errors: list[str], *, lacks: bool = False) -> None:
        """Counts one; an exception may name the version of its operator or stand for all."""
        if bool(refused) == bool(errors):
            self.counts["refused by both" if errors else "accepted by both"] += 1
            return
        if lacks:
            self.counts["lack an object"] += 1
            return
        self.counts["an error to lint alone" if errors else "clean to lint alone"] += 1
        folder, _, file = name.partition("/")
        for known in (name, f"{folder.rpartition('-')[0]}/{file}"):
            if known in self.exceptions:
                self.used.add(known)
                return
        self.failures.append(f"{name}: {'lint: ' + errors[0] if errors else 'refused: ' + refused[-200:]}")

    def __str__(self) -> str:
        return ", ".join(f"{count} {what}" for what, count in self.counts.items())


def exceptions(section: str) -> dict[str, str]:
    """A section of the file of exceptions: record → reason."""
    text = (Path(__file__).parent / "refusal_exceptions.yaml").read_text(encoding="utf-8")
    found: dict[str, str] = yaml.safe_load(text)[section] or {}
    return found
