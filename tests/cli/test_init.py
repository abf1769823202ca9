"""``specgen init job``: what it prints builds as it is, says nothing that is not needed, and counts as operators do."""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.capture.like import LIKE
from specgen.cli.beginning import DEEPSPEED, FRAMEWORKS, KINDS, STARTERS, starters
from specgen.cli.main import main
from specgen.lower.index import TARGETS
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.pipeline import Result, compile_job

Capture = pytest.CaptureFixture[str]


def every() -> Iterator[tuple[str, str, str, int]]:
    """(framework, kind, starter, GPUs of a pod): all that can be asked for."""
    for framework, one in FRAMEWORKS.items():
        for kind in one.kinds:
            for gpu in (0, 1, 8):
                yield from ((framework, kind, starter, gpu) for starter in starters(framework, kind, gpu))


ALL = list(every())


def words(framework: str, kind: str, starter: str, gpu: int) -> list[str]:
    return ["--framework", framework, "--target", kind, "--start", starter, "--gpu", str(gpu)]


def printed(capsys: Capture, *options: str) -> str:
    """A profile, of which nothing is said."""
    assert main(["init", "job", *options]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    return told.out


def built(profile: str) -> tuple[Any, ...]:
    """What it is for a user: the manifests, and what is found."""
    result = compile_job(profile)
    trees = [one.tree for job in result.compiled if job.bundle is not None for one in job.bundle.manifests]
    return trees, [(one["code"], one["message"]) for one in result.diagnostics]


def expanded(result: Result) -> Expansion:
    (one,) = result.compiled
    assert one.bundle is not None and one.reader is not None
    others = [manifest for manifest in one.bundle.manifests if manifest is not one.bundle.job]
    expansion, _ = expand_manifest(one.bundle.job, one.reader, companions=others)
    assert expansion is not None
    return expansion


def ranks(expansion: Expansion) -> int | None:
    """The processes that train, None where the operator does not fix them."""
    known = [instance.ranks[1] for instance in expansion.instances if instance.ranks is not None]
    return max(known) + 1 if known else None


def test_every_kind_and_starter_is_there() -> None:
    assert {kind.partition("/")[0] for kind in KINDS} == set(TARGETS)
    assert len(KINDS) == sum(len(modules) for modules in TARGETS.values()) == 8
    assert {starter for _, _, starter, _ in ALL} == set(STARTERS)


@pytest.mark.parametrize("kind", KINDS)
def test_it_builds_as_it_is(kind: str, capsys: Capture) -> None:
    for framework, of, starter, gpu in ALL:
        if of != kind:
            continue
        profile = printed(capsys, *words(framework, kind, starter, gpu), "--pods", "3")
        trees, found = built(profile)
        assert trees and not found, (framework, starter, gpu, found)
        said = re.search(r"(\d+) ranks?", profile)
        counted = ranks(expanded(compile_job(profile)))
        if counted is not None and said is not None:
            assert int(said[1]) == counted, profile
        # the comments are words that can be said as they stand: only their mark goes
        more = re.sub(r"(?m)^( *)# ((?:env|mounts|lifecycle|cpu|memory|resources|namespace): )", r"\1\2", profile)
        assert more != profile and built(more)[0] and not built(more)[1], more


@pytest.mark.parametrize("pods", ["1", "3"])
def test_variables_that_it_names_are_set(pods: str, capsys: Capture) -> None:
    for framework, kind, starter, gpu in ALL:
        if starter != "none" or gpu != 1:
            continue
        profile = printed(capsys, *words(framework, kind, starter, gpu), "--pods", pods)
        if "RANK" not in profile and "TF_CONFIG" not in profile:
            continue
        for pod in expanded(compile_job(profile)).pods:
            names = {one["name"] for one in pod["spec"]["containers"][0]["env"]}
            told = {"TF_CONFIG"} if framework == "tensorflow" else {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}
            assert names >= told, profile


def without_each(tree: Any) -> Iterator[tuple[str, Any]]:
    """Copies of a profile, each without one of its words."""

    def paths(part: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        for step in part if isinstance(part, dict) else range(len(part)) if isinstance(part, list) else ():
            yield (*path, step)
            yield from paths(part[step], (*path, step))

    for path in paths(tree, ()):
        less = copy.deepcopy(tree)
        part = less
        for step in path[:-1]:
            part = part[step]
        del part[path[-1]]
        yield ".".join(map(str, path)), less


@pytest.mark.parametrize("kind", KINDS)
def test_no_word_is_needless(kind: str, capsys: Capture) -> None:
    for framework, of, starter, gpu in ALL:
        if of != kind or gpu == 1:
            continue
        tree = yaml.safe_load(printed(capsys, *words(framework, kind, starter, gpu), "--pods", "3"))
        whole = built(json.dumps(tree))
        for name, less in without_each(tree):
            assert built(json.dumps(less)) != whole, f"{framework} {starter} {gpu}: `{name}` changes nothing"


@pytest.mark.parametrize(
    ("options", "target", "start"),
    [
        ("--gpu 8", "PyTorchJob", "torchrun"),
        ("--gpu 1", "PyTorchJob", None),
        ("--framework tensorflow --gpu 8", "TFJob", None),
        ("--framework jax --gpu 4", "JobSet", "none"),
        ("--framework horovod", "MPIJob", None),
        ("--start mpirun", "MPIJob", None),
        ("--start horovodrun", "MPIJob", "horovodrun"),
        ("--target MSJob", "MSJob", None),
        ("--target MPIJob/v1 --start deepspeed", {"kind": "MPIJob", "version": "v1"}, None),
        ("--target TrainJob --gpu 8 --start deepspeed", "TrainJob", None),
        ("--target JobSet --gpu 8 --start deepspeed", "JobSet", "torchrun"),
    ],
)
def test_what_is_left_open_is_usual(options: str, target: Any, start: str | None, capsys: Capture) -> None:
    tree = yaml.safe_load(printed(capsys, *options.split()))
    assert (tree["target"], tree.get("start")) == (target, start)
    assert ("--deepspeed_config=ds_config.json" in tree["command"]) == (DEEPSPEED in options)


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (
            "--target TrainJob --start none",
            [
                "a TrainJob tells each pod what torchrun reads, and a single process nothing",
                "`--start` is `torchrun`, `accelerate`, `deepspeed`, `mpirun`, or `self` there",
            ],
        ),
        (
            "--target MPIJob --start none",
            [
                "without a starter an MPIJob runs one process, in its launcher, and none beside the GPUs",
                "`--start` is `deepspeed`, `mpirun`, or `self` there",
            ],
        ),
        (
            "--target JobSet --start mpirun",
            [
                "`mpirun` does not start the processes of pytorch in a JobSet",
                "`--start` is `torchrun`, `accelerate`, `deepspeed`, or `none` there; `mpirun` goes with "
                "`--target` `TrainJob`, `VolcanoJob`, `MPIJob`, or `MPIJob/v1`",
            ],
        ),
        (
            "--target TFJob --framework jax",
            [
                "a TFJob does not tell the processes of jax how to meet",
                "`--target` of jax is `JobSet`, `PyTorchJob`, or `VolcanoJob`",
            ],
        ),
        (
            "--target PyTorchJob --start self",
            ["`self` is for several processes in a pod, one for each GPU, and each pod has 1"],
        ),
        ("--target pytorch", ["there is `PyTorchJob`"]),
        ("--target mpijob", ["there is `MPIJob`"]),
        ("--framework tf", ["there is `tensorflow`"]),
        ("--framework deepspeed", ["there is `--start deepspeed`"]),
        ("--start python", ["there is `none`"]),
        ("--nodes 2 --gpus 8", ["write `specgen init job --pods 2 --gpu 8`"]),
        ("--kind JobSet", ["there is `--target`"]),
        ("--start deepsped", ["there is `deepspeed`"]),
        ("--framework torch", ["there is `pytorch`"]),
        ("--taget JobSet", ["there is `--target`"]),
        ("--pods 0", ["a job has one pod at least"]),
        ("--gpu all", ["`all` is no number"]),
        ("--gpu a100:4", ["`a100:4` is no number: write `4`"]),
        ("--gpu 8xH100", ["`8xH100` is no number: write `8`"]),
        ("--framework lightning", ["there is `pytorch`"]),
        ("--start srun", ["there is `torchrun`"]),
        ("--mem 64Gi", ["the profile says it, by `resources.memory`: `specgen explain resources.memory`"]),
        ("--cpus-per-task=8", ["the profile says it, by `resources.cpu`"]),
        ("--namespace ml", ["the profile says it, by `metadata.namespace`"]),
        ("--time 12:00:00", ["the profile says it, by `lifecycle.deadline`"]),
        ("python train.py", ["the program stands behind two dashes: `specgen init job -- python train.py`"]),
        ("--name My_Job", ["takes a name of lower-case letters"]),
        ("--force", ["--force goes with --out"]),
        ("--like cpu --pods 2", ["--like is of a cluster: `specgen init cluster --like cpu`"]),
        ("--npu 8 --gpu 8", ["--gpu and --npu contradict each other"]),
        ("--npu 8 --framework jax", ["there is no jax for NPUs", "`--framework` is `pytorch` or `mindspore` there"]),
        ("--pods 2 -- torchrun --nnodes=4 a.py", ["--pods 2 contradicts `torchrun` for 4 machines", "`--pods 4`"]),
        ("--gpu 2 -- torchrun --nproc-per-node=4 a.py", ["for 4 processes a pod", "`--gpu 4`, or `--start self`"]),
        ("--start accelerate -- torchrun a.py", ["--start accelerate contradicts `torchrun`", "`--start torchrun`"]),
        ("--pods 2 -- torchrun --nnodes=1:4 a.py", ["--pods 2 contradicts `torchrun` for up to 4 machines"]),
        ("--gpu 2 -- srun -N2 --gres=gpu:4 python a.py", ["--gpu 2 contradicts `srun` with 4 GPUs a node"]),
        ("-- srun -N 2 --ntasks-per-node 3 --gpus-per-node 4 a.py", ["`srun` starts 3 processes on a node with 4"]),
        ("-- sbatch nowhere.sh", ["`nowhere.sh` cannot be read here", "with the line that the script runs"]),
        ("-- torchrun --nnodes 2", ["`torchrun` starts no program here"]),
        ("-- accelerate launch --num_machines 3 --num_processes 16 a.py", ["16 processes is no multiple of 3"]),
        (
            "-- deepspeed --include a:0 a.py --b",
            ["`--include a:0` is for", "`--pods 1 --gpu 1 --start deepspeed -- a.py --b`"],
        ),
        ("-- mpirun -np 8 a.out", ["`--pods 1 --gpu 8` for one pod", "`--pods 8 --gpu 1`"]),
        ("-- mpirun -np 16 a.out", ["help: `--pods 2 --gpu 8` for pods of eight, `--pods 1 --gpu 16` for one pod"]),
        (
            "-- mpirun -np 8 -H a:8,b:8 a.out",
            ["`mpirun` starts 8 processes, and its hosts have room for 16", "`--pods 1`"],
        ),
        ("-- mpirun --odd 3 python a.py --b", ["write `--start mpirun -- python a.py --b`, or `--start self`"]),
        (
            "--framework tensorflow --start horovodrun",
            ["`--start` is `none` there; `horovodrun` goes with `--framework` `horovod`"],
        ),
        (
            "--framework jax --target TrainJob",
            ["`jax-distributed` does, of a cluster: see `specgen explain target.runtime`"],
        ),
        ("--gpu 8 -- bash -c x", ["torchrun would run `bash` as a Python script"]),
        ("--cluster nowhere.yaml", ["nowhere.yaml: there is no such file"]),
    ],
)
def test_what_is_refused(options: str, lines: list[str], capsys: Capture) -> None:
    assert main(["init", "job", *options.split()]) == 2
    told = capsys.readouterr()
    assert told.out == "" and all(line in told.err for line in lines), told.err


# What stands behind the two dashes → lines of the profile, and one that is in the manifest.
LAUNCHED = [
    ("torchrun --nnodes=4 --nproc-per-node=8 --rdzv-endpoint=$H:29500 a.py --b", "pods: 4|  gpu: 8", "replicas: 3"),
    (
        "NCCL_DEBUG=INFO torchrun --standalone -m pkg.a",
        "start: {by: torchrun, options: [-m]}|  NCCL_DEBUG: INFO",
        "- -m",
    ),
    ("mpirun -np 16 -H a:8,b:8 a.out", "pods: 2|procsPerPod: 8", "slotsPerWorker: 8"),
    ("mpirun -H a:4,b:4,c:4 a.py", "pods: 3|  gpu: 4", "slotsPerWorker: 4"),
    ("python -m torch.distributed.run --nproc_per_node 4 a.py", "# pods: 2|  gpu: 4", 'nprocPerNode: "4"'),
    ("torchrun --nproc-per-node=auto --max-restarts 2 a.py", "pods: 4|  gpu: 1", "- --max-restarts"),
    ("accelerate launch --num_machines 2 --num_processes 16 a.py", "pods: 2|  gpu: 8", "- --num_processes=16"),
    ("accelerate launch --num_processes 4 --multi_gpu a.py", "# pods: 2|  gpu: 4", "nvidia.com/gpu: 4"),
    ("accelerate launch --cpu --num_processes 4 a.py", "procsPerPod: 4|options: [--cpu]", "- --num_processes=4"),
    ("torchrun --nnodes 2:6 --nproc_per_node 8 a.py", "pods: 6|elastic: {min: 2}|  gpu: 8", "minReplicas: 2"),
    (
        "srun -N 4 -n 32 --gres=gpu:a100:8 -c 12 python a.py",
        "start: torchrun|pods: 4|  gpu: 8|  cpu: 96",
        "replicas: 3",
    ),
    ("srun -N2 --gpus-per-node=4 python a.py", "start: none|pods: 2|  gpu: 4|command: [python, a.py]", "replicas: 1"),
    ("srun -N4 -G 32 torchrun --nproc_per_node 8 a.py", "start: torchrun|pods: 4|  gpu: 8", "replicas: 3"),
    ("deepspeed --num_nodes 2 --num_gpus 8 --hostfile h a.py", "start: torchrun|pods: 2|  gpu: 8", "- a.py"),
    ("mpirun -np 16 -N 8 -H a,b -x A=1 -x PATH --mca pml ob1 python a.py", 'pods: 2|  gpu: 8|  A: "1"', "- pml"),
    ("CUDA_VISIBLE_DEVICES=0 python a.py", "command: [python, a.py]|`CUDA_VISIBLE_DEVICES=0`: a pod sees", "- python"),
]


@pytest.mark.parametrize(("command", "lines", "built"), LAUNCHED, ids=[command for command, _, _ in LAUNCHED])
def test_the_line_of_a_launcher_says_what_job_it_is(
    command: str, lines: str, built: str, capsys: Capture, tmp_path: Path
) -> None:
    assert main(["init", "job", "--", *command.split()]) == 0
    profile = capsys.readouterr().out
    assert [line for line in lines.split("|") if line not in profile] == [], profile
    (tmp_path / "job.yaml").write_text(profile)
    assert main(["build", str(tmp_path / "job.yaml")]) == 0
    assert built in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "start", "command", "counts"),
    [
        ("-- torchrun --nproc_per_node=8 --nnodes=2 a.py --b 3", "torchrun", ["a.py", "--b", "3"], (2, 8)),
        ("--gpu 8 --start torchrun -- torchrun a.py", "torchrun", ["a.py"], (4, 8)),
        ("-- python -m torch.distributed.run --nproc-per-node 4 a.py", "torchrun", ["a.py"], (1, 4)),
        (
            "-- torchrun --nproc_per_node 8 --max_restarts=3 -m pkg.a --b",
            {"by": "torchrun", "options": ["--max_restarts=3", "-m"]},
            ["pkg.a", "--b"],
            (1, 8),
        ),
        (
            "-- accelerate launch --config_file f.yaml --num_processes 8 --num_machines 2 a.py",
            {"by": "accelerate", "options": ["--config_file", "f.yaml"]},
            ["a.py"],
            (2, 4),
        ),
        (
            "--pods 4 -- deepspeed --num_gpus 8 --hostfile h a.py --deepspeed d.json",
            "torchrun",
            ["a.py", "--deepspeed", "d.json"],
            (4, 8),
        ),
        ("--gpu 8 -- mpirun python a.py", None, ["python", "a.py"], (4, 8)),
        ("--gpu 8 --start self -- torchrun a.py", "self", ["torchrun", "a.py"], (4, 8)),
    ],
)
def test_a_line_of_a_starter_is_taken_for_what_it_says(
    options: str, start: Any, command: list[str], counts: tuple[int, int], capsys: Capture
) -> None:
    text = printed(capsys, *options.split())
    tree = yaml.safe_load(text)
    assert (tree.get("start"), tree["command"]) == (start, command)
    assert (tree.get("pods", 1), tree["resources"]["gpu"]) == counts


def test_what_an_image_lacks_is_known_of_the_usual_one_alone(capsys: Capture) -> None:
    line = ["--gpu", "8", "--start", "accelerate"]
    assert "prepare" in yaml.safe_load(printed(capsys, *line))
    assert "prepare" not in yaml.safe_load(printed(capsys, *line, "--image", "registry.example.com/train:1"))


@pytest.mark.parametrize(
    ("words", "help"),
    [
        ("PyTorchJob", "--target PyTorchJob"),
        ("jax", "--framework jax"),
        ("cpu", "--like cpu"),
        ("cluster --like aws", "p5-efa"),
        ("cluster --like h100", "h100-infiniband"),
    ],
)
def test_a_choice_leads_to_its_option(words: str, help: str, capsys: Capture) -> None:
    assert main(["init", *words.split()]) == 2
    assert f"  = help: there is `{help}`" in capsys.readouterr().err


def test_a_program_in_place_of_a_profile(capsys: Capture) -> None:
    assert main(["init", "train.py"]) == 2
    assert "`specgen init job -- train.py`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("-- torchrun --nproc_per_node=gpu a.py", True),
        ("-- torchrun --nproc-per-node auto a.py", True),
        ("--gpu 8 -- torchrun --nproc_per_node=gpu a.py", False),
        ("-- torchrun --nproc_per_node=8 a.py", False),
    ],
)
def test_gpus_that_torchrun_counts_are_asked_for(line: str, said: bool, capsys: Capture) -> None:
    profile = printed(capsys, *line.split())
    assert ("of one pod; torchrun counts what it finds: `--gpu N` says how many\n" in profile) == said
    assert ("  gpu: 1 " if said else "  gpu: 8 ") in profile


def test_an_image_of_amd_asks_for_its_gpus(capsys: Capture) -> None:
    profile = printed(capsys, "--pods", "2", "--gpu", "4", "--image", "rocm/pytorch:rocm6.3")
    assert "procsPerPod: 4\n" in profile and "  other: {amd.com/gpu: 4} " in profile and "  gpu:" not in profile
    trees, found = built(profile)
    assert trees and not found and ranks(expanded(compile_job(profile))) == 8
    assert "amd.com/gpu" not in printed(capsys, "--gpu", "4", "--image", "nvcr.io/nvidia/pytorch:25.06-py3")


def test_adapters_that_come_with_all_gpus_alone_are_left_out(tmp_path: Path, capsys: Capture) -> None:
    assert main(["init", "cluster", "--like", "mi300"]) == 0
    (tmp_path / "c.yaml").write_text(capsys.readouterr().out)
    line = ["init", "job", "--pods", "2", "--gpu", "4", "--cluster", str(tmp_path / "c.yaml")]
    assert main(line) == 0
    told = capsys.readouterr()
    assert (
        "# hca: auto                  # left out: 4 HCAs contradict the claim `8nic-all`" in told.out and not told.err
    )
    line[5] = "8"
    assert main(line) == 0 and "\n  hca: auto " in capsys.readouterr().out


def test_what_is_wrong_in_a_cluster_profile_is_said_there(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "c.yaml"
    file.write_text(
        "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\noperators:\n"
        '  trainer: {version: "2.3.0", runtimes: [torch-distributed]}\n'
    )
    assert main(["init", "job", "--gpu", "8", "--cluster", str(file)]) == 2
    said = capsys.readouterr().err
    assert f"{file}:5:31: `runtimes` takes a mapping, not a list" in said and "--gpu" not in said


def test_a_kind_that_another_operator_serves_is_said_with_its_version(tmp_path: Path, capsys: Capture) -> None:
    """On a cluster without the mpi-operator, `MPIJob` is the training operator's, which Kueue does not know."""
    cluster = tmp_path / "cluster.yaml"
    cluster.write_text(
        "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n"
        "operators: {training-operator: {version: 1.9.4}}\n"
        "pools: {a: {gpu: {resource: nvidia.com/gpu, perNode: 8}}}\nscheduling: {gang: kueue, queues: [lq]}\n"
    )
    for target in ("MPIJob", "MPIJob/v2beta1"):
        assert main(["init", "job", "--target", target, "--gpu", "8", "--cluster", str(cluster)]) == 0
        text = capsys.readouterr().out
        assert (
            "# A job of training-operator: the cluster has no mpi-operator.\ntarget: {kind: MPIJob, version: v1}"
            in text
        )
        assert "scheduling: {gang: false}       # Kueue knows MPIJobs of the mpi-operator alone" in text


def test_a_cluster_has_no_options_of_a_job(capsys: Capture) -> None:
    assert main(["init", "cluster", "--pods", "4"]) == 2
    assert "--pods is of a job: `specgen init job --pods 4`" in capsys.readouterr().err
    assert main(["init", "cluster", "--", "python"]) == 2
    assert "a command is of a job: `specgen init job -- COMMAND`" in capsys.readouterr().err


def test_the_second_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    (tmp_path / ".specgen-root").touch()
    monkeypatch.chdir(tmp_path)
    assert main(["init", "cluster", "--like", "h100-infiniband"]) == 0
    (tmp_path / "clusters").mkdir()
    Path("clusters/lab.yaml").write_text(capsys.readouterr().out)
    line = ["init", "job", "--gpu", "8", "--cluster", "clusters/lab.yaml", "--out", "jobs/big.yaml"]
    assert main(line) == 0
    assert "jobs/big.yaml is written; `specgen build jobs/big.yaml`" in capsys.readouterr().err
    written = Path("jobs/big.yaml").read_text()
    # the cluster's name counts from the file
    assert "cluster: ../clusters/lab.yaml\n" in written
    # it has adapters, and a job that asks for none would talk TCP
    assert "\n  hca: auto " in written
    assert main(["build", "--quiet", "jobs/big.yaml"]) == 0
    assert capsys.readouterr().err == ""
    assert main([*line, "--pods", "2"]) == 2
    assert "jobs/big.yaml: there is such a file\n  = help: `--force` writes over it" in capsys.readouterr().err
    assert Path("jobs/big.yaml").read_text() == written
    assert main([*line, "--pods", "2", "--force"]) == 0
    assert "\npods: 2\n" in Path("jobs/big.yaml").read_text()
    assert main(["init", "job", "--out", "jobs", "--force"]) == 2
    assert "jobs: it is a folder\n  = help: `--out jobs/job.yaml`" in capsys.readouterr().err
    # where a cluster serves no usual kind, the first one that it serves
    Path("clusters/new.yaml").write_text(
        "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: new}\noperators: {trainer: {version: 2.3.0}}\n"
    )
    assert main(["init", "job", "--cluster", "clusters/new.yaml", "--gpu", "0"]) == 0
    told = capsys.readouterr()
    assert "\ntarget: TrainJob\n" in told.out and told.err == ""
    assert main(["init", "job", "--cluster", "clusters/new.yaml", "--gpu", "0", "--target", "MPIJob"]) == 0
    assert "is served by the mpi-operator, which the cluster profile does not list (SG473)" in capsys.readouterr().err
    # from another folder, and one that is too large for the cluster
    monkeypatch.chdir(tmp_path / "jobs")
    assert main(["init", "cluster", "--like", "cpu"]) == 0
    Path("../clusters/cpu.yaml").write_text(capsys.readouterr().out)
    assert main(["init", "job", "--cluster", "../clusters/cpu.yaml", "--gpu", "1"]) == 2
    assert "no pool of the cluster profile has `gpu`\n  = help: `--gpu` asks for 1" in capsys.readouterr().err
    line = ["init", "job", "--gpu", "8", "--pods", "17", "--cluster", "../clusters/lab.yaml", "--out", "huge.yaml"]
    capsys.readouterr()
    assert main(line) == 2
    assert "17 pods of `Master` and `Worker` do not fit" in capsys.readouterr().err
    assert not Path("huge.yaml").exists()


@pytest.fixture
def person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """Somebody at a terminal, who types these answers; each is typed."""
    answers: list[str] = []

    def answer(question: str) -> str:
        if not answers:
            raise EOFError
        return answers.pop(0)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("specgen.cli.begun.asked_on_terminal", lambda terminal: True)
    monkeypatch.setattr("builtins.input", answer)
    yield answers
    assert not answers


def test_on_a_terminal_it_asks(person: list[str], tmp_path: Path, capsys: Capture) -> None:
    Path("job.yaml").write_text("mine")
    person += ["torch", "?", "", "trainjob", "none", "3", "8", "accelerate", "", "", "", "", "job.yaml", "other.yaml"]
    assert main(["init"]) == 0
    told = capsys.readouterr()
    assert "there is no torch: there is pytorch" in told.err and "it is one of pytorch, tensorflow" in told.err
    assert "a number from 1 on" in told.err and "there is a file job.yaml" in told.err
    assert Path("job.yaml").read_text() == "mine"
    line = told.out.strip().rpartition(": ")[2]
    other = (
        "specgen init job --framework pytorch --target TrainJob --pods 3 --gpu 8 --start accelerate --out other.yaml"
    )
    assert line == other
    written = Path("other.yaml").read_text()
    assert main([*shlex.split(line)[1:], "--force"]) == 0
    assert Path("other.yaml").read_text() == written


def test_it_asks_for_command_name_and_cluster(person: list[str], tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / ".specgen-root").touch()
    assert main(["init", "cluster", "--like", "ascend"]) == 0
    Path("cluster.yaml").write_text(capsys.readouterr().out)
    person += ["mindspore", "2", "", "8", "", "", "python 'train", "python train.py --note='a b'"]
    person += ["My_Job", "ads", "nowhere.yaml", "", "jobs/ads.yaml"]
    (tmp_path / "jobs").mkdir()
    assert main(["init", "job"]) == 0
    told = capsys.readouterr()
    for said in ("no closing quotation", "a name of lower-case letters", "there is no file nowhere.yaml"):
        assert said in told.err
    line = told.out.strip().rpartition("questions: ")[2]
    assert line == (
        "specgen init job --framework mindspore --target MSJob --pods 2 --npu 8 --name ads --cluster cluster.yaml "
        "--out jobs/ads.yaml -- python train.py '--note=a b'"
    )
    written = Path("jobs/ads.yaml").read_text()
    assert main(["build", "--quiet", "jobs/ads.yaml"]) == 0
    tree = yaml.safe_load(written)
    # the operator counts pods: each has one of the NPUs
    asked = (["python", "train.py", "--note=a b"], {"npu": 1}, 16)
    assert (tree["command"], tree["resources"], tree["pods"]) == asked
    capsys.readouterr()
    words = shlex.split(line)[1:]
    assert main([*words[: words.index("--")], "--force", *words[words.index("--") :]]) == 0
    assert Path("jobs/ads.yaml").read_text() == written


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-- python train.py --epochs 3", {"command": ["python", "train.py", "--epochs", "3"], "start": None}),
        ("--gpu 8 -- python -u train.py --lr 1e-3", {"command": ["train.py", "--lr", "1e-3"], "start": "torchrun"}),
        ("--gpu 8 -- /usr/bin/python3 train.py", {"command": ["train.py"], "start": "torchrun"}),
        (
            "--gpu 8 -- python -m my.train --on",
            {"command": ["my.train", "--on"], "start": {"by": "torchrun", "options": ["-m"]}},
        ),
        ("--gpu 8 --start self -- torchrun train.py", {"command": ["torchrun", "train.py"], "start": "self"}),
        ("--target MPIJob -- python train.py", {"command": ["python", "train.py"], "start": None}),
        ("--npu 8", {"target": "MSJob", "pods": 32, "resources": {"other": {"huawei.com/Ascend910": 1}}}),
        ("--npu 8 --pods 1", {"command": ["msrun", "--worker_num=8", "--local_worker_num=8", "train.py"]}),
        ("--npu 8 --pods 2 --start self --target MSJob", {"prepare": "export MS_WORKER_NUM=16"}),
        (
            "-- litgpt pretrain pythia-160m --devices 4 --num_nodes 2",
            {
                "start": "self",
                "prepare": "export NODE_RANK=$RANK",
                "command": ["litgpt", "pretrain", "pythia-160m", "--devices", "$<gpu>", "--num_nodes", "$<pods>"],
            },
        ),
        (
            "--target JobSet -- litgpt pretrain pythia-160m --devices 4 --num_nodes 2",
            {"prepare": "export NODE_RANK=$PET_NODE_RANK MASTER_ADDR=$PET_MASTER_ADDR MASTER_PORT=$PET_MASTER_PORT"},
        ),
        ("-- litgpt pretrain pythia-160m --devices 4", {"start": "self", "prepare": None}),
        ("--npu 8 --framework pytorch", {"target": "PyTorchJob", "procsPerPod": 8, "start": "torchrun"}),
        ("--npu 1 --target TrainJob -- train.py", {"procsPerPod": None, "command": ["train.py"]}),
    ],
)
def test_devices_and_programs_of_ones_own(options: str, expected: dict[str, Any], capsys: Capture) -> None:
    profile = printed(capsys, *options.split())
    tree = yaml.safe_load(profile)
    assert {key: tree.get(key) for key in expected} == expected
    trees, found = built(profile)
    assert trees and not found
    said, counted = re.search(r"(\d+) ranks?", profile), ranks(expanded(compile_job(profile)))
    assert said is None or counted is None or int(said[1]) == counted


LACKED = (
    ("litgpt pretrain x", "litgpt"),
    ("tune run full_finetune_single_device", "torchtune"),
    ("python -m torchtune x", "torchtune"),
    ("torchrun -m torchtune.x", "torchtune"),
    ("lm_eval --model hf", "lm-eval"),
    ("accelerate launch -m lm_eval --model hf", "lm-eval, accelerate"),
    ("jupyter lab", "jupyterlab"),
    ("vllm serve x", "vllm"),
    ("trl sft --model x", "trl"),
    ("nnUNetv2_train 1 3d_fullres 0", "nnunetv2"),
    ("llamafactory-cli train x", "llamafactory"),
    ("python fit.py --trainer.num_nodes 2 --trainer.devices 8", "lightning"),
)


@pytest.mark.parametrize(("line", "package"), LACKED)
def test_an_image_of_ones_own_holds_what_upstreams_lacks(line: str, package: str, capsys: Capture) -> None:
    profile = printed(capsys, "--gpu", "8", "--", *line.split())
    assert f"\nimage: registry.example.com/train:1  # yours, with {package}\n" in profile
    profile = printed(capsys, "--gpu", "8", "--image", "mine:1", "--", *line.split())
    assert "\nimage: mine:1\n" in profile


def test_nobody_answers(person: list[str], capsys: Capture) -> None:
    person += ["jax"]
    assert main(["init", "job"]) == 2
    assert "specgen: no answer\n  = help: `specgen init job --help`" in capsys.readouterr().err


def test_in_a_pipe_it_says_how(capsys: Capture) -> None:
    for line in (["init"], ["init", "job"]):
        assert main(line) == 0
        told = capsys.readouterr()
        assert built(told.out)[1] == []
        assert "`specgen init job --target TrainJob --pods 4 --gpu 8`" in told.err


def test_a_cluster_profile_is_written_as_a_job_profile_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a job begins beside it, whatever its fabric asks of every job."""
    monkeypatch.chdir(tmp_path)
    words = ["init", "cluster", "--like", "p5-efa", "--out", "cluster.yaml"]
    assert main(words) == 0
    assert "a job beside it says `cluster: cluster.yaml`" in capsys.readouterr().err
    assert main(words) == 2
    assert "`--force` writes over it" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert main(["init", "cluster", "--force"]) == 2
    assert main(["init", "job", "--cluster", "cluster.yaml", "--gpu", "8", "--out", "job.yaml"]) == 0
    # huge pages, which its fabric adds, are refused alone
    assert "\n  cpu: 16 " in (tmp_path / "job.yaml").read_text("utf-8")
    assert main(["build", "job.yaml"]) == 0


def test_a_job_has_the_devices_of_its_cluster(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ascend", "cpu", "p5-efa", "roce", "h100-infiniband"):
        assert main(["init", "cluster", "--like", name, "--out", f"{name}.yaml"]) == 0
    capsys.readouterr()
    for words, line in (
        (["--cluster", "ascend.yaml"], "\n  npu: 1 "),
        (["--cluster", "ascend.yaml", "--target", "PyTorchJob"], "\n  npu: 1 "),
        (["--cluster", "cpu.yaml"], "# resources: "),
    ):
        assert main(["init", "job", *words]) == 0
        assert line in capsys.readouterr().out
    assert main(["init", "cluster", "--like", "mi300", "--out", "mi300.yaml"]) == 0
    capsys.readouterr()
    efa = "registry.example.com/train:1  # yours, with libfabric and aws-ofi-nccl (NCCL finds no EFA without)"
    for words, image in (
        (["--cluster", "mi300.yaml", "--gpu", "8"], "rocm/pytorch:rocm6"),
        # a claim is of all adapters of a node, and so of all GPUs
        (["--cluster", "mi300.yaml"], "rocm/pytorch:rocm6"),
        (["--cluster", "mi300.yaml", "--gpu", "8", "--framework", "jax"], "rocm/jax:rocm7"),
        (
            ["--cluster", "mi300.yaml", "--gpu", "8", "--start", "mpirun"],
            "registry.example.com/train:1  # yours, with ROCm, Open MPI and sshd",
        ),
        (["--cluster", "mi300.yaml", "--gpu", "8", "--image", "mine:1"], "mine:1"),
        (["--cluster", "p5-efa.yaml", "--gpu", "8", "--image", "mine:1"], "mine:1  # it must hold libfabric"),
        (["--cluster", "p5-efa.yaml", "--gpu", "8"], efa),
        (["--cluster", "p5-efa.yaml", "--gpu", "8", "--target", "MPIJob"], f"{efa}, Open MPI and sshd"),
        (["--cluster", "ascend.yaml", "--npu", "8"], "registry.example.com/mindspore:2  # yours"),
        # PyTorch's own has no library for such adapters
        (["--cluster", "roce.yaml", "--gpu", "8"], "nvcr.io/nvidia/pytorch:25.10-py3  # with libibverbs"),
        (["--cluster", "h100-infiniband.yaml", "--gpu", "8"], "nvcr.io/nvidia/pytorch:25.10-py3  # with libibverbs"),
        (
            ["--cluster", "roce.yaml", "--", "litgpt", "pretrain", "x", "--devices", "8", "--num_nodes", "2"],
            "registry.example.com/train:1  # yours, with litgpt, libibverbs (NCCL finds no adapter without)",
        ),
        (
            ["--cluster", "mi300.yaml", "--", "vllm", "serve", "x"],
            "registry.example.com/train:1  # yours, with ROCm, v",
        ),
    ):
        assert main(["init", "job", *words]) == 0
        assert f"\nimage: {image}" in capsys.readouterr().out
    for words, said in (
        (["--cluster", "ascend.yaml", "--gpu", "8"], "help: `--npu 8`, which the pool `ascend` has"),
        (["--cluster", "p5-efa.yaml", "--npu", "4"], "help: `--gpu 4`, which the pool `p5` has"),
        (["--cluster", "p5-efa.yaml", "--gpu", "16"], "a pod with 16 `nvidia.com/gpu` fits no node of the pool `p5`"),
    ):
        assert main(["init", "job", *words]) == 2
        assert said in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(LIKE))
def test_a_job_that_is_begun_fits_the_cluster_that_is_begun(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "cluster", "--like", name, "--out", "cluster.yaml"]) == 0
    for words in ([], [] if name == "cpu" else ["--npu" if name == "ascend" else "--gpu", "8"]):
        assert main(["init", "job", *words, "--cluster", "cluster.yaml", "--out", "job.yaml", "--force"]) == 0
        capsys.readouterr()
        assert main(["fit", "job.yaml"]) == 0
        assert " fits: " in capsys.readouterr().out


def test_a_batch_script_of_slurm(tmp_path: Path, capsys: Capture) -> None:
    """The options of `sbatch`, of the script, and of its last step, each stronger than the one before."""
    script = tmp_path / "train.sbatch"
    script.write_text(
        "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=8\n#SBATCH --gpus-per-node=8   # all\n#SBATCH -c 12\n"
        "module load cuda\nsrun --label \\\n  python train.py --lr 1\n",
        "utf-8",
    )
    assert main(["init", "job", "--", "sbatch", "-N", "2", str(script)]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line in ("start: torchrun", 'command: [train.py, --lr, "1"]', "pods: 2"):
        assert line in lines
    assert any(line.startswith("  cpu: 96") for line in lines)
    script.write_text("#SBATCH -N 2\necho none\n", "utf-8")
    assert main(["init", "job", "--", "sbatch", str(script)]) == 2
    assert "has no line that begins with `srun`" in capsys.readouterr().err
