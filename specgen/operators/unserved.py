"""Objects that no operator takes, because of their apiVersion or kind: what they were meant to be, and who served them.

Nothing here is a list of its own: kinds and versions are those of the readers and of the schemas beside them, kinds
that went are those of the tables of releases, versions that went stand in the facts of their operators.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Fix, Place, article, listed
from specgen.diagnostics.operations import Rename, Set
from specgen.diagnostics.suggest import distance, similar
from specgen.manifest import codes
from specgen.operators import by_object
from specgen.operators.beside import SCHEMAS
from specgen.operators.index import KINDS
from specgen.operators.mpi.facts import FORMER as OF_MPI
from specgen.operators.release import numbers
from specgen.operators.trainer.facts import FORMER as OF_TRAINER
from specgen.operators.training.facts import FORMER as OF_TRAINING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.operators.release import Operator

# (apiVersion, kind) that nobody serves any more → who served it last.
FORMER = {**OF_TRAINING, **OF_MPI, **OF_TRAINER}
# Objects that Kubernetes has in its code.
_NATIVE = tuple(key for key in SCHEMAS if "." not in key[0] or key[0].partition("/")[0].endswith(".k8s.io"))
# Those of operators: the index and the schemas beside it.
_OF_OPERATORS = (*KINDS, *(key for key in SCHEMAS if key[0].partition("/")[0] not in ("v1", "resource.k8s.io")))


def unserved(tree: Any, installed: Mapping[str, str] | None = None) -> Finding | None:
    """What is wrong with the apiVersion or kind of an object that no reader and no schema is for; None: nothing known.

    Kinds of other groups are their owners' business, as are other kinds of the groups that are known: only a known
    kind, or one near it, is said to be a slip. ``installed``: operator → version, as the cluster profile lists them.
    """
    if not isinstance(tree, dict):
        return None
    version, kind = tree.get("apiVersion"), tree.get("kind")
    if not isinstance(version, str) or not version or not isinstance(kind, str) or not kind:
        return _incomplete(tree, version, kind)
    if kind.endswith("List") or (version, kind) in KINDS or (version, kind) in SCHEMAS:
        return None
    group = _group(version)
    served = _served(kind)
    if served or _dropped(kind) is not None:
        ours = group in _groups() or (version, kind) in FORMER or _is_slip(group, kind)
        return _other_version(tree, version, kind, served, installed or {}) if ours else None
    meant = _meant(kind, group)
    return _misspelt(tree, version, kind, meant) if meant else None


def _group(version: str) -> str:
    return version.rpartition("/")[0]


def _served(kind: str) -> list[str]:
    """The apiVersions that a kind is served as, the newest last."""
    return [version for version, known in (*KINDS, *SCHEMAS) if known == kind]


def _groups() -> list[str]:
    """The groups of the operators that are known."""
    return list(dict.fromkeys(_group(version) for version, _ in _OF_OPERATORS))


def distinct_kinds() -> list[str]:
    """The kinds of operators, but for `Job`, which Kubernetes has itself."""
    return [kind for kind in dict.fromkeys(kind for _, kind in _OF_OPERATORS) if kind != "Job"]


def _is_slip(group: str, kind: str) -> bool:
    """Whether nobody can have meant the group of a kind.

    Groups without a dot are the API server's own, no CRD is in one (apiextensions-apiserver, pkg/apis/apiextensions/
    validation); ones of Kubernetes' other parts end in `.k8s.io`. The rest: a known group with two wrong letters, or
    without its end.
    """
    if kind not in distinct_kinds():
        return False
    if group.endswith(".k8s.io"):
        # that of JobSet, by the prefix of its annotations
        own = kind.lower()
        return group == f"{own}.sigs.k8s.io" and f"{own}.x-k8s.io" in _groups()
    return "." not in group or any(one.startswith(f"{group}.") or distance(group, one, 2) <= 2 for one in _groups())


def _operators() -> list[Operator]:
    found: dict[str, Operator] = {}
    for key in KINDS:
        reader = by_object(*key)
        assert reader is not None  # the index names it
        found.setdefault(reader.operator.name, reader.operator)
    return list(found.values())


def _dropped(kind: str) -> Operator | None:
    """The operator that served a kind in one of its known releases, and no longer does."""
    for operator in _operators():
        if any(kind in (release.kinds or ()) for release in operator.releases):
            return operator
    return None


def _meant(kind: str, group: str) -> list[str]:
    """The kinds that a kind which nobody serves is near to: those of its group first."""
    if group in _groups():
        own = [known for version, known in _OF_OPERATORS if _group(version) == group]
        found = similar(kind, dict.fromkeys([*own, *distinct_kinds()]))
        return [known for known in found if known.lower() == kind.lower()] or found
    if "." in group:
        return []
    # in a group of the API server's own, letter case alone is certain: its other kinds are not listed here
    native = [known for version, known in _NATIVE if _group(version) == group]
    return [known for known in (*distinct_kinds(), *native) if known.lower() == kind.lower()]


def _other_version(
    tree: dict[str, Any], version: str, kind: str, served: list[str], installed: Mapping[str, str]
) -> Finding | None:
    notes, severity = [], None
    went = _dropped(kind) if not served else None
    if went is not None:
        own = installed.get(went.name)
        if own is not None and kind in went.kinds(own):
            return None  # it is served there, and what its operator does with it was not read
        if (
            own is None
            and _group(version) in {_group(one) for one in _versions(went)}
            and (version, kind) not in FORMER
        ):
            # the release decides, and nothing says which one there is
            severity = WARNING
        notes.append(f"{went.name} {went.minors(kind)[-1]} was the last that served {kind}")
    if _is_unknown_release(served, installed):
        return None
    if (version, kind) in FORMER:
        notes.append(f"{FORMER[version, kind]} served it as `{version}`")
    fix = _fix(tree, [(one, kind) for one in served])
    helps = [f"{kind} is served as {_by_whom(served)}"] if served else []
    if served and (version, kind) not in FORMER and _group(version) in map(_group, served):
        # another release may serve it, tomorrow's for one: whoever has it can say so
        notes += _looked_at(served)
        helps += _of_others(served)
    if fix is not None:
        # what the fix does not say is to be known before it is taken
        notes, helps = [*notes, *helps], []
    notes.append(_answer(version, kind))
    if severity == WARNING:
        helps.append("name the operator with its version under `operators` of the cluster profile, if it is older")
    return codes.UNSERVED_VERSION.at(
        Place(("apiVersion",)) if served else Place(("kind",)),
        f"no operator serves {kind} as `{version}`" + (" any more" if (version, kind) in FORMER or went else ""),
        notes=notes,
        helps=helps,
        severity=severity,
        fix=fix,
    )


def _looked_at(served: list[str]) -> list[str]:
    """The releases of which it is known what they serve: ``trainer 2.0.0 to 2.3.0``."""
    spans = []
    for operator in _serving(served):
        oldest, newest = operator.releases[0].version, operator.releases[-1].version
        spans.append(f"{operator.name} {oldest}" + (f" to {newest}" if oldest != newest else ""))
    return [f"no release serves it of those that were looked at: {', and '.join(spans)}"] if spans else []


def _of_others(served: list[str]) -> list[str]:
    """How a cluster is told that has another release."""
    said = "where the cluster has a release that does, name its CRD by `--crds`"
    return [said + (", or the release under `operators` of the cluster profile" if _serving(served) else "")]


def _serving(served: list[str]) -> list[Operator]:
    """The operators that serve one of these apiVersions, each once."""
    readers = [by_object(*key) for key in KINDS if key[0] in served]
    return list({one.operator.name: one.operator for one in readers if one is not None}.values())


def _answer(version: str, kind: str) -> str:
    return f'where no CRD serves it, the API server answers `no matches for kind "{kind}" in version "{version}"`'


def _versions(operator: Operator) -> list[str]:
    readers = [by_object(*key) for key in KINDS]
    return [one.api_version for one in readers if one is not None and one.operator is operator]


def _is_unknown_release(served: list[str], installed: Mapping[str, str]) -> bool:
    """Whether the cluster has a release of a kind's operator that is older or newer than all that are known."""
    for version, kind in KINDS:
        reader = by_object(version, kind) if version in served else None
        said = installed.get(reader.operator.name) if reader is not None else None
        if reader is not None and said is not None:
            at, releases = numbers(said), reader.operator.releases
            if at is None or at < releases[0].numbers or at[:2] > releases[-1].numbers[:2]:
                return True
    return False


def _by_whom(served: list[str]) -> str:
    """```a` by the one, and as `b` by the other``."""
    said = []
    for version in served:
        names = [by_object(*key) for key in KINDS if key[0] == version]
        operator = next((one.operator.name for one in names if one is not None), "")
        article = "the " if operator.endswith("-operator") else ""
        said.append(f"`{version}`" + (f" by {article}{operator}" if operator else ""))
    return ", and as ".join(said)


def _misspelt(tree: dict[str, Any], version: str, kind: str, meant: list[str]) -> Finding:
    near = (
        [f"kinds with a similar name: {listed(meant)}"]
        if len(meant) > 1
        else [f"there is a kind with a similar name: `{meant[0]}`, served as {_by_whom(_served(meant[0]))}"]
    )
    candidates = [(one, known) for known in meant for one in _served(known)]
    own = [one for one in candidates if one[0] == version]
    fix = _fix(tree, own or candidates)
    return codes.MISSPELT_KIND.at(
        Place(("kind",)),
        f"there is no kind `{kind}` in `{_group(version) or version}`",
        notes=[*(near if fix is not None else ()), _answer(version, kind)],
        helps=[] if fix is not None else near,
        fix=fix,
    )


def _incomplete(tree: dict[str, Any], version: Any, kind: Any) -> Finding | None:
    """An object without its apiVersion or kind, or with one of the keys in other letters, where the other one tells."""
    lacking = "apiVersion" if not isinstance(version, str) or not version else "kind"
    slips = [key for key in tree if isinstance(key, str) and key != lacking and similar(key, (lacking,))]
    said = tree.get(slips[0]) if len(slips) == 1 and lacking not in tree else None
    said = said if isinstance(said, str) and said else None
    if lacking == "apiVersion":
        if not isinstance(kind, str) or (kind not in distinct_kinds() and (said, kind) not in (*KINDS, *SCHEMAS)):
            return None
        what, candidates = kind, [(one, kind) for one in _served(kind) if said in (None, one)]
    else:
        if not isinstance(version, str) or _group(version) not in _groups():
            return None
        what = f"an object of `{version}`"
        candidates = [key for key in (*KINDS, *SCHEMAS) if key[0] == version and said in (None, key[1])]
    fix: Fix | None = None
    helps = []
    if said is not None:
        message = f"the key `{slips[0]}` is not `{lacking}`"
        if candidates:
            fix = Fix(f"rename `{slips[0]}` to `{lacking}`", UNSAFE, [Rename((slips[0],), lacking)])
        helps += [] if candidates else [f"write `{lacking}: {said}`"]
    else:
        if lacking == "apiVersion":
            message = f"{article(kind)} without `apiVersion`"
            helps.append(f"{kind} is served as {_by_whom(_served(kind))}")
        else:
            message = f"`{lacking}` is missing from {what}"
            helps.append(f"the kinds of `{version}` are {listed([key[1] for key in candidates], most=8)}")
        fix = _fix(tree, candidates)
    notes = [f"kubectl refuses the file: `{lacking} not set`"]
    if fix is not None:
        notes, helps = [*notes, *helps], []
    place = (
        Place((slips[0],), KEY)
        if said is not None
        else Place(("kind",) if lacking == "apiVersion" else ("apiVersion",))
    )
    return codes.MISSING_TYPE.at(place, message, notes=notes, helps=helps, fix=fix)


def _fix(tree: dict[str, Any], candidates: list[tuple[str, str]]) -> Fix | None:
    """The one apiVersion and kind whose shape the object has already: its text changes, and nothing else must."""
    from specgen.manifest.shape import fits

    fitting = []
    for version, kind in candidates:
        reader = by_object(version, kind)
        schema = reader.schema if reader is not None else SCHEMAS[version, kind]
        if fits(schema, {**tree, "apiVersion": version, "kind": kind}):
            fitting.append((version, kind))
    if len(fitting) != 1:
        return None
    version, kind = fitting[0]
    patch: list[Operation] = []
    if tree.get("apiVersion") != version:
        patch.append(Set(("apiVersion",), version))
    if tree.get("kind") != kind:
        patch.append(Set(("kind",), kind))
    written = [f"`{one}`" for one, key in ((version, "apiVersion"), (kind, "kind")) if tree.get(key) != one]
    return Fix(f"write {' and '.join(written)}", UNSAFE, patch)
