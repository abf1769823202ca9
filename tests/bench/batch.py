"""A thousand profiles of each kind in one call, with every check on: CPU time for each, and where it goes."""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
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
from tests.bench.linting import processes
from tests.kubectl import kubectl

COUNT = 1000
GOAL = 0.8
# How much less than kustomize's overlays a profile is to cost; unlike milliseconds this holds for any machine.
LESS = 15
# And how much of go-jsonnet's.
JSONNET = 0.4
# How much more than the first sample a job of any kind is to cost.
MORE = 1.5
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


def by_jsonnet(folder: Path, paths: list[Path], variables: dict[str, str]) -> list[str]:
    """The command that makes the same manifests by go-jsonnet: each profile read as YAML, its name and its pods put
    into a template, and the stream written as YAML. Nothing of it is checked."""
    built = [*PROGRAM, "build", "-o", "json", str(paths[0])]
    text = subprocess.run(built, env=variables, stdout=subprocess.PIPE, check=True, text=True).stdout
    tree = json.loads(text)
    workers = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"]
    template = text.replace(f'"{tree["metadata"]["name"]}"', "p.metadata.name")
    template = template.replace(f'"replicas": {workers}', '"replicas": p.pods - 1')
    imports = ", ".join(f"importstr {json.dumps(str(path))}" for path in paths)
    program = f"local of(p) = {template};\nstd.manifestYamlStream([of(std.parseYaml(text)) for text in [{imports}]])"
    (folder / "jobs.jsonnet").write_text(program, "utf-8")
    run_it = "import sys, _gojsonnet, json; print(json.loads(_gojsonnet.evaluate_file(sys.argv[1])))"
    return [sys.executable, "-c", run_it, str(folder / "jobs.jsonnet")]


def measure(folder: Path, rounds: int) -> list[str]:
    """The lines of the report. ``folder`` is empty and temporary."""
    variables = environment(folder / "installed")
    made = {sample: generate(folder / sample, sample, COUNT) for sample in SAMPLES}
    paths, out = made[FIRST][0], str(folder / "out")
    first = [*PROGRAM, "build", str(paths[0].parent)]
    commands = {sample: [*PROGRAM, "build", str(found[0].parent)] for sample, (found, _) in made.items()}
    written = {"to a new tree": [*first, "--out", out], "to the same tree again": [*first, "--out", out]}
    used: dict[str, list[float]] = {name: [] for name in (*commands, *written)}
    for number in range(rounds + 1):
        shutil.rmtree(out, ignore_errors=True)
        for name, command in (commands | written).items():
            cpu = run(command, variables).cpu / COUNT
            if number:
                used[name].append(cpu)
    lines = [
        "",
        f"{COUNT:,} profiles in one call, every check on, start-up included: CPU ms for each, best of {rounds}",
    ]
    for name, kind in SAMPLES.items():
        best, jobs = min(used[name]) / made[name][1], made[name][1]
        share = best / min(used[FIRST])
        row = f"{name:24} {best:6.2f}   {share:4.2f} × the first{'' if share <= MORE else ', not met'}   {kind}"
        lines.append(row + (f", {jobs} variants" if jobs > 1 else ""))
    lines.append(f"goals: at most {GOAL} ms for each job, and {MORE} × the first, of any kind")
    peer = kubectl()
    if peer is None:
        lines.append("kubectl is not installed: no comparison with `kubectl kustomize`")
    else:
        cpu = run([peer, "kustomize", str(overlays(folder / "overlays", variables))], variables).cpu / COUNT
        more = cpu / min(used[FIRST])
        what = f"kubectl kustomize, {COUNT:,} overlays over {FIRST}: {cpu:.2f} ms each, {more:.1f} × its profiles"
        lines.append(f"{what}; goal: {LESS}, {'met' if more >= LESS else 'not met'}")
    if find_spec("_gojsonnet") is None:
        lines.append("gojsonnet is not installed: no comparison with jsonnet")
    else:
        command = by_jsonnet(folder, paths, variables)
        cpu = min(run(command, variables).cpu for _ in range(rounds)) / COUNT
        share = min(used[FIRST]) / cpu
        what = f"go-jsonnet, the same from YAML to YAML, unchecked: {cpu:.2f} ms each, profiles ÷ it: {share:.2f}"
        lines.append(f"{what}; goal: {JSONNET}, {'met' if share <= JSONNET else 'not met'}")
    lines += ["", f"{FIRST} with files"]
    lines += [f"{name:24} {min(used[name]):6.2f}" for name in written]
    lines += processes([*first, "-q"], f"{COUNT:,} profiles", variables, rounds)
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
