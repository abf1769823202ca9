"""A thousand profiles in one call, with every check on: CPU time for each, and where it goes."""

from __future__ import annotations

import gc
import os
import shutil
import sys
from pathlib import Path
from time import process_time

from specgen import backends
from specgen.checking import check_manifest
from specgen.cli.files import DiskFiles
from specgen.document.one import one
from specgen.emit.layout import stream
from specgen.manifest.model import Bundle
from specgen.plan.make import make
from specgen.profile.library import Library, check
from specgen.profile.resolve import resolve
from tests.bench.cold import PROGRAM, ROOT, environment, run

COUNT = 1000
GOAL = 0.8
# Samples that build for the operator whose kind is measured; their cluster and base profiles are shared by all copies.
SAMPLE = "profiles/jobs/allreduce-resnet50.yaml"


def generate(folder: Path, count: int) -> list[Path]:
    """``count`` profiles under ``folder/jobs``, a repository, made from the sample under names of their own."""
    (folder / ".git").mkdir()
    for shared in ("base", "clusters"):
        if (ROOT / "profiles" / shared).is_dir():
            shutil.copytree(ROOT / "profiles" / shared, folder / shared)
    jobs = folder / "jobs"
    jobs.mkdir()
    text = (ROOT / SAMPLE).read_text("utf-8")
    document, _ = one(DiskFiles().named(str(ROOT / SAMPLE))[0], what="profile")  # type: ignore[arg-type]
    assert document is not None
    name = f"name: {document.data['metadata']['name']}"
    assert text.count(name) == 1
    paths = []
    for number in range(count):
        paths.append(jobs / f"job-{number:04}.yaml")
        own = text.replace(name, f"name: job-{number:04}").replace("epochs=1,", f"epochs={number + 1},")
        paths[-1].write_text(own, "utf-8")
    return paths


def measure(folder: Path, rounds: int) -> list[str]:
    """The lines of the report. ``folder`` is empty and temporary."""
    variables = environment(folder / "cache")
    profiles = folder / "profiles"
    profiles.mkdir()
    paths = generate(profiles, COUNT)
    jobs, out = str(paths[0].parent), str(folder / "out")
    commands = {
        "to standard output": [*PROGRAM, "build", jobs],
        "to a new tree": [*PROGRAM, "build", jobs, "--out", out],
        "to the same tree again": [*PROGRAM, "build", jobs, "--out", out],
        "python -c pass": [sys.executable, "-c", "pass"],
    }
    used: dict[str, list[float]] = {name: [] for name in commands}
    for number in range(rounds + 1):
        shutil.rmtree(out, ignore_errors=True)
        for name, command in commands.items():
            cpu = run(command, variables)[1]
            if number:
                used[name].append(cpu)
    lines = ["", f"{COUNT:,} profiles in one call, start-up included: CPU ms for each, best of {rounds}"]
    for name, values in used.items():
        if name != "python -c pass":
            ratio = min(values) / min(used["python -c pass"])
            lines.append(f"{name:24} {min(values) / COUNT:6.2f}   {ratio:6.0f} × python -c pass")
    best = min(used["to standard output"]) / COUNT
    lines.append(f"goal: at most {GOAL} ms: {best:.2f}, {'met' if best <= GOAL else 'not met'}")
    return lines + shares(paths, rounds)


def shares(paths: list[Path], rounds: int) -> list[str]:
    """Where the time goes, by running each stage for all profiles before the next; the collector is off meanwhile."""
    stages: dict[str, float] = {}
    gc.disable()
    try:
        for _ in range(rounds):
            for name, seconds in _stages(paths).items():
                stages[name] = min(seconds, stages.get(name, seconds))
    finally:
        gc.enable()
    total = sum(stages.values())
    lines = ["", "microseconds for each profile, by stage"]
    for name, seconds in stages.items():
        lines.append(f"{name:24} {seconds / len(paths) * 1e6:6.0f}   {seconds / total:4.0%}")
    return lines


def _stages(paths: list[Path]) -> dict[str, float]:
    disk = DiskFiles()
    library = Library(disk)
    backend = backends.by_target("PyTorchJob")
    assert backend is not None
    times = {}

    began = process_time()
    documents = []
    for path in paths:
        source, _ = disk.named(os.fspath(path))
        assert source is not None
        document, findings = check(source)
        assert document is not None and not findings
        documents.append(document)
    times["read and check shape"] = process_time() - began

    began = process_time()
    jobs = []
    for document in documents:
        job, findings = resolve(document, library)
        assert job is not None and not findings
        jobs.append(job)
    times["resolve"] = process_time() - began

    began = process_time()
    plans = []
    for job in jobs:
        plan, findings = make(job, backend.PLAN, backend.NEWEST)
        assert plan is not None and not findings
        plans.append(plan)
    times["plan"] = process_time() - began

    began = process_time()
    manifests = [backend.lower(plan)[0] for plan in plans]
    times["lower"] = process_time() - began

    began = process_time()
    for manifest, plan in zip(manifests, plans, strict=True):
        assert check_manifest(manifest, backend, plan.job.cluster, plan.version) == []
    times["check schema and rules"] = process_time() - began

    began = process_time()
    assert stream([Bundle("all", manifests)])
    times["write YAML"] = process_time() - began
    return times
