"""What beginners write is answered with the line to write: `slips.txt` holds slips, and what their messages hold."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.render import concise
from specgen.diagnostics.report import Report
from specgen.pipeline import Text, compile_texts
from specgen.profile.library import Library
from specgen.profile.meant import meant
from specgen.reference.examples import Files
from specgen.schema.files import kinds, load
from specgen.schema.remedies import flow
from specgen.schema.samples import samples
from specgen.schema.walk import Walk
from specgen.schema.wording import PROFILE, UNLIKE
from specgen.source import Source

_JOB = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": "{name: train}",
    "target": "PyTorchJob",
    "image": "registry.example.com/train:1",
    "command": "[python, train.py]",
}
_CLUSTER = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": "{name: lab}"}


class Slip:
    """Lines of a profile with a slip, and what the message must hold."""

    def __init__(self, holds: list[str], lines: list[str]) -> None:
        self.holds = holds
        mark, _, rest = lines[0].partition(" ")
        self.mark = mark if mark in ("@set", "@cluster") else ""
        self.lines = [rest, *lines[1:]] if self.mark else lines

    def __repr__(self) -> str:
        return " ".join(self.lines)


def slips() -> list[Slip]:
    """All of the table."""
    blocks = (Path(__file__).parent / "slips.txt").read_text("utf-8").split("\n\n")
    found = []
    for block in blocks:
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        lines = [re.sub(r"<U\+([0-9A-F]{4})>", lambda sign: chr(int(sign[1], 16)), line) for line in lines]
        holds = [line[2:] for line in lines if line.startswith("= ")]
        if holds:
            found.append(Slip(holds, lines[len(holds) :]))
    return found


def _text(base: dict[str, str], lines: list[str]) -> str:
    top = {line.replace("：", ":").partition(":")[0].strip() for line in lines}
    kept = [f"{key}: {value}" for key, value in base.items() if key not in top]
    return "\n".join([*kept, *lines]) + "\n"


def said(slip: Slip) -> str:
    """What the program says, one line a finding."""
    settings = [" ".join(slip.lines)] if slip.mark == "@set" else []
    clustered = slip.mark == "@cluster"
    cluster = _text(_CLUSTER, slip.lines) if clustered else ""
    text = _text(_JOB, ["cluster: cluster.yaml"] if clustered else [] if settings else slip.lines)
    try:
        (result,) = compile_texts([Text(Source("job.yaml", text))], Library(Files(cluster)), settings=settings)
    except BadQuestion as error:
        return f"{error}" + (f" ({error.help})" if error.help else "")
    return concise.render(Report(result.diagnostics))


def test_every_message_holds_the_line_to_write() -> None:
    table = slips()
    assert len(table) >= 150
    wrong = [(slip, text) for slip in table if any(one not in (text := said(slip)) for one in slip.holds)]
    assert wrong == [], "\n".join(f"{slip}: {text}" for slip, text in wrong)


def test_every_synonym_of_profiles_is_one_of_settings() -> None:
    """What `schema.wording` knows of a name is a setting to type, whatever stands behind it."""
    walk = Walk(load("job.schema.json"), "Layer")
    said = 0
    for name, field in PROFILE.aliases.items():
        steps = tuple(field.split("."))
        data: Any = None
        for step in reversed(steps):
            data = {step: data}
        values = samples(walk, walk.field(data, steps))
        # of a mount nobody knows which
        for value in values if name not in UNLIKE and steps[0] != "mounts" else ():
            line = meant(f"{name}={flow(value)}")
            assert line is not None and line.startswith((f"--set {field}=", f"--set '{field}=")), (name, value, line)
            said += 1
    assert said > len(PROFILE.aliases)


def _spec_fields() -> list[str]:
    """The fields of the specs of all kinds of jobs."""
    found: dict[str, None] = {}
    for name in kinds():
        schema = load(name)
        spec = schema.get("properties", {}).get("spec", {}).get("$ref", "").rpartition("/")[2]
        if spec.endswith(("JobSpec", "JobSetSpec")):
            found |= dict.fromkeys(schema["definitions"][spec]["properties"])
    return list(found)


def test_every_field_of_an_operators_jobs_is_answered() -> None:
    fields = _spec_fields()
    assert len(fields) > 30 and {"policies", "tfReplicaSpecs", "failurePolicy"} <= set(fields)
    own = load("job.schema.json")["definitions"]["JobProfile"]["properties"]
    for field in fields:
        for value in ("2", "{a: {}}"):
            text = said(Slip([], [f"{field}: {value}"]))
            if field not in own:
                assert f"`{field}` is not a field of a job profile (" in text, (field, value, text)
