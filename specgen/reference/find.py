"""What a name is taken for: a word, a kind, a code, a variable, or another project's name for one of them."""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.suggest import similar
from specgen.reference.words import CLUSTER, by_name, words
from specgen.schema.topics import CHOSEN, TOPICS, topic
from specgen.schema.wording import PROFILE, folded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.reference.words import Word

# The tops of profiles below which the words of a job stand again.
_LAYERS = {"roles": 2, "variants": 2, "defaults": 1, "matrix": 3}


def find(name: str) -> list[Word]:
    """The words that a path leads to: one, several that end so, or none. Names of entries may stand in it."""
    known = by_name()
    steps = tuple(step for step in name.replace("[", ".").replace("]", "").split(".") if step)
    clustered = steps[:1] == (CLUSTER,) and len(steps) > 1
    if name in known:
        return [known[name]]
    if clustered:
        steps = steps[1:]
    ours = [word for word in words() if not clustered or word.profile == CLUSTER]
    exact = [word for word in ours if _matches(word, steps)]
    if exact and (clustered or exact[0].profile != CLUSTER):
        return exact[:1]
    if exact:
        # who writes a job may mean a word of jobs that ends so
        return exact[:1] + [word for word in ours if word.profile != CLUSTER and word.path[-len(steps) :] == steps]
    for above in (steps[:-1], steps[:-2]) if len(steps) > 1 else ():
        # what stands there alike stands once in the reference: `sidecars.image` is `init.image`
        for word in ours:
            if above and _matches(word, above):
                alike = [one for home in word.alike for one in home.below if one.path[-1] == steps[-1]]
                if alike:
                    return alike[:1]
    cut = _LAYERS.get(steps[0]) if steps else None
    if cut is not None and len(steps) > cut:
        return find(".".join(steps[cut:]))
    ends = [word for word in ours if word.path[-len(steps) :] == steps]
    if not ends:
        # `host network` and `host-network` are spellings of `hostNetwork`
        said = tuple(map(folded, steps))
        ends = [word for word in ours if tuple(map(folded, word.path[-len(steps) :])) == said]
    return ends


def _matches(word: Word, steps: tuple[str, ...]) -> bool:
    """Whether steps are the word's path, with any name after each step that has entries."""
    if word.path == steps:
        return True
    full: list[str | None] = []
    for depth, step in enumerate(word.path):
        if depth in word.keyed:
            full.append(None)
        full.append(step)
    return len(full) == len(steps) and all(
        wanted is None or wanted == step for wanted, step in zip(full, steps, strict=True)
    )


def elsewhere(name: str) -> tuple[list[Word], str]:
    """(words, what to write) of a name that Kubernetes or another tool has for something that profiles say.

    What somebody looks for is told with all words that say it, its name here before others.
    """
    meant = PROFILE.alias(name)
    chosen = CHOSEN.get(folded(name))
    if not meant and chosen is not None:
        return [by_name()[chosen[0]]], chosen[1]
    if not meant and name in PROFILE.patched:
        return find(PROFILE.patched[name][0]), f"write `{PROFILE.patched[name][1]}`"
    known, said = by_name(), topic(name)
    above, dot, last = name.rpartition(".")
    if dot and not meant and not said and above in known:
        return elsewhere(last)  # of another one's word below one that is ours
    if not meant:
        value = PROFILE.values.get(said[0], {}).get(name) if said else None
        by = f"this is said by `{said[0]}`" + (f": {value}" if value is not None else "") if said else ""
        return [known[one] for one in said], by
    found = find(meant)
    return [*found, *(known[one] for one in said if known[one] not in found)], f"the word for this is `{meant}`"


def near(name: str, others: Iterable[str]) -> list[str]:
    """Names like one that is none: words by their path or their last step, those of elsewhere, and others."""
    ends = [word.path[-1] for word in words()]
    found = similar(name, [*by_name(), *ends, *PROFILE.aliases, *PROFILE.patched, *others])
    if not found:
        # a name may be one of NCCL's, of which there are too many for one look
        found = similar(name, TOPICS) or similar(name, nccl.VARIABLES)
    return list(dict.fromkeys(found))
