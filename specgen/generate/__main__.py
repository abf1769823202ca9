"""`python -m specgen.generate [--check]`: writes every generated file, or lists those that are stale."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

GENERATORS = (
    "kinds_index",
    "profile_schemas",
    "kubernetes_schemas",
    "tables",
    "trainer_contract",
    "rules_index",
    "reference",
    "picture",
)
"""Modules beside this one, each with ``generate``; the first writes what the models that others read are made of."""

ROOT = Path(__file__).resolve().parents[2]


def generated(name: str) -> dict[str, str]:
    """Path relative to the repository root → text, of one generator, which is loaded when it is its turn."""
    files: dict[str, str] = import_module(f"specgen.generate.{name}").generate()
    return files


def generate_all() -> dict[str, str]:
    """The same of all generators."""
    files: dict[str, str] = {}
    for name in GENERATORS:
        for path, text in generated(name).items():
            if path in files:
                raise ValueError(f"two generators write {path}")
            files[path] = text
    return files


def is_stale(path: str, text: str) -> bool:
    """Whether a generated file is absent or differs from what would be written."""
    return not (ROOT / path).is_file() or (ROOT / path).read_bytes() != text.encode()


def stale() -> list[str]:
    """Generated files that are stale, sorted."""
    return sorted(path for path, text in generate_all().items() if is_stale(path, text))


def main(arguments: list[str]) -> int:
    """0, or 1 where `--check` finds stale files, or 2 for other arguments."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m specgen.generate [--check]", file=sys.stderr)
        return 2
    if arguments:
        paths = stale()
        print("\n".join(f"stale: {path}" for path in paths) or "all generated files are fresh")
        return 1 if paths else 0
    for name in GENERATORS:
        for path, text in generated(name).items():
            if is_stale(path, text):
                target = ROOT / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(text.encode())
                print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
