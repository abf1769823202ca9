"""The words of job, base and cluster profiles, in the order of their models.

A word is a field of a model at the shortest path that leads to it; names of entries (``mounts./data.pvc``) are left
out of paths (``mounts.pvc``). What a role, a variant or a cluster's ``defaults`` says of a job are the job's own words.
"""

from __future__ import annotations

from functools import cache

from specgen.diagnostics.model import article, listed
from specgen.schema.files import load
from specgen.schema.walk import Walk
from specgen.schema.wording import takes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

JOB, CLUSTER = "job", "cluster"
_MODELS = {JOB: "JobProfile", CLUSTER: "ClusterProfile"}
_FILES = {JOB: "job.schema.json", CLUSTER: "cluster.schema.json"}
# Models whose fields are words of a job said elsewhere.
OF_A_JOB = ("Layer", "Role")
# Fields of a role that no job has in this form.
_OF_A_ROLE = "pods"
_VARIABLES = ("Env", "AddedEnv")


class Word:
    """One word: ``profile`` is the profile that has it, ``path`` its steps without the names of entries.

    ``keyed``: how many steps down its entries have names, so that a name stands after each of these.
    """

    __slots__ = ("alike", "below", "keyed", "path", "profile", "required", "schema")

    def __init__(self, profile: str, path: tuple[str, ...], schema: Schema, keyed: tuple[int, ...], required: bool):
        self.profile = profile
        self.path = path
        self.schema = schema
        self.keyed = keyed
        self.required = required
        # the words below it, and those whose words below it takes as well: filled while the models are walked
        self.below: list[Word] = []
        self.alike: list[Word] = []

    @property
    def name(self) -> str:
        """As people write it: ``scheduling.gang``, ``cluster.pools.fabric.rdma``."""
        return ".".join(self.path if self.profile == JOB else (CLUSTER, *self.path))

    @property
    def sentence(self) -> str:
        """What it says: its docstring, or that of what stands there."""
        said = self.schema.get("description") or next(
            (one["description"] for one in self.alternatives if one.get("description")), ""
        )
        return str(said)

    @property
    def alternatives(self) -> list[Schema]:
        """Its schema as schemas of one JSON type each, null left out."""
        return [one for one in _walk(self.profile).alternatives(self.schema) if one.get("type") != "null"]

    @property
    def takes(self) -> str:
        """What it takes, with units and bounds."""
        names = [_named(_walk(self.profile), one) for one in self.alternatives]
        plain = [_counted(one) for one, name in zip(self.alternatives, names, strict=True) if name is None]
        said = [takes([one], "") for one in plain]
        named = list(dict.fromkeys(name for name in names if name is not None))
        # what stands in a list or mapping ends before the next one begins
        return " or ".join([*dict.fromkeys(said), *(["; or ".join(named)] if named else [])])

    @property
    def default(self) -> str | None:
        """The default that the language itself has; None: it has none."""
        value = self.schema.get("default")
        return None if value is None else str(value).lower() if isinstance(value, bool) else str(value)

    @property
    def holds_job_words(self) -> bool:
        """Whether the words of a job stand below it."""
        return bool(_refs(self.schema).intersection(OF_A_JOB))


# The bound of every count, which says nothing.
_MOST = 1_000_000


def _named(walk: Walk, schema: Schema) -> str | None:
    """A mapping or list by what is in it; None: a scalar."""
    if schema.get("type") == "array":
        items = list(dict.fromkeys(_value(walk, one) for one in walk.alternatives(schema.get("items", {}))))
        return f"a list, each item {' or '.join(items)}"
    if schema.get("type") != "object":
        return None
    if "x-specgen-variables" in schema:
        return "a mapping: name of a variable → text, or where its value comes from"
    fields = list(schema.get("properties", ()))
    if fields:
        return f"a mapping of {listed(fields)}" if len(fields) < 6 else "a mapping of the words below"
    below = schema.get("additionalProperties")
    if not isinstance(below, dict):
        return "a mapping in Kubernetes' spelling"
    values = [_value(walk, one) for one in walk.alternatives(below) if one.get("type") != "null"]
    key = schema.get("propertyNames", {}).get("title", "a name").partition(", at most")[0]
    return f"a mapping: {key} → {' or '.join(dict.fromkeys(values))}"


def _value(walk: Walk, schema: Schema) -> str:
    if schema.get("properties") and len(schema["properties"]) >= 6:
        return article(schema.get("title", "mapping"))
    return _named(walk, schema) or takes([_counted(schema)], "")


def _counted(schema: Schema) -> Schema:
    """A number without the upper bound that all counts have, which says nothing."""
    if schema.get("maximum") == _MOST:
        return {key: value for key, value in schema.items() if key != "maximum"}
    return schema


def _refs(schema: Schema) -> set[str]:
    """The definitions that a field refers to, in itself or in its entries."""
    found: set[str] = set()
    if "$ref" in schema:
        found.add(schema["$ref"].rpartition("/")[2])
    for one in schema.get("anyOf", ()):
        found |= _refs(one)
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            found |= _refs(schema[key])
    return found


def _entries(schema: Schema) -> list[Schema]:
    """The schemas of the entries of a map with names that its author chooses."""
    options = schema.get("anyOf", [schema])
    return [one["additionalProperties"] for one in options if isinstance(one.get("additionalProperties"), dict)]


@cache
def _walk(profile: str) -> Walk:
    return Walk(load(_FILES[profile]), _MODELS[profile])


@cache
def words() -> tuple[Word, ...]:
    """All words, those of jobs first; a word stands before what is below it."""
    return tuple(one for top in _tops() for word in top for one in _with(word))


@cache
def by_name() -> dict[str, Word]:
    """Name → word."""
    return {word.name: word for word in words()}


def _with(word: Word) -> list[Word]:
    """A word and all that is below it."""
    return [word, *(one for below in word.below for one in _with(below))]


@cache
def _tops() -> tuple[list[Word], ...]:
    """The words at the top of both profiles, with those below them: each model once, where the shortest path leads."""
    homes: dict[str, Word] = {}
    return tuple(_of(profile, model, homes) for profile, model in _MODELS.items())


def _of(profile: str, model: str, homes: dict[str, Word]) -> list[Word]:
    """The words at the top of one profile. ``homes``: model → the word below which its fields stand already."""
    definitions: dict[str, Schema] = load(_FILES[profile])["definitions"]
    top: list[Word] = []
    level: list[tuple[Word | None, tuple[int, ...], str]] = [(None, (), model)]
    while level:
        after: list[tuple[Word | None, tuple[int, ...], str]] = []
        for above, keyed, name in level:
            required = [*definitions[name].get("required", ()), *definitions[name].get("x-specgen-required", ())]
            path = above.path if above is not None else ()
            for key, schema in definitions[name].get("properties", {}).items():
                word = Word(profile, (*path, key), schema, keyed, key in required)
                (above.below if above is not None else top).append(word)
                under = {ref for entry in _entries(schema) for ref in _refs(entry)}
                for name_of in _refs(schema).intersection(_VARIABLES):
                    under |= _refs(definitions[name_of]["additionalProperties"])
                refs = (_refs(schema) | under).difference(_VARIABLES, OF_A_JOB)
                for ref in sorted(refs, key=list(definitions).index):
                    if ref in homes:
                        word.alike.append(homes[ref])
                        continue
                    homes[ref] = word
                    after.append((word, (*keyed, len(word.path)) if ref in under else keyed, ref))
        level = after
    for word in top:
        if word.path == ("roles",):
            pods = definitions["Role"]["properties"][_OF_A_ROLE]
            word.below.append(Word(profile, ("roles", _OF_A_ROLE), pods, (1,), False))
    return top
