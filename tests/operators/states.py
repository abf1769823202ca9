"""Whole states of jobs, recorded and expanded, for operators that create more than pods and Services.

What a recording holds is its first state and the stages in which all goes well: there a launcher comes that waited.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.reader import Reader
from tests.operators.recordings import GROUPS, Record, differences, flattened, leaves, normal, quantity, recorded

FORWARD = ("worker-0-running", "workers-running", "launcher-running", "running", "launcher-succeeded")
_PLUGINS = "scheduler-plugins-scheduler"
_FLAGS = {f"--gang-scheduling={word}": word for word in ("volcano", _PLUGINS)}
_FLAGS["--enable-gang-scheduling"] = "volcano"


class State:
    """One recording of an operator other than the training operator."""

    def __init__(self, record: Record, backend: Reader) -> None:
        self.record = record
        self.data = record.data
        self.backend = backend
        self.gang = next((_FLAGS[flag] for flag in record.data["flags"] if flag in _FLAGS), None)

    def expansion(self) -> Expansion | None:
        """What ``expand`` makes of it; None: the API server does not store it."""
        lenient = self.record.refused_strictly
        manifest, version = self.record.manifest(), self.record.version
        backend: Any = self.backend
        return expand_manifest(manifest, backend, version, lenient=lenient, gang=self.gang)[0]

    @property
    def stages(self) -> list[dict[str, Any]]:
        """The stages up to the first that is no step forward."""
        found = []
        for stage in self.data.get("stages", ()):
            if stage["stage"] not in FORWARD:
                break
            found.append(stage)
        return found

    def names(self) -> dict[str, list[str]]:
        """Group → names of its objects."""
        first = self.data.get("created")
        found = {group: [] if first is None else list(first.get(group, ())) for group in GROUPS}
        for group in GROUPS if first is None else ():
            found[group] = [entry["name"] for entry in self.data.get(group, ())]
        for group, entry in self.later():
            found[group].append(entry["name"])
        return found

    def objects(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Group → name → object; without those of which only names are recorded."""
        found = {group: recorded(self.data.get(group, [])) for group in GROUPS}
        for group, entry in self.later():
            found[group][entry["name"]] = entry
        return {group: {name: _normal(group, tree) for name, tree in trees.items()} for group, trees in found.items()}

    def later(self) -> list[tuple[str, dict[str, Any]]]:
        """(group, object) of what comes in a later stage."""
        groups = {kind: group for group, kind in GROUPS.items()}
        found = []
        for stage in self.stages:
            for key, tree in stage.get("created", {}).items():
                kind, _, name = key.partition("/")
                assert "same_as" not in tree
                found.append((groups[kind], {**tree, "name": name}))
        return found


def states(shared: Path, backend: Reader, version: str, gang: str = "", part: str = "") -> list[State]:
    """The recordings of an operator's version without gang, or those of one gang, in the order of the index.

    Where an older version did the same as the newest, the newest's recording stands for it.
    """
    root, newest = shared / "conformance" / part, f"{backend.operator.name}-{backend.newest}"
    folder = f"{backend.operator.name}-{version}"
    found: list[State] = []
    if part and not (root / folder / "INDEX.csv").is_file():
        return found
    with open(root / folder / "INDEX.csv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            top = row["file"].partition("/")[0]
            if row["kind"] != backend.kind or top != (f"gang-{gang}" if gang else top.removeprefix("gang-")):
                continue
            home = newest if row.get(f"same_as_{newest}") == "yes" else folder
            data = json.loads((root / home / row["file"]).read_text(encoding="utf-8"))
            record = Record(version, row["file"], data, shared)
            record.name = "/".join(filter(None, (part, folder, row["file"])))
            found.append(State(record, backend))
    return found


def expanded(expansion: Expansion | None) -> dict[str, dict[str, dict[str, Any]]]:
    """Group → name → object of an expansion, in the recordings' form."""
    found: dict[str, dict[str, dict[str, Any]]] = {group: {} for group in GROUPS}
    groups = {kind: group for group, kind in GROUPS.items()}
    for tree in [] if expansion is None else expansion.objects:
        group = groups[tree["kind"]]
        flat = flattened(tree)
        if group == "secrets":
            flat |= {"keys": sorted(flat.pop("data")), "type": tree["type"]}
        assert flat["name"] not in found[group]
        found[group][flat["name"]] = _normal(group, flat)
    return found


def _normal(group: str, tree: dict[str, Any]) -> dict[str, Any]:
    tree = json.loads(json.dumps(tree))
    if group == "podgroups":
        # an empty ``minResources`` is written out, so nothing empty is left away here
        amounts = tree["spec"].get("minResources", {})
        amounts |= {name: quantity(amount) for name, amount in amounts.items()}
        return tree
    if group == "jobs":
        tree.pop("conditions", None)
        tree["spec"]["template"] = normal(tree["spec"]["template"])
    return normal(tree)


def compared(state: State, counts: dict[str, int], *, without: tuple[str, ...] = ()) -> list[str]:
    """The differences of one recording. without: objects of the expansion that come in a stage nobody recorded."""
    got = expanded(state.expansion())
    unstable = state.data.get("unstable", ())
    names, objects = state.names(), state.objects()
    found = []
    for group in GROUPS:
        if group in unstable:
            continue
        there = sorted(name for name in got[group] if f"{GROUPS[group]}/{name}" not in without)
        if sorted(names[group]) != there:
            found.append(f"{group}: recorded {sorted(names[group])}, expanded {there}")
        if "created" in state.data:
            counts["names"] += len(names[group])
        for name, expected in objects[group].items():
            if name in got[group]:
                counts["objects"] += 1
                counts["fields"] += leaves(expected)
                found += [f"{group} {name}{one}" for one in differences(expected, got[group][name])]
    return found


def disagreements(found: list[State], exceptions: dict[str, str], counts: dict[str, int]) -> list[str]:
    """Records that differ without being excepted, and exceptions of these records that are not used.

    counts gets what was compared; ``forward``: records where objects of later stages were held against the expansion;
    ``unseen``: those whose launcher waits for Workers that never ran in the recording.
    """
    failures = []
    for state in found:
        counts["records"] += 1
        expansion = state.expansion()
        absent: tuple[str, ...] = ()
        if state.later():
            counts["forward"] += 1
        elif expansion is not None and any("all Workers are ready" in note for note in expansion.notes):
            counts["unseen"] += 1
            launched = [tree for tree in expansion.objects if "-launcher" in tree["metadata"]["name"]]
            absent = tuple(f"{tree['kind']}/{tree['metadata']['name']}" for tree in launched)
        differing = compared(state, counts, without=absent)
        name = state.record.name
        if name in exceptions:
            counts["exceptions"] += 1
            if not differing:
                failures.append(f"{name}: its exception is not used")
        elif differing:
            failures.append("\n  ".join([name, *differing[:8]]))
    return failures


def verdicts(found: list[State]) -> tuple[dict[str, int], list[str]]:
    """Who refuses how many jobs, and the records of which the expansion says something else.

    A job is refused by its operator where the recording holds its event or its crash, and by the API server where it
    was not stored. The event names the field that the refusal names.
    """
    kinds = ("stored and expanded", "not stored", "refused by the operator", "crashes the operator", "without objects")
    counts = dict.fromkeys(kinds, 0)
    wrong = []
    for state in found:
        expansion = state.expansion()
        ref = None if expansion is None else expansion.job
        own = [one for one in ([] if expansion is None else expansion.refusals) if ref and one.kind == ref.kind]
        by = own[0].by if own else "the API server" if expansion is None else ""
        operator = f"{state.backend.operator.name} {state.record.version}"
        events = [event["message"] for event in state.data.get("events", ()) if event["reason"] == "ValidationError"]
        if not state.record.stored:
            category, right = "not stored", by == "the API server"
        elif "operator_crashed" in state.data:
            category, right = "crashes the operator", by == operator and "it panics" in own[0].reason
        elif events:
            category = "refused by the operator"
            right = by == operator and own[0].reason.split("`")[1] in events[0].replace("[", ".").replace("]", "")
        elif not any(state.names().values()):
            said = expansion is not None and bool(expansion.idle or expansion.refusals)
            category, right = "without objects", said and not own
        else:
            category, right = "stored and expanded", expansion is not None and not own and not expansion.idle
        counts[category] += 1
        if not right:
            wrong.append(f"{state.record.name}: {category}, expanded as refused by {by or 'nobody'}")
    return counts, wrong
