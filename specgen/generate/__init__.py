"""Development-time generators: they write the files under `schemas/` that the package only reads.

Nothing here is imported when specgen runs for a user, so these modules may import pydantic and
kubernetes. Run them as `python -m specgen.generate`. Each generator is a function without
side effects that returns `{path relative to the repository root: text}`; a freshness test
compares those texts with the files.
"""

from __future__ import annotations
