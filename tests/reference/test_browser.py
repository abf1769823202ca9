"""The reference as one file, opened from disk by a real browser: searched, by keyboard, in the dark, offline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from specgen.cli.main import main
from tests.reference.browser import Browser, program

pytestmark = pytest.mark.browser

_SHOWN = "[...document.querySelectorAll('article:not([hidden])')].map(one => one.dataset.name)"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("reference") / "reference.html"
    assert main(["explain", "--all", "--html", str(file)]) == 0
    return file


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    path = program()
    if path is None:
        pytest.skip("no chromium on the path: `apt-get install chromium`")
    browser = Browser(path, tmp_path_factory.mktemp("chromium"))
    yield browser
    browser.close()


@pytest.fixture
def browser(chromium: Browser, page: Path) -> Browser:
    chromium.open(page.as_uri())
    return chromium


def test_what_is_typed_is_found(browser: Browser) -> None:
    every = browser.value(f"{_SHOWN}.length")
    assert every > 400
    assert browser.value("document.activeElement.id") == "search"
    browser.type("scheduling.gang")
    assert browser.value(_SHOWN) == ["scheduling.gang", "cluster.scheduling.gang"]
    assert browser.value("document.getElementById('count').textContent") == f"2 of {every}"
    assert browser.value("[...document.querySelectorAll('section')].filter(one => !one.hidden).length") == 2
    browser.press("Escape", 27)
    assert browser.value(f"{_SHOWN}.length") == every
    # what is no name is looked for in the text
    browser.type("nodeselector scheduling.nodelabels")
    assert "nodeSelector, replicas, …" in browser.value(_SHOWN)
    browser.press("Escape", 27)
    browser.type("qwzx")
    assert browser.value(_SHOWN) == []


def test_the_keyboard_goes_everywhere(browser: Browser) -> None:
    browser.type("mounts.")
    found = browser.value(_SHOWN)
    browser.press("ArrowDown", 40)
    assert browser.value("document.activeElement.dataset.name") == found[0]
    browser.press("j", 74)
    assert browser.value("document.activeElement.dataset.name") == found[1]
    browser.press("k", 75)
    browser.press("ArrowUp", 38)
    assert browser.value("document.activeElement.id") == "search"
    browser.press("ArrowDown", 40)
    browser.press("/", 191)
    assert browser.value("document.activeElement.id") == "search"


def test_the_page_is_dark_where_people_want_it(browser: Browser) -> None:
    ground = "getComputedStyle(document.body).backgroundColor"
    found = {}
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        found[scheme] = browser.value(ground)
    assert found == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}


def test_nothing_is_fetched_and_links_lead_somewhere(browser: Browser) -> None:
    assert browser.value("performance.getEntriesByType('resource').length") == 0
    leads = "one => document.getElementById(decodeURIComponent(one.hash.slice(1)))"
    dead = f"[...document.querySelectorAll('a')].filter(one => !({leads})(one)).length"
    assert browser.value(dead) == 0
    ids = "[...document.querySelectorAll('[id]')].map(one => one.id)"
    assert browser.value(f"{ids}.length === new Set({ids}).size")
    # wide code scrolls by itself, and never the page
    assert browser.value("document.documentElement.scrollWidth <= window.innerWidth")


def test_the_page_is_text_without_scripts(browser: Browser, page: Path) -> None:
    browser.ask("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page.as_uri())
    assert browser.value(f"{_SHOWN}.length") > 400
