"""What holds for every verb: help, colour, quiet, exit codes; and that what specgen prints to begin with is right."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from specgen.cli.main import VERBS, main
from specgen.cli.meant import BACKWARD, ELSEWHERE, INSTEAD
from specgen.diagnostics.summary import first_help
from tests.bad.program import ROOT, specgen

FILES = Path(__file__).parent / "files"


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_a_verb(verb: str) -> None:
    ended = specgen(verb, "--help", cwd=FILES)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(f"usage: specgen {verb}")
    assert "exit codes:" in ended.out
    assert specgen(verb, "-h", cwd=FILES).out == ended.out


def test_help_lists_every_verb() -> None:
    ended = specgen("--help", cwd=FILES)
    assert ended.code == 0
    for verb in VERBS:
        assert f"\n    {verb} " in ended.out


@pytest.mark.parametrize(
    ("line", "help"),
    [
        ("init --gpus 8 --nodes 4", "write `specgen init --gpu 8 --pods 4`"),
        ("init --nodes 4", "write `specgen init --pods 4`"),
        (
            "init job --nodes=4 --gpus-per-node=8 -- python t.py",
            "write `specgen init job --pods=4 --gpu=8 -- python t.py`",
        ),
        ("init job --nodes 4 --num-nodes 4", "there is `--pods`"),
        ("init base", "a base is a few words of a job with `kind: Base`"),
        ("explain --nodelist", "without the dashes: `specgen explain nodelist`"),
        ("build -f job.yaml", "files stand by themselves: `specgen build job.yaml`"),
        ("fix --file=job.yaml", "files stand by themselves: `specgen fix job.yaml`"),
    ],
)
def test_options_of_other_tools_lead_to_the_line(line: str, help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(line.split()) == 2
    assert f"= help: {help}" in capsys.readouterr().err


def test_verbs_of_other_tools_lead_to_what_does_it(capsys: pytest.CaptureFixture[str]) -> None:
    others = {**ELSEWHERE, **INSTEAD}
    assert len(others) == len(ELSEWHERE) + len(INSTEAD) and not {*others, *BACKWARD} & {*VERBS}
    for word in (*others, *BACKWARD):
        assert main([word]) == 2
        said = capsys.readouterr().err
        # each command that is named is one
        named = re.findall(r"specgen ([a-z]+)", said)
        assert set(named) <= {*VERBS, "help"}, (word, named)
        assert "= help: " in said and "lists all commands" not in said, word


@pytest.mark.parametrize(
    "words",
    [("build",), ("lint",), ("init", "nonsense")],
    ids=lambda words: " ".join(words),
)
def test_what_argparse_refuses(words: tuple[str, ...]) -> None:
    ended = specgen(*words, cwd=FILES)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("usage: specgen")


@pytest.mark.parametrize("option", ["--nonsense", "--format=xml", "--forma=json", "--set", "-x"])
def test_options_that_do_not_exist(option: str) -> None:
    ended = specgen("build", "job.yaml", option, cwd=FILES)
    assert (ended.code, ended.out) == (2, "")
    assert option.partition("=")[0] in ended.err


@pytest.mark.parametrize("words", [("init",), ("init", "job")], ids=" ".join)
def test_the_first_profile_builds_as_it_is(tmp_path: Path, words: tuple[str, ...]) -> None:
    printed = specgen(*words, cwd=tmp_path)
    assert (printed.code, printed.err.count("\n")) == (0, 1)
    (tmp_path / "job.yaml").write_text(printed.out)
    built = specgen("build", "job.yaml", cwd=tmp_path)
    assert (built.code, built.err) == (0, "")
    assert yaml.safe_load(built.out)["kind"] == "PyTorchJob"


def test_the_first_cluster_profile_serves_the_first_job(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(specgen("init", cwd=tmp_path).out)
    (tmp_path / "cluster.yaml").write_text(specgen("init", "cluster", cwd=tmp_path).out)
    built = specgen("build", "job.yaml", "--cluster", "cluster.yaml", "--set", "resources.hca=auto", cwd=tmp_path)
    # begun without a cluster, it has an image for any: for adapters it takes another one
    assert built.code == 0
    assert [line.split()[1:2] for line in built.err.splitlines()] == [["warning[SG447]"]]
    assert "rdma/hca" in built.out


def test_every_schema_has_a_name() -> None:
    ended = specgen("schema", cwd=FILES)
    assert (ended.code, ended.err) == (0, "")
    files = {path.stem for path in (ROOT / "schemas/k8s").glob("*/*.json")}
    assert files | {"job", "cluster", "trainjob", "msjob"} <= set(ended.out.split())
    assert "mpijob" not in ended.out.split()


def test_an_unknown_schema_is_answered_with_the_nearest_name() -> None:
    ended = specgen("schema", "trainjobs", cwd=FILES)
    assert (ended.code, ended.out) == (2, "")
    assert "there is no schema `trainjobs`" in ended.err
    assert "`trainjob`" in ended.err


@pytest.mark.parametrize("name", ["job", "cluster", "PyTorchJob", "mpijob_v2beta1", "trainjob"])
def test_schemas(name: str) -> None:
    ended = specgen("schema", name, cwd=FILES)
    assert (ended.code, ended.err) == (0, "")
    schema = json.loads(ended.out)
    Draft202012Validator.check_schema(schema)
    assert ended.out.endswith("\n")


def test_the_schema_of_jobs_takes_the_profiles_of_the_checkout() -> None:
    validator = Draft202012Validator(json.loads(specgen("schema", "job", cwd=FILES).out))
    for file in sorted((ROOT / "profiles" / "jobs").glob("*.yaml")):
        assert list(validator.iter_errors(yaml.safe_load(file.read_text()))) == []


def test_a_code_by_its_name_or_in_small_letters() -> None:
    page = specgen("explain", "SG003", cwd=FILES)
    assert page.code == 0
    assert specgen("explain", "duplicate-key", cwd=FILES).out == page.out
    assert specgen("explain", "sg003", cwd=FILES).out == page.out


@pytest.mark.parametrize(
    ("env", "coloured"),
    [
        ({}, False),
        ({"FORCE_COLOR": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
    ],
)
def test_colour(env: dict[str, str], coloured: bool) -> None:
    plain = specgen("lint", "broken.yaml", "--format=human", cwd=FILES)
    ended = specgen("lint", "broken.yaml", "--format=human", cwd=FILES, env=env)
    assert ended.code == 1
    assert ("\x1b[" in ended.out) == coloured
    for sign in ("\x1b[31m", "\x1b[1m", "\x1b[34m", "\x1b[36m", "\x1b[33m", "\x1b[2m", "\x1b[0m"):
        ended.out = ended.out.replace(sign, "")
    assert ended.out == plain.out


@pytest.mark.parametrize("format", ["concise", "json"])
def test_colour_is_for_people_only(format: str) -> None:
    ended = specgen("lint", "broken.yaml", f"--format={format}", cwd=FILES, env={"FORCE_COLOR": "1"})
    assert "\x1b" not in ended.out


def test_quiet_silences_success_only() -> None:
    assert specgen("lint", "job.yaml", cwd=FILES).err == "1 file clean\n"
    assert specgen("lint", "job.yaml", "-q", cwd=FILES).err == ""
    assert specgen("lint", "broken.yaml", "-q", cwd=FILES).out == specgen("lint", "broken.yaml", cwd=FILES).out


def test_formats_agree() -> None:
    concise = specgen("lint", "broken.yaml", "manifest.yaml", "--format=concise", cwd=FILES).out.splitlines()
    human = specgen("lint", "broken.yaml", "manifest.yaml", "--format=human", cwd=FILES).out
    found = json.loads(specgen("lint", "broken.yaml", "manifest.yaml", "--format=json", cwd=FILES).out)["diagnostics"]
    assert len(concise) == len(found)
    for line, one in zip(concise, found, strict=True):
        start, help = one["primary"]["start"], first_help(one)
        place = f"{one['primary']['file']}:{start['line']}:{start['column']}"
        assert line == f"{place}: {one['severity']}[{one['code']}] {one['message']}{f' ({help})' if help else ''}"
        assert f"{one['severity']}[{one['code']}]: {one['message']}\n" in human
        assert f"--> {place}\n" in human


def test_out_and_check(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_bytes((FILES / "job.yaml").read_bytes())

    def out(*more: str) -> tuple[int, str, str]:
        ended = specgen("build", "job.yaml", "--out", "out", *more, cwd=tmp_path)
        return ended.code, ended.out, ended.err

    code, listed, _ = out("--check")
    assert code == 1
    missing = listed.splitlines()
    assert missing and all(line.startswith("missing  ") for line in missing)
    assert not (tmp_path / "out").exists()
    assert out() == (0, "", f"1 job in out: {len(missing)} files written, 0 unchanged\n")
    assert out() == (0, "", f"1 job in out: 0 files written, {len(missing)} unchanged\n")
    assert out("-q") == (0, "", "")
    assert out("--check") == (0, "", f"{len(missing)} files in out up to date\n")
    missing.remove("missing  .specgen-owned")
    first = tmp_path / "out" / missing[0].removeprefix("missing  ")
    first.write_text("changed\n")
    (tmp_path / "out" / "b\x1b[31m.txt").write_text("foreign\n")
    code, listed, _ = out("--check")
    edited = f"foreign  {missing[0][9:]}: edited since specgen wrote it"
    assert (code, listed.splitlines()) == (1, ["foreign  b\\u{1b}[31m.txt", edited])
    assert out()[0] == 1
    assert out("--force")[0] == 0
    assert (tmp_path / "out" / "b\x1b[31m.txt").read_text() == "foreign\n"


def test_expand_reads_the_blocks_of_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    job = (
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: NAME}\nspec: {pytorchReplicaSpecs: {Worker: "
        '{replicas: 2, template: {spec: {containers: [{name: pytorch, image: "example/train:1"}]}}}}}\n'
    )
    blocks = [f"Text.\n\n```yaml\n{job.replace('NAME', name)}```\n" for name in ("one", "two")]
    (tmp_path / "notes.md").write_text("\n".join(blocks), "utf-8")
    assert main(["expand", str(tmp_path / "notes.md")]) == 0
    out = capsys.readouterr().out
    assert "one-worker-0..1" in out and "two-worker-0..1" in out
