"""The index of all codes, `specgen/rules/README.md`: made from the codes themselves, so that it cannot fall behind."""

from __future__ import annotations

from specgen.cli.explain import codes

PATH = "specgen/rules/README.md"

_INTRODUCTION = """\
# What specgen checks

Written by `python -m specgen.generate`; the pages live with the codes.

specgen looks for mistakes: what the cluster refuses, what the job cannot do as written, what makes it slow or lets it
hang. It refuses to check

- style: the order of keys, quotes that change nothing, names that somebody dislikes, comments;
- taste: how many replicas are many, which image, which framework, which learning rate;
- what it cannot know: whether an image holds a file, whether a cluster is there, whether a user may create a job.
  Where that decides, the finding is a warning and says what it depends on;
- what another check already says: a slip is one finding, not one for each rule that it breaks.

A rule that cried wolf on a job that runs well is a bug of the rule. `specgen explain CODE` prints the page of a code.
"""

_TABLE = "| Code | Name | Severity | What is wrong |\n| --- | --- | --- | --- |\n"
_STAGES = {
    "0": "Text and YAML",
    "1": "Shape",
    "2": "Sums, references and parameters",
    "3": "Contract with the operator",
    "4": "The pod at run time",
    "5": "Communication",
    "6": "Scheduling",
    "7": "Data and start-up",
    "8": "This machine",
    "9": "specgen itself",
}


def generate() -> dict[str, str]:
    """Path relative to the repository root → text."""
    text = _INTRODUCTION
    stage = ""
    for code in codes().values():
        if code.id[2] != stage:
            stage = code.id[2]
            text += f"\n## SG{stage}xx: {_STAGES[stage]}\n\n" + _TABLE
        title = code.page.partition("\n")[0].removesuffix(".").replace("|", "\\|")
        text += f"| {code.id} | `{code.slug}` | {code.severity} | {title} |\n"
    return {PATH: text}
