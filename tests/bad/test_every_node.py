"""Every node of every sample with every odd value: a finding at its place, whatever the verb; never a bug.

Of nearly two million cases the same few are run each time, and more of them by `pytest -m fuzz`;
`python -m tests.bad.every_node --whole` runs all of them, and `… --whole profiles 0/4` a quarter of one set.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad.every_node import SETS, failures

# Set → of how many cases one is run, always and under the mark: those of samples of the checkout, and of others.
OF: dict[str, tuple[int, int]] = {
    "profiles": (397, 13),
    "parts": (397, 13),
    "settings": (397, 13),
    "runtimes": (397, 13),
    "manifests": (4999, 149),
}


def test_every_set_is_run() -> None:
    assert set(OF) == set(SETS)


@pytest.mark.parametrize("name", OF)
def test_a_few_cases(name: str, tmp_path: Path) -> None:
    count, failed = failures(name, tmp_path, part=7, of=OF[name][0])
    assert failed == []
    if not count:
        pytest.skip("the reference material is absent")


@pytest.mark.fuzz
@pytest.mark.parametrize("name", OF)
def test_many_cases(name: str, tmp_path: Path) -> None:
    count, failed = failures(name, tmp_path, part=3, of=OF[name][1])
    print(f"{name}: {count:,} cases")
    assert failed == [], "\n".join(failed)
