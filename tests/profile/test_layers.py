"""Layers, nulls, variables and what becomes of the command line, as a table: profiles in, words and fields out."""

from __future__ import annotations

import posixpath
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.diagnostics.model import Finding
from specgen.pipeline import Result, compile_job, compile_source
from specgen.profile.library import Library
from specgen.profile.settings import BadSetting
from specgen.source import Source, dotted

TABLES = [Path(__file__).with_name(name) for name in ("layers.yaml", "words.yaml")]
CASES: list[dict[str, Any]] = [case for path in TABLES for case in yaml.safe_load(path.read_text("utf-8"))]
NEEDED: dict[str, Any] = {
    "kind": "Job",
    "metadata": {"name": "a"},
    "target": "PyTorchJob",
    "image": "a:1",
    "command": ["train"],
}


class Texts:
    """Profiles by name, held in memory."""

    def __init__(self, files: dict[str, dict[str, Any]]) -> None:
        envelope = {"apiVersion": "specgen/v1"}
        self.files = {name: yaml.safe_dump({**envelope, **data}, sort_keys=False) for name, data in files.items()}

    def join(self, name: str, beside: str) -> str:
        return posixpath.normpath(posixpath.join(posixpath.dirname(beside), name))

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        return Source(name, self.files[name]), []

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        return self.files[name].encode(), []


def compiled(case: dict[str, Any]) -> Result:
    job = {**NEEDED, **case["files"]["job.yaml"]}
    job["metadata"] = {**NEEDED["metadata"], **job["metadata"]}
    files = Texts({**case["files"], "job.yaml": job})
    source, _ = files.read("job.yaml")
    assert source is not None
    return compile_source(source, Library(files), settings=case.get("set", ()))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_layers(case: dict[str, Any]) -> None:
    result = compiled(case)
    # what rules find in the manifests is no business of layers
    found = [f"{d['code']} {d['path']}" for d in result.diagnostics if d["code"][2] in "012"]
    assert found == case.get("findings", [])
    if result.failed:
        return
    (one,) = result.compiled
    assert one.bundle is not None
    tree = one.bundle.manifests[0].tree
    if "words" in case:
        words = {key: value for key, value in one.job.layers.data.items() if key not in {*NEEDED, "apiVersion"}}
        assert words == case["words"]
    assert one.job.name == case.get("name", "a") == tree["metadata"]["name"]
    _fields(tree["metadata"], case.get("metadata", {}))
    _fields(tree["spec"], case.get("spec", {}))
    roles = tree["spec"]["pytorchReplicaSpecs"]
    for role in roles.values():
        _fields(role["template"], case.get("template", {}))
        _fields(role["template"]["spec"], case.get("pod", {}))
    for name, wanted in case.get("roles", {}).items():
        container = dict(roles[name]["template"]["spec"]["containers"][0])
        container["env"] = {entry["name"]: entry["value"] for entry in container.get("env", [])}
        _fields(container, wanted)


def _fields(tree: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Each wanted field with its value; null means that it is absent."""
    assert {key: tree.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("pods", "`pods` is no setting: write `path=value`"),
        ("podz=2", "`podz` is no field of a job profile: there is no `podz`"),
        ("resources.gpus=2", "`resources.gpus` is no field of a job profile: there is no `gpus`"),
        ("pods.x=2", "nothing stands below `pods`"),
        ("env[A=2", "the bracket in `env[A` is not closed"),
        ("env..A=2", "the path `env..A` has an empty name"),
        (
            "args=[a",
            "the value in `args=[a` cannot be used: the `[` that opens here is never closed",
        ),
    ],
)
def test_a_setting_that_is_none(setting: str, message: str) -> None:
    case = {"files": {"job.yaml": {}}, "set": [setting]}
    with pytest.raises(BadSetting) as caught:
        compiled(case)
    assert str(caught.value) == message


def test_the_note_on_a_patch_names_the_field_that_it_changes() -> None:
    text = _text({"workdir": "/a", "patch": {"container": {"workingDir": "/b"}}})
    (note,) = compile_job(text).diagnostics
    assert (note["code"], note["severity"]) == ("SG220", "note")
    lines = text.splitlines()
    assert [lines[related["start"]["line"] - 1] for related in note["related"]] == ["workdir: /a"]
    assert lines[note["primary"]["start"]["line"] - 1].strip() == "workingDir: /b"


def test_prepare_and_prepend_do_what_they_say(tmp_path: Path) -> None:
    """The command line through Kubernetes' expansion and a real shell: the program takes the shell's place."""
    prepare = 'NAME=$(echo "from the shell")\nexport NAME\nTWO=$$\ntest "$TWO" -gt 1\n'
    program = ["/bin/sh", "-c", 'echo "$NAME|$WHERE|$1|$$"', "program", "$(HOME) stays"]
    env = {"WHERE": {"prepend": "/opt/it's/$(BASE) $HOME"}, "BASE": "base"}
    result = compile_job(_text({"prepare": prepare, "command": program, "env": env}))
    assert not result.failed, result.diagnostics
    assert result.compiled[0].bundle is not None
    roles = result.compiled[0].bundle.manifests[0].tree["spec"]["pytorchReplicaSpecs"]
    container = roles["Master"]["template"]["spec"]["containers"][0]
    own = {entry["name"]: entry["value"] for entry in container["env"]}
    argv = [_expanded(word, own) for word in container["command"]]
    image = {"PATH": "/usr/bin:/bin", "WHERE": "/image"}
    done = subprocess.run(argv, env={**image, **own}, capture_output=True, cwd=tmp_path, check=True, timeout=60)
    # Kubernetes reads the program's own words too: `$$` in them is one sign, an unknown `$(HOME)` stays
    assert done.stdout.decode() == "from the shell|/opt/it's/base $HOME:/image|$(HOME) stays|$\n"


def test_a_failing_prepare_stops_the_pod_with_its_code() -> None:
    result = compile_job(_text({"prepare": "exit 3", "command": ["true"]}))
    assert result.compiled[0].bundle is not None
    roles = result.compiled[0].bundle.manifests[0].tree["spec"]["pytorchReplicaSpecs"]
    command = roles["Master"]["template"]["spec"]["containers"][0]["command"]
    assert subprocess.run(command, check=False, timeout=60).returncode == 3


def _text(words: dict[str, Any]) -> str:
    return yaml.safe_dump({"apiVersion": "specgen/v1", **NEEDED, **words})


def _expanded(text: str, known: dict[str, str]) -> str:
    """What Kubernetes expands in commands (third_party/forked/golang/expansion): ``$(NAME)``; ``$$`` is one sign."""
    out = ""
    at = 0
    while at < len(text):
        if text[at] != "$" or at + 1 == len(text):
            out += text[at]
            at += 1
        elif text[at + 1] == "$":
            out += "$"
            at += 2
        elif text[at + 1] == "(" and ")" in text[at:]:
            end = text.index(")", at)
            name = text[at + 2 : end]
            out += known.get(name, text[at : end + 1])
            at = end + 1
        else:
            out += text[at : at + 2]
            at += 2
    return out


def test_dotted_paths_of_these_cases_read_well() -> None:
    assert dotted(("mounts", "/dev/shm")) == "mounts[/dev/shm]"
