"""The page of a kind: which operator takes it since when, the shortest profile, the manifest, and its pods."""

from __future__ import annotations

from specgen.document.write import write_yaml_stream
from specgen.operators import by_object
from specgen.operators.index import KINDS
from specgen.reference.becoming import targets
from specgen.reference.examples import profile
from specgen.reference.page import Code, Page
from specgen.reference.variables import expansion_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.expansion import Expansion
    from specgen.reference.becoming import Compiler


def kinds() -> dict[str, tuple[str, str]]:
    """Name, as ``explain`` takes it → apiVersion and kind; a kind of several versions is one name each."""
    counted: dict[str, int] = {}
    for _, kind in KINDS:
        counted[kind] = counted.get(kind, 0) + 1
    found = {}
    for version, kind in KINDS:
        word = next((name for name, target in targets().items() if _is(target, version, kind)), kind)
        found[word if counted[kind] == 1 else f"{kind} {version.rpartition('/')[2]}"] = (version, kind)
    return dict(sorted(found.items()))


def _is(target: object, version: str, kind: str) -> bool:
    return target == kind or (target == "VolcanoJob" and (version, kind) == ("batch.volcano.sh/v1alpha1", "Job"))


def kind_page(name: str, compiler: Compiler) -> Page:
    """All that is known of a kind. ``name``: one of ``kinds()``."""
    version, kind = kinds()[name]
    reader = by_object(version, kind)
    assert reader is not None
    known = targets().get(name)
    about = f"a kind of {reader.operator.name}, `apiVersion: {version}`, `kind: {kind}`"
    lead = "A kind that profiles compile to." if known is not None else "A kind that is linted and expanded."
    found = Page(name, about, lead)
    found.add("Releases", f"{reader.operator.name} {', '.join(reader.minors)}: what they do with it is known.")
    if reader.programs:
        said = ", ".join(f"`{one}`" for one in reader.programs)
        found.add("Image", f"It must hold {said}: its pods run them, and no manifest brings them.")
    expansion: Expansion | None
    if known is not None:
        outcome = compiler.outcome({}, {}, known)
        found.add("Profile", Code(profile({}, known, cluster=False), "yaml"))
        found.add("Manifest", Code(write_yaml_stream(list(outcome.objects())), "yaml"))
        expansion = outcome.expansion
    else:
        expansion = expansion_of(kind)
    if expansion is not None:
        found.add("Pods", [_pod(one) for one in expansion.instances])
    return found


def _pod(one: object) -> str:
    from specgen.operators.expansion import Instance

    assert isinstance(one, Instance)
    ranks = "ranks that nothing fixes"
    if one.ranks is not None:
        first, last = one.ranks
        ranks = f"rank {first}" if first == last else f"ranks {first} to {last}"
    return f"`{one.pod}` ({one.role}): {ranks}" + (f", meets at `{one.rendezvous}`" if one.rendezvous else "")
