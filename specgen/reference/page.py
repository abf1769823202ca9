"""A page of the reference as blocks, which three renderings share: text for a terminal, Markdown, and HTML.

Texts of blocks hold code in backticks and nothing else of Markdown.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    # a paragraph; the items of a list; lines of code
    Block: TypeAlias = "str | list[str] | Code"


class Code:
    """Lines shown as they stand, of a language such as ``yaml``."""

    __slots__ = ("language", "text")

    def __init__(self, text: str, language: str = "") -> None:
        self.text = text.rstrip("\n")
        self.language = language


class Page:
    """One name: ``about`` says what kind of name it is, ``sections`` are headings with what stands below them."""

    __slots__ = ("about", "lead", "name", "sections")

    def __init__(self, name: str, about: str, lead: str) -> None:
        self.name = name
        self.about = about
        self.lead = lead
        self.sections: list[tuple[str, list[Block]]] = []

    def add(self, heading: str, *blocks: Block) -> None:
        """A section; empty blocks are left out, and the section with them where none is left."""
        kept = [block for block in blocks if block]
        if kept:
            self.sections.append((heading, kept))


def text(page: Page) -> str:
    """The page alone, as pages of codes are printed."""
    return f"{page.name} ({page.about})\n\n{page.lead}\n" + "".join(
        f"\n## {heading}\n{_blocks(blocks)}" for heading, blocks in page.sections
    )


def markdown(page: Page) -> str:
    """The page as a part of a larger one."""
    return f"### `{page.name}`\n\n{page.lead} *({page.about})*\n" + "".join(
        f"\n**{heading}**\n\n{_blocks(blocks)}" for heading, blocks in page.sections
    )


def _blocks(blocks: list[Block]) -> str:
    parts = []
    for block in blocks:
        if isinstance(block, Code):
            parts.append(f"```{block.language}\n{block.text}\n```\n")
        elif isinstance(block, list):
            parts.append("".join(f"- {item}\n" for item in block))
        else:
            parts.append(f"{block}\n")
    return "\n".join(parts)
