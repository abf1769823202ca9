"""`python -m specgen.generate [--check]`: writes every generated file, or lists those that are stale."""

from __future__ import annotations

import sys
from pathlib import Path

from specgen.generate import kinds_index, kubernetes_schemas, profile_schemas, rules_index, tables, trainer_contract

GENERATORS = (
    profile_schemas.generate,
    kubernetes_schemas.generate,
    tables.generate,
    kinds_index.generate,
    trainer_contract.generate,
    rules_index.generate,
)
"""Functions without side effects that return path relative to the repository root → text."""

ROOT = Path(__file__).resolve().parents[2]


def generate_all() -> dict[str, str]:
    """Path relative to the repository root → text, of every generated file."""
    files: dict[str, str] = {}
    for generator in GENERATORS:
        for path, text in generator().items():
            if path in files:
                raise ValueError(f"two generators write {path}")
            files[path] = text
    return files


def stale() -> list[str]:
    """Generated files that are absent or differ from what would be written, sorted."""
    return sorted(
        path
        for path, text in generate_all().items()
        if not (ROOT / path).is_file() or (ROOT / path).read_bytes() != text.encode()
    )


def main(arguments: list[str]) -> int:
    """0, or 1 where `--check` finds stale files, or 2 for other arguments."""
    if arguments not in ([], ["--check"]):
        print("usage: python -m specgen.generate [--check]", file=sys.stderr)
        return 2
    paths = stale()
    if arguments:
        print("\n".join(f"stale: {path}" for path in paths) or "all generated files are fresh")
        return 1 if paths else 0
    files = generate_all()
    for path in paths:
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(files[path].encode())
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
