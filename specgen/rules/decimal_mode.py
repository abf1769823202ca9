"""A mode of files whose digits are octal, and which is written as a decimal number.

## What it checks
The `defaultMode` of a volume, or the `mode` of an item, is 400, 440, 444 or 500 in decimal. 600 and above are no modes,
and refused.

## Why it hurts
400 is 0620: the group may write, and ssh ignores a private key that others may read or change ("UNPROTECTED PRIVATE KEY
FILE"). 444 is 0674 and 500 is 0764: other users may read what was meant for one, and the owner may not execute.

## Severity
- warning: it is a mode, though hardly the one that was meant.

## Example
Bad:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
volumes: [{name: ssh, secret: {secretName: ssh, defaultMode: 400}}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
volumes: [{name: ssh, secret: {secretName: ssh, defaultMode: 256}}]
```

## Fix
Write the number that is meant: 256 is 0400, 288 is 0440, 292 is 0444, and 320 is 0500. None is applied, as it takes
rights away.

## When to ignore it
Where 0620 is meant.

## References
Kubernetes 1.36, core/v1 (`defaultMode`: "YAML accepts both octal and decimal values, JSON requires decimal values");
openssh-portable 9.9, authfile.c (sshkey_perm_ok).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG345", "decimal-mode", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("volumes",)

# Modes whose digits people write, as far as the decimal number is a mode at all (0777 is 511).
_MEANT = (400, 440, 444, 500)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each number."""
    for at, volume in enumerate(sequence(role.pod.get("volumes"))):
        for path, mode in _modes(volume, (*role.pod_path, "volumes", at)):
            if type(mode) is int and mode in _MEANT:
                yield CODE.at(
                    Place(path),
                    f"`{path[-1]}: {mode}` is the mode 0{mode:o}",
                    label="a decimal number",
                    notes=["ssh ignores a private key whose mode gives anything to others than its owner"],
                    helps=[f"write `{int(str(mode), 8)}`, which is 0{mode} in octal"],
                )


def _modes(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    """(path, value) of each mode in a volume; a volume holds few mappings below each other."""
    for key, value in mapping(tree).items():
        if key in ("defaultMode", "mode"):
            yield (*path, key), value
        elif isinstance(value, dict):
            yield from _modes(value, (*path, key))
        elif isinstance(value, list):
            for at, item in enumerate(value):
                yield from _modes(item, (*path, key, at))
