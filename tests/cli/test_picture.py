"""The picture of `specgen fit`: well-formed, without other files, told in words, and looked at by a real browser."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from specgen.cli.main import main
from tests.reference.browser import Browser, program

FILES = Path(__file__).parent / "files" / "fit"
_SVG = "{http://www.w3.org/2000/svg}"


def drawn(option: str, file: Path) -> Path:
    """The file that the verb draws of four jobs on three nodes."""
    words = ["fit", str(FILES / "jobs.yaml"), "--world", str(FILES / "world.yaml"), option, str(file)]
    assert main([*words, "--usage", str(FILES / "usage.yaml")]) == 1
    return file


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
def test_a_browser_shows_the_page(browser: Browser, tmp_path: Path) -> None:
    browser.open(drawn("--html", tmp_path / "a.html").as_uri())
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
    shown = browser.ask("Page.captureScreenshot", format="png")
    picture = base64.b64decode(shown["data"])
    (tmp_path / "page.png").write_bytes(picture)
    assert picture.startswith(b"\x89PNG") and len(picture) > 5_000
