"""The reference of the language as one page: what ``specgen explain --all`` prints.

It lies beside the schemas, since both say what profiles may hold: one for programs, one for people. It is made in an
interpreter of its own, which reads the tables that the generators before it have just written.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

PATH = "schemas/reference.md"

_HOME = Path(__file__).resolve().parents[2]
_PROGRAM = """
import sys
from specgen.cli.codes import codes
from specgen.reference.whole import whole
sys.stdout.buffer.write(whole(codes()).encode())
"""


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    return {PATH: "<!-- Written by `python -m specgen.generate`. -->\n\n" + _page()}


@cache
def _page() -> str:
    # what it reads does not change while this process runs, but for what the generators before it write
    ended = subprocess.run([sys.executable, "-c", _PROGRAM], cwd=_HOME, capture_output=True, check=False)
    if ended.returncode:
        raise ValueError(ended.stderr.decode())
    return ended.stdout.decode()
