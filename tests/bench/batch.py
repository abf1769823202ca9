"""A thousand profiles of each kind in one call, with every check on: CPU time for each, and where it goes."""

from __future__ import annotations

import gc
import os
import shutil
from pathlib import Path
from time import process_time

from specgen import lower
from specgen.checking import check_manifest
from specgen.cli.files import DiskFiles
from specgen.diagnostics.model import has_errors
from specgen.document.one import one
from specgen.document.write import write_yaml_stream
from specgen.plan.complete import complete
from specgen.plan.make import make
from specgen.profile.library import Library, check
from specgen.profile.resolve import resolve
from specgen.profile.variants import collected
from tests.bench.cold import PROGRAM, ROOT, base, environment, run
from tests.kubectl import kubectl

COUNT = 1000
GOAL = 0.8
# How much less than kustomize's overlays a profile is to cost; unlike milliseconds this holds for any machine.
LESS = 10
# One of each kind, and of PyTorchJob those that differ in what is looked at: the first runs the trainer, whose own
# arguments are checked. They come with their cluster and base profiles, which all copies share.
SAMPLES = {
    "allreduce-resnet50": "PyTorchJob, trainer",
    "trainer-imagenet": "PyTorchJob, two pods of eight processes",
    "mnist-nccl": "PyTorchJob",
    "mnist-gang": "PyTorchJob, Volcano",
    "tf-mnist": "TFJob, its claim",
    "nccl-tests": "MPIJob v2beta1",
    "tensorflow-mnist": "MPIJob v1",
    "ms-widedeep": "MSJob",
    "llama-pretrain-v2": "TrainJob, its runtime",
    "llama-pretrain-jobset": "JobSet",
    "mnist-volcano": "VolcanoJob",
}
FIRST = next(iter(SAMPLES))


def generate(folder: Path, sample: str, count: int) -> tuple[list[Path], int]:
    """``count`` profiles in a folder of their own under ``folder``, a repository, made from the sample of that name.

    Each has a name of its own, and there may be several jobs in it: (their files, how many jobs are in each).
    """
    shutil.copytree(ROOT / "profiles", folder, ignore=shutil.ignore_patterns("jobs"))
    (folder / ".git").mkdir()
    shutil.copytree(ROOT / "profiles/jobs", folder / "extended")
    path = ROOT / f"profiles/jobs/{sample}.yaml"
    source, _ = DiskFiles().named(str(path))
    assert source is not None
    document, _ = one(source, what="profile")
    assert document is not None
    name, extended = document.data["metadata"]["name"], document.data.get("extends")
    text = path.read_text("utf-8")
    if extended is not None:
        text = text.replace(f"extends: {extended}", f"extends: ../extended/{extended}")
    assert text.count(f"name: {name}") == 1
    jobs = folder / "jobs"
    jobs.mkdir()
    paths = []
    for number in range(count):
        paths.append(jobs / f"job-{number:04}.yaml")
        own = text.replace(f"name: {name}", f"name: job-{number:04}").replace("epochs=1,", f"epochs={number + 1},")
        # a claim that is made beside a job is that job's alone
        own = own.replace("pvc: tfevent-volume", f"pvc: job-{number:04}")
        paths[-1].write_text(own, "utf-8")
    found = collected([document])
    return paths, len(found.found) + found.plain


def overlays(home: Path, variables: dict[str, str]) -> Path:
    """As many jobs by kustomize: one base, and an overlay for each that renames and resizes it."""
    home.mkdir()
    base(home / "base", variables)
    names = [f"job-{number:04}" for number in range(COUNT)]
    for number, name in enumerate(names):
        (home / name).mkdir()
        patch = (
            f'[{{"op": "replace", "path": "/spec/pytorchReplicaSpecs/Worker/replicas", "value": {number % 16 + 1}}}]'
        )
        patches = f"patches: [{{target: {{kind: PyTorchJob}}, patch: '{patch}'}}]\n"
        text = f"resources: [../base]\nnameSuffix: -{name}\n{patches}"
        (home / name / "kustomization.yaml").write_text(text, "utf-8")
    (home / "kustomization.yaml").write_text(f"resources: [{', '.join(names)}]\n", "utf-8")
    return home


def measure(folder: Path, rounds: int) -> list[str]:
    """The lines of the report. ``folder`` is empty and temporary."""
    variables = environment(folder / "cache")
    made = {sample: generate(folder / sample, sample, COUNT) for sample in SAMPLES}
    paths, out = made[FIRST][0], str(folder / "out")
    first = [*PROGRAM, "build", str(paths[0].parent)]
    commands = {sample: [*PROGRAM, "build", str(found[0].parent)] for sample, (found, _) in made.items()}
    written = {"to a new tree": [*first, "--out", out], "to the same tree again": [*first, "--out", out]}
    used: dict[str, list[float]] = {name: [] for name in (*commands, *written)}
    for number in range(rounds + 1):
        shutil.rmtree(out, ignore_errors=True)
        for name, command in (commands | written).items():
            cpu = run(command, variables)[1] / COUNT
            if number:
                used[name].append(cpu)
    lines = [
        "",
        f"{COUNT:,} profiles in one call, every check on, start-up included: CPU ms for each, best of {rounds}",
    ]
    for name, kind in SAMPLES.items():
        best, jobs = min(used[name]), made[name][1]
        met = "met" if best / jobs <= GOAL else "not met"
        row = f"{name:24} {best:6.2f}   {met:8} {kind}"
        lines.append(row + (f": {jobs} variants, {best / jobs:.2f} for each job" if jobs > 1 else ""))
    lines.append(f"goal: at most {GOAL} ms for each job, of any kind")
    peer = kubectl()
    if peer is None:
        lines.append("kubectl is not installed: no comparison with `kubectl kustomize`")
    else:
        cpu = run([peer, "kustomize", str(overlays(folder / "overlays", variables))], variables)[1] / COUNT
        more = cpu / min(used[FIRST])
        what = f"kubectl kustomize, {COUNT:,} overlays over {FIRST}: {cpu:.2f} ms each, {more:.1f} × its profiles"
        lines.append(f"{what}; goal: {LESS}, {'met' if more >= LESS else 'not met'}")
    lines += ["", f"{FIRST} with files"]
    lines += [f"{name:24} {min(used[name]):6.2f}" for name in written]
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
    lines = ["", f"{FIRST}: microseconds for each profile, by stage"]
    for name, seconds in stages.items():
        lines.append(f"{name:24} {seconds / len(paths) * 1e6:6.0f}   {seconds / total:4.0%}")
    return lines


def _stages(paths: list[Path]) -> dict[str, float]:
    disk = DiskFiles()
    library = Library(disk)
    lowering = lower.by_target("PyTorchJob")
    assert lowering is not None
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
        resolved = resolve(document, library)
        assert not resolved.findings
        for job, findings in resolved.jobs:
            assert job is not None and not findings
            jobs.append(job)
    times["resolve"] = process_time() - began

    began = process_time()
    plans = []
    for job in jobs:
        plan, findings = make(job, lowering, lowering.READER.newest)
        assert plan is not None and not findings
        plans.append(plan)
    times["plan"] = process_time() - began

    began = process_time()
    for plan in plans:
        complete(plan)
    manifests = [lowering.lower(plan)[0] for plan in plans]
    times["lower"] = process_time() - began

    began = process_time()
    for manifest, plan in zip(manifests, plans, strict=True):
        assert not has_errors(check_manifest(manifest, lowering.READER, plan.job.cluster, plan.version))
    times["check schema and rules"] = process_time() - began

    began = process_time()
    assert write_yaml_stream([manifest.tree for manifest in manifests])
    times["write YAML"] = process_time() - began
    return times
