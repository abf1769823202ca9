"""Every node of every sample with every odd value: a finding at its place, whatever the verb; never a bug.

Of nearly two million cases the same few are run each time, and more of them by `pytest -m fuzz`;
`python -m tests.bad.every_node --whole` runs all of them, and `… --whole profiles 0/4` a quarter of one set.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.bad.every_node import (
    NODES,
    SETS,
    Path_,
    check,
    copied,
    failures,
    parts,
    profiles,
    replaced,
    runtimes,
    specgen,
)

# Set → of how many cases one is run under the mark.
OF = {"profiles": 97, "parts": 53, "settings": 97, "runtimes": 53, "manifests": 499}


# What once ended with a bug: file, path, value.
ONCE: list[tuple[str, Path_, Any]] = [
    ("ms.yaml", ("patch", "pod", "spec"), " "),
    ("ms.yaml", ("start",), " "),
    ("base.yaml", ("lifecycle", "ttl"), " "),
    ("ms.yaml", ("patch", "container", "env"), "-1"),
    ("ms.yaml", ("patch", "container", "env"), [None]),
    ("ms.yaml", ("patch", "container", "env", 0, "name"), None),
    ("patched.yaml", ("patch", "pod", "spec"), None),
    ("patched.yaml", ("patch", "pod", "spec", "containers"), None),
    ("patched.yaml", ("patch", "container", "env", 0, "name"), ["x"]),
    ("over.yaml", ("patch", "pod", "spec"), "a"),
    ("over.yaml", ("patch", "pod", "spec"), None),
    ("trainjob.yaml", ("patch", "pod", "spec"), "a"),
    ("mpi1.yaml", ("roles", "launcher", "patch", "pod", "spec", "hostname"), [{"name": "a"}]),
    ("runtime.yaml", ("spec", "template", "spec", "replicatedJobs", 0, "name"), [{}]),
    ("trainjob-by-hand.yaml", ("spec", "trainer", "env", 0), None),
    ("cluster.yaml", ("pools", "gpu"), None),
    ("cluster.yaml", ("storage", "datasets"), None),
    ("cluster.yaml", ("pools", "gpu", "fabric", "adds", "env", "LD_LIBRARY_PATH", "prepend"), None),
    ("trainjob-by-hand.yaml", ("spec",), [{"name": None}]),
    ("trainjob-by-hand.yaml", ("metadata",), "$(A)"),
]


@pytest.mark.parametrize(("file", "path", "value"), ONCE, ids=lambda one: str(one)[:60])
def test_what_once_failed(file: str, path: Path_, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(copied(NODES, tmp_path))
    seeds = [seed for make in (profiles, parts, runtimes) for seed in make(Path(".")) if seed.name == file]
    assert seeds
    for seed in seeds:
        assert check((seed, 0, path, repr(value), replaced(value)), whole=True) == []


def test_samples_are_fine_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or else what is done to them would be hidden by what is wrong already."""
    monkeypatch.chdir(copied(NODES, tmp_path))
    for file in sorted(Path(".").glob("*.yaml")):
        code, _, err = specgen(*(["expand", "runtime.yaml"] if "by-hand" in file.name else ["lint"]), file.name)
        assert code == 0, (file, err)


def test_every_set_is_run() -> None:
    assert set(OF) == set(SETS)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", OF)
def test_many_cases(name: str, tmp_path: Path) -> None:
    count, failed = failures(name, tmp_path, part=3, of=OF[name])
    print(f"{name}: {count:,} cases")
    assert failed == [], "\n".join(failed)
    if not count:
        pytest.skip("the reference material is absent")
