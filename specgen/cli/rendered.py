"""Folders that hold no job as they are, for a kustomization makes it: the way to what it comes to."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.cli.files import DiskFiles


def way(verb: str, names: Sequence[str], files: DiskFiles) -> str:
    """What is said in brackets where nothing is found: how a verb gets at a kustomization; empty: there is none."""
    from shlex import quote

    from specgen.recognise.kustomize import KUSTOMIZATIONS

    for name in names:
        found = files.all_below(name) if files.below(name) is not None else [name]
        for path in sorted(found, key=lambda one: one.count("/")):
            folder, _, file = path.rpartition("/")
            if file in KUSTOMIZATIONS:
                line = f"kubectl kustomize {quote(folder or '.')} | specgen {verb} -"
                return f" (a kustomization is rendered first: `{line}`)"
    return ""
