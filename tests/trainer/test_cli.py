"""Command line and contract, without torch."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trainer.cli import checked, main, parse
from trainer.config import BenchConfig, TrainConfig
from trainer.contract import contract
from trainer.env import NUMBERED, Place, resolve
from trainer.faults import MEANING, Fault
from trainer.flags import FLAGS

SOURCE_000 = ["-a", "resnet50", "-j", "32", "-b", "512", "--epochs=1", "--iter=500", "--bucket=200"]
POD = {"RANK": "3", "WORLD_SIZE": "16", "MASTER_ADDR": "job-master-0", "MASTER_PORT": "23456"}


def refuse(argv: list[str], env: dict[str, str] | None = None) -> str:
    with pytest.raises(Fault) as fault:
        args, _ = parse(TrainConfig, argv, {})
        checked(args, resolve(env or POD))
    assert fault.value.code == 64
    return fault.value.reason


def test_the_arguments_of_source_000() -> None:
    args, origin = parse(TrainConfig, SOURCE_000, {})
    assert (args.arch, args.workers, args.batch_size, args.epochs, args.iter, args.bucket) == (
        "resnet50",
        32,
        512,
        1,
        500,
        200,
    )
    assert origin["bucket"] == "command line"
    assert origin["lr"] == "default"
    checked(args, resolve(POD))


def test_legacy_flags_are_checked_against_the_environment() -> None:
    args, _ = parse(
        TrainConfig,
        [
            *SOURCE_000,
            "--world-size=16",
            "--rank=3",
            "--local_rank=0",
            "--gpu=0",
            "--dist-backend=gloo",
            "--dist-url=tcp://job-master-0:23456",
            "--multiprocessing-distributed",
        ],
        {},
    )
    assert (args.backend, checked(args, resolve(POD)).backend) == ("auto", "gloo")
    assert refuse(["--world-size=8"]) == "`--world-size=8`, but `WORLD_SIZE=16` (PyTorchJob)"
    assert "`--rank=4`, but `RANK=3`" in refuse(["--rank", "4"])
    assert "`--local-rank=3`, but `LOCAL_RANK=0`" in refuse(["--local-rank=3"])
    assert "`--gpu=1`, but `LOCAL_RANK=0`" in refuse(["--gpu", "1"])
    assert "`--dist-url=tcp://a:1`, but the master is `job-master-0:23456`" in refuse(["--dist-url", "tcp://a:1"])
    assert "`--dist-backend=nccl` contradicts `--backend=gloo`" in refuse(["--dist-backend=nccl", "--backend=gloo"])
    assert "`--expect-world=8`" in refuse(["--expect-world=8"])
    args, _ = parse(TrainConfig, ["--dist-url=env://"], {})
    checked(args, resolve(POD))


def test_unknown_and_wrong_arguments() -> None:
    assert refuse(["--batchsize", "3"]) == "unknown argument `--batchsize`, the nearest known one is `--batch-size`"
    assert refuse(["--zzz"]) == "unknown argument `--zzz`"
    assert "invalid choice" in refuse(["-a", "vgg16"])
    assert "`--batch-size=0` is less than 1" in refuse(["-b", "0"])
    assert "contradicts the data path" in refuse(["--dummy", "/data"])
    assert "unknown argument `--ite`" in refuse(["--ite=3"])


@pytest.mark.parametrize(
    "word, meant",
    [
        ("--learning-rate", "--lr"),
        ("--weight_decay", "--wd"),
        ("--nproc_per_node", "--spawn"),
        ("--num-workers", "--workers"),
        ("--epoch", "--epochs"),
        ("--nodes", ""),
        ("--save-model", ""),
        ("--dry-run", ""),
    ],
)
def test_hints_are_what_was_meant_or_none(word: str, meant: str) -> None:
    """Words of other programs are known by what they mean there, and one that is unlike all others gets no hint."""
    hint = f", the nearest known one is `{meant}`" if meant else ""
    assert refuse([f"{word}=1"]) == f"unknown argument `{word}`{hint}"


@pytest.mark.parametrize(
    "argv, code, words",
    [
        (["--iter=-5"], 64, "`--iter=-5` is less than 0"),
        (["--lr=nan"], 64, "`--lr=nan` is no finite number"),
        (["--static-graph", "--accum", "2"], 64, "`--static-graph` contradicts `--accum=2`"),
        ([], 78, "`torch` is not installed"),
    ],
)
def test_refusals_need_no_torch(root: Path, argv: list[str], code: int, words: str) -> None:
    """They come before torch is looked for, and that it is absent is said in one line."""
    script = "import sys; sys.modules['torch'] = None; from trainer.cli import main; main(sys.argv[1:])"
    line = [sys.executable, "-c", script, "train", "--dummy", *argv]
    done = subprocess.run(line, cwd=root, capture_output=True, text=True, env={})
    assert (done.returncode, done.stderr.count("\n")) == (code, 1) and words in done.stderr, done.stderr


def test_help_says_defaults_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "seconds between SIGTERM and SIGKILL (default: 25.0)" in said
    assert "138 peer lost, rank stuck, or rendezvous timeout (retryable)" in said


def test_variables_stand_below_the_command_line() -> None:
    args, origin = parse(
        TrainConfig, ["--lr", "0.5"], {"TRAINER_LR": "0.2", "TRAINER_BATCH_SIZE": "7", "TRAINER_EVAL": "true"}
    )
    assert (args.lr, args.batch_size, args.eval) == (0.5, 7, True)
    assert (origin["lr"], origin["batch_size"]) == ("command line", "TRAINER_BATCH_SIZE")
    with pytest.raises(Fault, match="TRAINER_ITER=many"):
        parse(TrainConfig, [], {"TRAINER_ITER": "many"})
    with pytest.raises(Fault, match="TRAINER_AMP=fp8"):
        parse(TrainConfig, [], {"TRAINER_AMP": "fp8"})


def test_positional_data_and_bench() -> None:
    assert parse(TrainConfig, ["/data/x", "-b", "2"], {})[0].data == "/data/x"
    args, _ = parse(BenchConfig, ["-b", "8", "-e", "1M", "-f", "4", "--no-check"], {})
    assert (args.min_bytes, args.max_bytes, args.factor, args.check) == ("8", "1M", 4, False)
    checked(args, Place())


def test_contract_says_what_the_parser_knows(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["contract", "--json"])
    assert end.value.code == 0
    said = json.loads(capsys.readouterr().out)
    assert [flag["names"][0] for flag in said["arguments"]["train"]] == [flag.names[0] for flag in FLAGS]
    assert {int(code): row["class"] for code, row in said["exit_codes"].items()} == {
        c: k for c, (k, _) in MEANING.items()
    }
    assert {code for code, row in said["exit_codes"].items() if row["class"] == "retryable"} == {"130", "138", "143"}


def test_contract_is_cut_off_quietly(root: Path) -> None:
    """`trainer contract --json | head -1`"""
    command = f"{sys.executable} -m trainer contract --json | head -1"
    done = subprocess.run(command, shell=True, cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("{\n", "")


def test_contract_lists_every_variable_that_is_read(root: Path) -> None:
    text = (root / "trainer" / "env.py").read_text()
    read = set(re.findall(r"\"((?:PET|MS|TORCHELASTIC)_[A-Z_]+|TF_CONFIG|MASTER_ADDR)\"", text))
    read |= {name for rows in NUMBERED.values() for row in rows for name in row.split()} - {"-"}
    unlisted = read - set(contract()["environment"]["read"])
    assert unlisted <= {
        "MS_SCHED",
        "MS_WORKER",
        "PMIX_LOCAL_RANK",
        "PMIX_LOCAL_SIZE",
        "OMPI_COMM_WORLD_NODE_RANK",
    }


def test_commands(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for argv, code in ((["--help"], 0), ([], 64), (["trian"], 64), (["report"], 64), (["contract", "--yaml"], 64)):
        with pytest.raises(SystemExit) as end:
            main(argv)
        assert end.value.code == code
    capsys.readouterr()


def test_entries_are_scripts(root: Path, tmp_path: Path) -> None:
    """`python -u main_allreduce.py` with the package's folder as working directory, as in the image."""
    for script in ("main_allreduce.py", "main_mnist.py"):
        done = subprocess.run(
            [sys.executable, "-u", script, "--help"], cwd=root / "trainer", capture_output=True, text=True
        )
        assert done.returncode == 0
        assert "--bucket" in done.stdout


def test_no_download_code_and_no_specgen(root: Path) -> None:
    for path in (root / "trainer").glob("*.py"):
        text = path.read_text()
        for word in ("urllib", "requests", "http.client", "wget", "download=", "specgen"):
            assert word not in text, f"{path.name} has {word}"


def test_dockerfile(root: Path) -> None:
    """Pinned base as an argument, not root, exec form, unbuffered."""
    text = (root / "trainer" / "Dockerfile").read_text()
    assert re.search(r"^ARG BASE=\S+:\S+$", text, re.M)
    assert re.search(r"^FROM \$\{BASE\}$", text, re.M)
    assert re.search(r"^USER \d+(:\d+)?$", text, re.M)
    entry = re.search(r"^ENTRYPOINT (\[.*\])$", text, re.M)
    assert entry
    assert json.loads(entry[1]) == ["python", "-u"]
    command = re.search(r"^CMD (\[.*\])$", text, re.M)
    assert command
    assert (root / "trainer" / json.loads(command[1])[0]).is_file()
