"""Pod Security: each control at each level, in containers and in init containers."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators.kubernetes.pod_security import refused

TABLE = yaml.safe_load((Path(__file__).parent / "pod_security.yaml").read_text())


def over(base: Any, words: Any) -> Any:
    """A tree with the words of another over it; null takes away."""
    if not isinstance(base, dict) or not isinstance(words, dict):
        return words
    merged = {**base, **{key: over(base.get(key), value) for key, value in words.items()}}
    return {key: value for key, value in merged.items() if value is not None or key == "hostPath"}


def pod_of(case: dict[str, Any], groups: tuple[str, ...]) -> dict[str, Any]:
    """The pod of a case, with its words for a container in one container of each group."""
    pod: dict[str, Any] = over(deepcopy(TABLE["of"]), case.get("pod", {}))
    container = over(pod["spec"]["containers"][0], case.get("container", {}))
    pod["spec"].update({group: [deepcopy(container)] for group in groups})
    return pod


def found(pod: dict[str, Any], *, strict: bool) -> list[str]:
    return sorted(".".join(map(str, path)) for path, _ in refused(pod, strict=strict))


@pytest.mark.parametrize("groups", [("containers",), ("containers", "initContainers")], ids=len)
@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: str(case["name"]))
def test_a_level_refuses_what_it_refuses_and_nothing_else(case: dict[str, Any], groups: tuple[str, ...]) -> None:
    def places(path: str) -> list[str]:
        if path.startswith("spec.containers.0."):
            return [path.replace("containers", group) for group in groups]
        return [path] if path.startswith(("spec.", "metadata.")) else [f"spec.{group}.0.{path}" for group in groups]

    pod = pod_of(case, groups)
    baseline, more = (
        [place for path in case.get(level, ()) for place in places(path)] for level in ("baseline", "restricted")
    )
    assert found(pod, strict=False) == sorted(baseline)
    # what the lower level refuses the higher one refuses too
    assert found(pod, strict=True) == sorted(baseline + more)


def test_each_control_refuses_and_takes_something_at_each_level() -> None:
    refusing = [level for case in TABLE["cases"] for level in ("baseline", "restricted") if level in case]
    assert refusing.count("baseline") >= 18 and refusing.count("restricted") >= 9
    assert sum("baseline" not in case and "restricted" not in case for case in TABLE["cases"]) >= 18


@pytest.mark.parametrize(
    "pod", [{}, {"spec": None}, {"spec": {"containers": [None, 3], "volumes": {"a": 1}}, "metadata": 1}]
)
def test_odd_pods_break_nothing(pod: dict[str, Any]) -> None:
    assert all(path[0] in ("spec", "metadata") for path, _ in refused(pod, strict=True))
