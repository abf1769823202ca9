"""The reference as one HTML file: text first, searchable, without network, for the keyboard, light and dark.

Without JavaScript it is a page to read; with it, what is typed leaves only what holds it, names first.
"""

from __future__ import annotations

from html import escape

from specgen.reference.page import Code
from specgen.version import GENERATOR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.reference.page import Block, Page

_STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#59636e;--ground:#fff;--code:#f3f4f6;--line:#d1d9e0;--mark:#0550ae}
@media(prefers-color-scheme:dark){
:root{--ink:#e6edf3;--soft:#9198a1;--ground:#0d1117;--code:#161b22;--line:#3d444d;--mark:#79c0ff}}
*{box-sizing:border-box}
body{margin:0 auto;padding:0 1rem 4rem;max-width:60rem;font:16px/1.5 system-ui,sans-serif;color:var(--ink);
background:var(--ground)}
header{position:sticky;top:0;background:var(--ground);padding:.6rem 0;border-bottom:1px solid var(--line);z-index:1}
input{width:100%;font:inherit;padding:.4rem .6rem;color:inherit;background:var(--code);border:1px solid var(--line);
border-radius:6px}
input:focus-visible,a:focus-visible,article:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
#count{color:var(--soft);font-size:.85rem}
article{border-bottom:1px solid var(--line);padding:.4rem 0 1rem;scroll-margin-top:6rem}
h3{margin:.8rem 0 .2rem;font-family:ui-monospace,monospace;overflow-wrap:anywhere}
h3 a{color:inherit;text-decoration:none}
h4{margin:.8rem 0 .2rem;font-size:.9rem;color:var(--soft)}
p,ul{margin:.2rem 0}
.about{color:var(--soft);font-size:.85rem}
code,pre{font-family:ui-monospace,monospace;font-size:.88em;background:var(--code);border-radius:4px}
code{padding:.1em .25em;overflow-wrap:anywhere}
pre{padding:.5rem .7rem;overflow-x:auto;margin:.3rem 0}
[hidden]{display:none}
"""
_SCRIPT = """
"use strict";
const field = document.getElementById("search"), count = document.getElementById("count");
const articles = [...document.querySelectorAll("article")];
const entries = articles.map(one => ({one, name: one.dataset.name.toLowerCase(), text: one.textContent.toLowerCase()}));
function look() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const named = entries.filter(entry => words.every(word => entry.name.includes(word)));
  const found = new Set(named.length ? named : entries.filter(entry => words.every(word => entry.text.includes(word))));
  for (const entry of entries) entry.one.hidden = !found.has(entry);
  for (const part of document.querySelectorAll("section"))
    part.hidden = !part.querySelector("article:not([hidden])");
  count.textContent = words.length ? `${found.size} of ${entries.length}` : `${entries.length} pages`;
}
function step(by) {
  const shown = articles.filter(one => !one.hidden);
  const next = shown[shown.indexOf(document.activeElement) + by];
  if (next) { next.focus(); next.scrollIntoView({block: "start"}); }
  else if (by < 0) { field.focus(); window.scrollTo(0, 0); }
}
field.addEventListener("input", look);
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = document.activeElement === field;
  if (event.key === "/" && !typing) { event.preventDefault(); field.focus(); field.select(); }
  else if (event.key === "Escape") { field.value = ""; look(); field.focus(); }
  else if (event.key === "ArrowDown" || (event.key === "j" && !typing)) { event.preventDefault(); step(1); }
  else if (event.key === "ArrowUp" || (event.key === "k" && !typing)) { event.preventDefault(); step(-1); }
});
look();
if (!location.hash) field.focus();
"""


def html(head: str, chapters: list[tuple[str, list[Page]]]) -> str:
    """The whole file. ``head``: what stands above the chapters, paragraphs apart by an empty line."""
    lead = "".join(f"<p>{_inline(part)}</p>\n" for part in head.strip().split("\n\n"))
    body = "".join(_chapter(heading, pages) for heading, pages in chapters)
    return (
        f'<!doctype html>\n<html lang="en" {GENERATOR}>\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'\">\n"
        f"<title>specgen: reference</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        f"<h1>specgen: reference</h1>\n{lead}"
        '<header role="search"><label for="search">Search (press /; arrows or j and k go from page to page; Esc begins '
        'anew)</label>\n<input id="search" type="search" autocomplete="off" spellcheck="false">\n'
        '<span id="count" role="status"></span></header>\n'
        f"<main>\n{body}</main>\n<script>{_SCRIPT}</script>\n</body>\n</html>\n"
    )


def _chapter(heading: str, pages: list[Page]) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(map(_article, pages))}</section>\n"


def _article(page: Page) -> str:
    name = escape(page.name, quote=True)
    anchor = name.replace(" ", "-")
    parts = [
        f'<article id="{anchor}" data-name="{name}" tabindex="-1">\n<h3><a href="#{anchor}">{name}</a></h3>\n'
        f'<p>{_inline(page.lead)} <span class="about">{_inline(page.about)}</span></p>\n'
    ]
    for heading, blocks in page.sections:
        parts.append(f"<h4>{escape(heading)}</h4>\n{''.join(map(_block, blocks))}")
    return "".join([*parts, "</article>\n"])


def _block(block: Block) -> str:
    if isinstance(block, Code):
        return f"<pre>{escape(block.text, quote=False)}</pre>\n"
    if isinstance(block, list):
        return "<ul>\n" + "".join(f"<li>{_inline(item)}</li>\n" for item in block) + "</ul>\n"
    return f"<p>{_inline(block)}</p>\n"


def _inline(text: str) -> str:
    """Text whose backticks are code."""
    parts = escape(text, quote=False).split("`")
    return "".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts))
