"""The setting that was meant by one that is none: names that the field has in other languages, and values to mend.

What a profile's own messages say of a word is said here of ``--set``, from the same tables. A setting is only told
where it is taken as it is written there.
"""

from __future__ import annotations

import re
import shlex

from specgen.diagnostics.model import has_errors
from specgen.diagnostics.suggest import similar
from specgen.document.read import read
from specgen.profile.settings import BadSetting, layer, steps
from specgen.profile.shape import shape
from specgen.schema.files import load
from specgen.schema.foreign import amounts
from specgen.schema.habits import no_unit
from specgen.schema.remedies import flow, line
from specgen.schema.walk import Walk
from specgen.schema.wording import PROFILE, UNLIKE, secret
from specgen.source import Source, dotted
from specgen.tables import job

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding

    Names = tuple[str, ...]

# What people write before a path, as an option's dashes or the place of a manifest's fields.
_BEFORE = re.compile(r"^(?:-+|\.+|(?:spec|job)\.(?=[A-Za-z]))")
# A path and a value that no `=` parts.
_PAIR = re.compile(r"([A-Za-z][\w.\[\]/-]*)(?::\s*|\s+)(\S.*)")
# A path is a handful of names, and the names that a word has elsewhere lead to no others.
_MOST = 8


def meant(setting: str) -> str | None:
    """What to write, as `` `--set pods=4` ``; two of them where one setting becomes two; None: nobody knows."""
    setting = _BEFORE.sub("", setting)
    if "=" not in setting and (pair := _PAIR.fullmatch(setting)) is not None:
        setting = f"{pair[1]}={pair[2]}"
    path, _, text = setting.partition("=")
    try:
        setting.encode()
        names = tuple(steps(path))
    except (BadSetting, UnicodeEncodeError):
        return None
    documents, findings = read(Source("", text))
    if findings or len(documents) != 1:
        return None
    value = documents[0].data
    if isinstance(value, dict) and not text.lstrip().startswith("{"):
        # `a: b` is a text before it is a mapping
        quoted = f"{path}={flow(text)}"
        if _fits(quoted):
            return f"--set {shlex.quote(quoted)}" if not any(map(secret, names)) else None
    for candidate in _candidates(names, value, text):
        written = [_taken(below, *pair) for below, pair in candidate]
        if written and all(written):
            shown = [one for one in written if one is not None]
            if any(map(secret, names)):
                shown = [f"{one.partition('=')[0]}=…" for one in shown]
            return " ".join(f"--set {shlex.quote(one)}" for one in shown)
    return None


def helped(error: BadSetting, setting: str) -> BadSetting:
    """The same with the line to write, where there is one."""
    said = meant(setting)
    if said is not None:
        error.help = f"write `{said}`"
    return error


def mended(setting: str, findings: list[Finding]) -> None:
    """Gives what is found in a setting the line to write, in place of that of a profile."""
    said = meant(setting)
    for finding in findings if said is not None else ():
        finding.helps, finding.fix = [f"write `{said}`"], None


def _candidates(names: Names, value: Any, text: str) -> Iterator[list[tuple[Names, tuple[Any, str, bool]]]]:
    """Settings as (path, (value, its text, whether a value may be mended)), the likeliest first."""
    # what begins with a field is no name of a resource
    known = names[0] in job.DEFINITIONS["Layer"][dict][0]
    whole = [(*names[:cut], ".".join(names[cut:])) for cut in range(int(known), len(names) - 1)]
    for path in [names, *whole][:_MOST]:
        yield [(path, (value, text, True))]
        for other, alike in _elsewhere(path):
            yield [(other, (value, text, alike))]
        found = _resources(path, value)
        if found:
            yield [(below, (amount, flow(amount), True)) for below, amount in found]


def _elsewhere(path: Names) -> Iterator[tuple[Names, bool]]:
    """Paths of the fields that are called so in other languages, and whether a number in them means the same."""
    node: Any = job.DEFINITIONS["Layer"]
    for depth, name in enumerate(path):
        below = node.get(dict) if type(node) is dict and node else None
        if below is None:
            return
        properties, _, extra = below[:3]
        if name in properties or extra is not None:
            node = properties.get(name, extra)
            continue
        above, rest = path[:depth], path[depth + 1 :]
        field = PROFILE.alias(name)
        if field and name.replace("-", "_") not in UNLIKE:
            at = tuple(field.split("."))
            yield (*above, *at, *rest), False
            yield (*above, at[-1], *rest), False
        elif name in PROFILE.patched:
            where = tuple(PROFILE.patched[name][0].split("."))
            yield (*where, *(("spec",) if where[-1] == "pod" else ()), *path[depth:]), False
        elif not field and "." not in name:
            # `gpu` is a field of `resources` alone
            below_one = [one for one, inner in properties.items() if one != "patch" and name in _fields(inner)]
            if len(below_one) == 1:
                yield (*above, below_one[0], name, *rest), True
            near = [one for one in properties if one.lower() == name.lower()] or similar(name, properties)
            if len(near) == 1:
                yield (*above, near[0], *rest), True
        return


def _fields(node: Any) -> Collection[str]:
    """The fields of a mapping that stands at a node of the table; none where nothing of the kind does."""
    below = node.get(dict) if type(node) is dict and node else None
    return below[0] if type(below) is tuple and below else ()


def _resources(path: Names, value: Any) -> list[tuple[Names, Any]]:
    """Amounts as Kubernetes has them, ``limits.cpu`` or ``nvidia.com/gpu``, as paths and values of a profile."""
    path = path[1:] if path[0] == "resources" else path
    nested = {path[1]: value} if len(path) == 2 else value if len(path) == 1 else None
    found = amounts(path[0].removeprefix("limits."), nested) if path else {}
    pairs: list[tuple[Names, Any]] = []
    for word, amount in found.items():
        if isinstance(amount, dict):
            pairs += [(("resources", word, below), one) for below, one in amount.items()]
        else:
            pairs.append((("resources", word), amount))
    return pairs


def _taken(names: Names, value: Any, text: str, mended: bool) -> str | None:
    """The setting where it is taken, with its value mended where it may be and must be; None: it is not taken."""
    setting = f"{dotted(names)}={text}"
    if _fits(setting):
        return setting
    number = isinstance(value, (int, float)) or text.isdigit()
    if not mended and number:
        return None  # of minutes and megabytes, say
    data: Any = value
    for name in reversed(names):
        data = {name: data}
    if no_unit(names[-1], value) is not None:
        return None
    walk = Walk(load("job.schema.json"), "Layer")
    try:
        found = line(data, names, value, walk.alternatives(walk.field(data, names)), walk)
    except (KeyError, TypeError):
        return None  # the path leads nowhere
    if found is None or found[1] != names or "…" in found[0]:
        return None
    setting = f"{dotted(names)}={flow(found[2])}"
    return setting if _fits(setting) else None


def _fits(setting: str) -> bool:
    try:
        return not has_errors(shape(layer(setting, job.DEFINITIONS["Layer"]), "Layer"))
    except BadSetting:
        return False
