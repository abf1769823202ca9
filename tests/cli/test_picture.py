"""The picture of `specgen fit`: well-formed, without other files, told in words, and looked at by a real browser."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from specgen.cli.main import main
from specgen.cli.picture import text
from specgen.schedulers.fit import fit
from specgen.schedulers.world import World
from tests.reference.browser import Browser, program
from tests.schedulers.test_fit import job, nodes

FILES = Path(__file__).parent / "files" / "fit"
_SVG = "{http://www.w3.org/2000/svg}"


def drawn(option: str, file: Path) -> Path:
    """The file that the verb draws of four jobs on three nodes."""
    words = ["fit", str(FILES / "jobs.yaml"), "--world", str(FILES / "world.yaml"), option, str(file)]
    assert main([*words, "--usage", str(FILES / "usage.yaml")]) == 1
    return file


def test_what_is_unknown_is_not_drawn_as_placed() -> None:
    tree = job("a", 2)
    container = tree["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    world = World([nodes("gpu", 1)])
    world.partial = True
    answers = fit(world, [tree])
    assert (answers[0].verdict, "[AAAAAAAA]" in text(world, answers)) == ("never", True)
    container["resources"]["limits"]["example.com/fpga"] = 1
    answers = fit(world, [job("b", 1), tree])
    assert [one.verdict for one in answers] == ["fits", "unknown"]
    assert "[AAAAAAAA]" in text(world, answers)
    answers[0].verdict = "unknown"
    assert "[AAAAAAAA]" not in text(world, answers)


def test_the_svg_says_in_words_what_it_shows(tmp_path: Path) -> None:
    root = ElementTree.parse(drawn("--svg", tmp_path / "a.svg")).getroot()
    titles = [one.text for one in root.iter(f"{_SVG}title")]
    assert titles == [
        "Where jobs stand",
        "gpu-0: 8 PyTorchJob first",
        "gpu-1: 4 in use already, 4 free",
        "cpu-0: 1 MPIJob half, 1 MPIJob large",
    ]
    told = root.find(f"{_SVG}desc")
    assert told is not None and "MPIJob half: waits: 0/3 nodes are available" in (told.text or "")
    # a cell for each device, and one for each job of the legend
    assert len([one for one in root.iter(f"{_SVG}rect") if one.get("stroke")]) == 8 + 8 + 2 + 4


def drawn_queues(option: str, file: Path) -> Path:
    """The file that the verb draws of jobs in a queue over racks: some begin, some wait, one evicts."""
    assert main(["fit", str(FILES / "racked.yaml"), "--world", str(FILES / "racks.yaml"), option, str(file)]) == 1
    return file


def test_the_queue_is_drawn_and_told(tmp_path: Path) -> None:
    root = ElementTree.parse(drawn_queues("--svg", tmp_path / "a.svg")).getroot()
    titles = [one.text for one in root.iter(f"{_SVG}title")]
    short = "asked 16, nominal 32, borrowed 8, at most 48, used 40, left 8, short by 8"
    assert f"worker, h100: nvidia.com/gpu: {short}" in titles
    assert [one for one in titles if one and one.startswith("b0")][:2] == [
        "b0: 2 pods: 16 of 32 nvidia.com/gpu free",
        "b0/r0: 0 pods: 0 of 16 nvidia.com/gpu free",
    ]
    told = root.findtext(f"{_SVG}desc") or ""
    shown = [one.text for one in root.iter(f"{_SVG}text")]
    for line in ("the quota is held by: one, two", "before it in the queue: two", "domains: worker: b0/r0 2 pods"):
        assert line in told
        assert line in shown
    assert {"it evicts two", "the queue borrows 16 of nvidia.com/gpu in flavor h100", short} <= set(shown)


def test_the_page_needs_no_other_file(tmp_path: Path) -> None:
    text = drawn("--html", tmp_path / "a.html").read_text("utf-8")
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "would help: 2 more nodes like those of gpu" in text


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Browser]:
    path = program()
    if path is None:
        pytest.skip("no chromium on the path: `apt-get install chromium`")
    opened = Browser(path, tmp_path / "chromium")
    yield opened
    opened.close()


@pytest.mark.browser
@pytest.mark.parametrize("draws", [drawn, drawn_queues])
def test_a_browser_shows_the_page(browser: Browser, tmp_path: Path, draws: Callable[[str, Path], Path]) -> None:
    browser.open(draws("--html", tmp_path / "a.html").as_uri())
    assert browser.value("document.querySelector('svg').getBoundingClientRect().width") > 300
    assert browser.value("performance.getEntriesByType('resource').length") == 0
    # each letter is inside of its cell, and the last line of the legend inside of the picture
    inside = """[...document.querySelectorAll('svg rect[stroke] + text')].every(one => {
        const cell = one.previousElementSibling.getBoundingClientRect(), own = one.getBoundingClientRect();
        return own.left >= cell.left && own.right <= cell.right && own.top >= cell.top
            && own.bottom <= cell.bottom; })"""
    assert browser.value(inside)
    bottom = "Math.max(...[...document.querySelectorAll('svg text')].map(one => one.getBoundingClientRect().bottom))"
    assert browser.value(bottom) <= browser.value("document.querySelector('svg').getBoundingClientRect().bottom")
    # no line ends outside of it, nor runs into a bar
    right = "Math.max(...[...document.querySelectorAll('svg text')].map(one => one.getBoundingClientRect().right))"
    assert browser.value(right) <= browser.value("document.querySelector('svg').getBoundingClientRect().right")
    apart = """[...document.querySelectorAll('svg g')].every(one => {
        const bars = [...one.querySelectorAll('rect')].map(bar => bar.getBoundingClientRect());
        const named = one.querySelector('title + text');
        return !named || !bars.length
            || named.getBoundingClientRect().right <= Math.min(...bars.map(bar => bar.left)); })"""
    assert browser.value(apart)
    shown = browser.ask("Page.captureScreenshot", format="png")
    picture = base64.b64decode(shown["data"])
    (tmp_path / "page.png").write_bytes(picture)
    assert picture.startswith(b"\x89PNG") and len(picture) > 5_000
