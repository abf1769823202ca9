"""SG8xx: what a job needs and this machine does not have."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code

NOT_HERE = Code(
    "SG801",
    "not-on-this-machine",
    ERROR,
    since="0.1",
    page="""Something that the job needs is in its image or on its cluster alone.

## What it checks
Before `specgen run` starts a process: that the program, its script, and the mounted paths among its words exist here.

## Why it hurts
A rank that ends at once leaves the others waiting for it.

## Severity
- error: the process would not start here.

## Example
    command: [python, /var/mnist.py]   # specgen run mnist.yaml

## Fix
Say where it lies here: `--map /var/mnist.py=./mnist.py` for files and folders, `--python PATH` for the interpreter.

## When to ignore it
Never: the process would not start.

## References
`specgen run --help`.
""",
)
ALL = (NOT_HERE,)
