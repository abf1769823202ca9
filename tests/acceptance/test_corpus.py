"""Real manifests of the reference material, written as profiles: those build, and equal their manifests but for review.

The profiles in `corpus/` are of these tests; each names its manifest, which stays in the material, in its first line.
Every difference stands in ``corpus.yaml`` with its reason. Where the material is absent, the tests are skipped.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

import pytest

from specgen.diagnostics.model import ERROR
from tests.acceptance.test_profiles import named
from tests.acceptance.trees import compiled, differences, leaves, load, manifests, reviewed, together

HERE = Path(__file__).parent
JOBS = {path.stem: path for path in sorted((HERE / "corpus/jobs").glob("*.yaml"))}
REVIEW = load(HERE / "corpus.yaml")


def _sides(path: Path, shared: Path) -> tuple[dict[str, Any], dict[str, Any], list[str]]:
    """The manifest that a profile names and the built one, ready to compare, and the codes of the warnings."""
    (file,) = named(path)
    sources, codes = manifests(shared / file)
    assert codes == []
    result = compiled(path)
    assert [one for one in result.diagnostics if one["severity"] == ERROR] == []
    bundle = result.compiled[0].bundle
    assert bundle is not None
    left, right = together(sources, names=False), together([bundle.job.tree], names=False)
    return left, right, [one["code"] for one in result.diagnostics]


@pytest.mark.parametrize("name", sorted(JOBS))
def test_a_profile_comes_to_its_manifest_but_for_reviewed_differences(name: str, shared: Path) -> None:
    left, right, warned = _sides(JOBS[name], shared)
    review = REVIEW["built"][name]
    wrong = reviewed(differences(left, right), review["differences"])
    assert not wrong, "\n".join(wrong)
    assert warned == review.get("warned", [])


def test_the_numbers_of_these_profiles(shared: Path) -> None:
    assert list(REVIEW["built"]) == list(JOBS)
    texts = {name: path.read_text("utf-8") for name, path in JOBS.items()}
    sources = {name: (shared / named(path)[0]).read_text("utf-8") for name, path in JOBS.items()}
    numbers = {
        "profiles": len(JOBS),
        "fields compared": sum(leaves(_sides(path, shared)[0]) for path in JOBS.values()),
        "with a patch": sum("patch:" in text for text in texts.values()),
    }
    ratios = [len(texts[name].splitlines()) / len(sources[name].splitlines()) for name in JOBS]
    print(*(f"{what}: {number}" for what, number in numbers.items()), sep="\n")
    print(f"lines of a profile to those of its manifest, median: {statistics.median(ratios):.2f}")
    assert numbers == REVIEW["numbers"]
    assert statistics.median(ratios) < 0.3
