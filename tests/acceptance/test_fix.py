"""`specgen fix --unsafe` on what real people wrote wrong: what becomes of it, and what is left.

The manifests of the sources, and those of public threads that somebody refused. `fix.yaml` lists each file in which an
error is left, with the reason why no edit is offered.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from specgen.cli.files import DiskFiles, opened
from specgen.diagnostics.model import ERROR
from specgen.session import Session
from specgen.session.repair import Repair, repair

LEFT: dict[str, dict[str, Any]] = YAML(typ="safe").load((Path(__file__).parent / "fix.yaml").read_text())


def mended(folder: Path) -> Repair:
    """What comes of all files of a folder."""

    def lint(files: Any) -> Session:
        session = opened(files=files)
        session.lint([str(folder)])
        return session

    return repair(DiskFiles(), lint, unsafe=True, fixed=lambda name: True)


@cache
def outcome(folder: Path) -> Repair:
    """The same, worked out once."""
    return mended(folder)


def tree(folder: Path, name: str) -> Any:
    """The first document of a file after it was mended."""
    for file, (_, after) in outcome(folder).changed.items():
        if Path(file).name.startswith(name):
            return next(iter(YAML(typ="safe").load_all(after.text)))
    raise AssertionError(f"{name} was not mended")


def test_variables_that_were_filed_under_mounts_are_variables(shared: Path) -> None:
    roles = tree(shared / "sources/manifests", "000-1")["spec"]["pytorchReplicaSpecs"]
    (container,) = roles["Worker"]["template"]["spec"]["containers"]
    values = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert values["NCCL_DEBUG"] == "INFO" and values["LD_PRELOAD"] == "/opt/nccl-2.4.8-1/lib/libnccl.so"
    assert all("mountPath" in mount for mount in container["volumeMounts"])
    assert container["name"] == "pytorch"


def test_two_templates_are_one(shared: Path) -> None:
    for role in tree(shared / "sources/manifests", "002-1")["spec"]["pytorchReplicaSpecs"].values():
        template = role["template"]
        assert template["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": "parrots-dist-mnist-nccl"}
        assert template["spec"]["schedulerName"] == "sense-rubber"
        assert set(template) == {"metadata", "spec"}


# Where it is read, it lets parameter servers run on for ever: they are deleted.
@pytest.mark.parametrize(("name", "policy"), [("003-3", "None"), ("003-4", "Running")])
def test_what_becomes_of_pods_stands_where_it_is_read(shared: Path, name: str, policy: str) -> None:
    spec = tree(shared / "sources/manifests", name)["spec"]
    assert spec["runPolicy"]["cleanPodPolicy"] == policy and "cleanPodPolicy" not in spec


@pytest.mark.parametrize("folder", ["sources/manifests", "corpus/broken", "findings/cases/lint"])
def test_what_is_left_has_a_reason(shared: Path, folder: str) -> None:
    done = outcome(shared / folder)
    left: dict[str, set[str]] = {}
    for one in done.session.found():
        if one["severity"] == ERROR:
            left.setdefault(Path(one["primary"]["file"]).name, set()).add(one["code"])
    assert {name: sorted(found) for name, found in sorted(left.items())} == {
        name: sorted(one["codes"]) for name, one in sorted(LEFT.get(folder, {}).items())
    }
    assert not done.failed


@pytest.mark.soak
def test_a_second_run_finds_nothing_to_do(shared: Path, tmp_path: Path) -> None:
    shutil.copytree(shared / "corpus", tmp_path / "corpus")
    first = mended(tmp_path / "corpus")
    assert len(first.changed) > 50
    for file, (before, after) in first.changed.items():
        assert before.text != after.text
        Path(file).write_text("\ufeff" * after.bom + after.text, newline="")
    assert not mended(tmp_path / "corpus").changed
