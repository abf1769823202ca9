"""The picture of the README: what the lines of the sample profile become, and the pods that its operator makes of it.

Everything in it is compiled and expanded by specgen; nothing is written by hand. It is drawn in an interpreter of its
own, which reads the tables that the generators before it have just written.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from html import escape
from pathlib import Path

from specgen.diagnostics.model import article

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.becoming import Part
    from specgen.operators.expansion import Expansion

PATH = "schemas/sample.svg"
SAMPLE = "profiles/jobs/allreduce-resnet50.yaml"

_HOME = Path(__file__).resolve().parents[2]
_PROGRAM = """
import sys
from specgen.generate.picture import picture
sys.stdout.buffer.write(picture().encode())
"""
# Pixels: of the picture, of a line of text, and of a sign of the font; where the right half begins.
_WIDTH, _LINE, _SIGN, _RIGHT, _EDGE = 1000, 17, 6.65, 405, 16
_STYLE = """
text { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #1f2328 }
.head { font-weight: bold } .soft { fill: #59636e } .made { fill: #0550ae }
.paper { fill: #ffffff } .band { fill: #f6f8fa } .pod { fill: #ddf4ff; stroke: #0969da } line { stroke: #818b98 }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc } .soft { fill: #9198a1 } .made { fill: #79c0ff }
.paper { fill: #0d1117 } .band { fill: #151b23 } .pod { fill: #12325a; stroke: #4493f8 }
}
"""


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    return {PATH: _drawn()}


@cache
def _drawn() -> str:
    # what it reads does not change while this process runs, but for what the generators before it write
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], cwd=_HOME, capture_output=True, check=False)
    if ended.returncode:
        raise ValueError(ended.stderr.decode())
    return ended.stdout.decode()


def picture() -> str:
    """The SVG of the sample profile, from the repository root."""
    from specgen.cli.becoming import Quoted, Secrets, becoming
    from specgen.cli.files import MIB_OF_A_RUN, opened
    from specgen.operators.expand import expand_manifest

    session = opened(cluster=None, settings=(), variant=None, mib=MIB_OF_A_RUN)
    (result,) = session.compile([SAMPLE])
    (compiled,) = result.compiled
    assert compiled.bundle is not None and compiled.reader is not None and compiled.plan is not None
    job = compiled.bundle.job
    by_line, added = becoming(job, Secrets(job.tree), Quoted())
    expansion, _ = expand_manifest(job, compiled.reader, compiled.plan.version)
    assert expansion is not None
    lines = (_HOME / SAMPLE).read_text(encoding="utf-8").splitlines()
    ours = {number: parts for (name, number, _), parts in by_line.items() if name == SAMPLE}
    rows = [(text, ours.get(at, [])) for at, text in enumerate(lines, 1) if text.strip() and not text.startswith("#")]
    clusters = [part for (name, _, _), parts in by_line.items() if name != SAMPLE for part in parts]
    return _svg(rows, [("the cluster profile adds", clusters), ("specgen adds", added)], expansion)


def _svg(rows: list[tuple[str, list[Part]]], more: list[tuple[str, list[Part]]], expansion: Expansion) -> str:
    """rows: line of the profile → parts of the manifest; more: where further parts come from → these."""
    job = expansion.job
    said = f"{len(rows)} lines of a profile become {article(job.kind)} of {len(expansion.pods)} pods"
    drawn: list[str] = []
    at = 2 * _LINE
    drawn.append(_text(_EDGE, at, f"{len(rows)} lines of a profile", "head"))
    drawn.append(
        _text(_RIGHT, at, f"the {job.kind} that they become, alike in every role unless it says which", "head")
    )
    top = at + _LINE // 2
    blocks = [(text, "", parts) for text, parts in rows] + [(text, "soft", parts) for text, parts in more]
    for number, (text, sort, parts) in enumerate(blocks):
        height = max(1, len(parts)) * _LINE
        if number % 2 == 0:
            drawn.append(f'<rect class="band" x="0" y="{top}" width="{_WIDTH}" height="{height}"/>')
        drawn.append(_text(_EDGE, top + 12, _fit(text, _RIGHT - _EDGE), sort))
        for index, part in enumerate(parts):
            shown = _fit(_short(part), _WIDTH - _RIGHT - _EDGE)
            drawn.append(_text(_RIGHT, top + 12 + index * _LINE, shown, "made"))
        top += height
    drawn += _pods(expansion, top + 2 * _LINE)
    height = top + 2 * _LINE + 100
    told = f"{said}. Each line stands beside the fields that come of it, then {_spoken(expansion)}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="{_WIDTH}" height="{height}" '
        'role="img" aria-labelledby="title about">\n'
        f'<title id="title">{escape(said)}</title>\n<desc id="about">{escape(told)}</desc>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>\n' + "\n".join(drawn) + "\n</svg>\n"
    )


def _short(part: Part) -> str:
    """A part without what all have alike: both roles, and the one container."""
    said = part.said.removeprefix("containers[0].")
    return f"{part.roles[0]}: {said}" if len(part.roles) == 1 else said


def _pods(expansion: Expansion, top: int) -> list[str]:
    """A box for each pod, and where they meet."""
    pods = expansion.instances
    step = (_WIDTH - 2 * _EDGE) / len(pods)
    drawn = [_text(_EDGE, top, f"{len(pods)} pods: {_spoken(expansion)}", "head")]
    for index, one in enumerate(pods):
        left = _EDGE + index * step
        middle = left + step / 2 - 2
        box = f'x="{left:.1f}" y="{top + 12}" width="{step - 4:.1f}" height="44" rx="4"'
        drawn.append(f'<g><title>{escape(one.pod)}</title><rect class="pod" {box}/>')
        assert one.ranks is not None
        for line, text in enumerate((one.role, f"rank {one.ranks[0]}", "")):
            if text:
                drawn.append(
                    f'<text x="{middle:.1f}" y="{top + 31 + line * 15}" text-anchor="middle">{escape(text)}</text>'
                )
        drawn.append("</g>")
        if index:
            drawn.append(f'<line x1="{middle:.1f}" y1="{top + 56}" x2="{middle:.1f}" y2="{top + 68}"/>')
    first = _EDGE + step / 2 - 2
    last = _WIDTH - _EDGE - step / 2 - 2
    drawn.append(f'<line x1="{first:.1f}" y1="{top + 56}" x2="{first:.1f}" y2="{top + 68}"/>')
    drawn.append(f'<line x1="{first:.1f}" y1="{top + 68}" x2="{last:.1f}" y2="{top + 68}"/>')
    return drawn


def _spoken(expansion: Expansion) -> str:
    """What each pod has and where they meet, in words."""
    one = expansion.instances[0]
    devices = " and ".join(f"{amount} {name}" for name, amount in one.devices.items())
    return f"each with {devices}, all meeting at {one.rendezvous}"


def _fit(text: str, room: int) -> str:
    most = int(room / _SIGN)
    return text if len(text) <= most else text[: most - 1] + "…"


def _text(left: int, top: int, text: str, sort: str = "") -> str:
    # blanks at the beginning say what belongs to what
    indent = len(text) - len(text.lstrip())
    said = f' class="{sort}"' if sort else ""
    return f'<text x="{left + indent * _SIGN:g}" y="{top}"{said}>{escape(text.strip())}</text>'
