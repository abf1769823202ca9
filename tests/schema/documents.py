"""Random documents made from a schema, and random changes of documents, for tests that compare validators."""

from __future__ import annotations

import copy
from random import Random
from typing import Any

from specgen.schema.library import compiled
from specgen.schema.walk import Walk

# Texts near the edges of the grammars: of each some that it takes and some that it does not.
TEXTS = (
    *(
        "",
        "a",
        "A",
        "-",
        ".",
        "a-b",
        "a_b",
        "a.b",
        "a..b",
        "-a",
        "a-",
        "a\n",
        "é",
        "a b",
        "none",
        "None",
        "auto",
        "host",
    ),
    *("x" * 63, "x" * 64, "/", "/data", "data", "$<root>/x", "$<", "a$<b>", "a$<b", "$<1>", "$(X)", "example.com/gpu"),
    *("/gpu", "example.com/", "A/b", "10s", "0s", "7d", "7w", "1000000000s", "12", "016", "0", "-1", "1.5", "1e3"),
    *(
        "512Mi",
        "1.5Gi",
        "1.Gi",
        "Gi",
        "01Gi",
        "5",
        "5K",
        "500m",
        "0m",
        ".5",
        "1E",
        "1e5",
        "1e5.5",
        "+1Ki",
        "1.2.3",
        "1.2.3.4.5",
    ),
    *(
        "2.4.8-1",
        "1.",
        "1.31",
        "1.x",
        "SG401",
        "SG40",
        "SG0000",
        "2027-01-31",
        "2027-1-31",
        "specgen/v1",
        "true",
        "INFO",
    ),
    *("mlx5_0", "=mlx5_0:1,mlx5_1:1", "^eth0", "106", "0x6a", "256", "8M", "010", "lo^", "PyTorchJob", "torchrun"),
)
NAMES = ("NCCL_DEBUG", "NCCL_IB_TC", "NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "NCCL_BUFFSIZE", "NCCL_NOT_KNOWN", "PATH")
SCALARS: tuple[Any, ...] = (None, True, False, 0, 1, -1, 8.0, 0.5, -0.5, 2**40, "", "16", "true")
JUNK: tuple[Any, ...] = (*SCALARS, [], {}, [None], {"a": 1}, ["a"])
CHANGES = ("drop", "add", "type", "misspell", "null", "quote", "unquote", "swap", "text", "duplicate", "float")


def value(rng: Random, walk: Walk, schema: dict[str, Any], depth: int = 0) -> Any:
    """A value that is valid for a schema more often than not."""
    if rng.random() < 0.004:
        return rng.choice(JUNK)
    alternatives = walk.alternatives(schema)
    if len(alternatives) > 1 and rng.random() < 0.9:
        alternatives = [one for one in alternatives if one.get("type") != "null"]
    one = rng.choice(alternatives)
    kind = one.get("type")
    if kind == "object":
        return _mapping(rng, walk, one, depth)
    if kind == "array":
        return [value(rng, walk, one.get("items", {}), depth + 1) for _ in range(rng.randrange(3))]
    if kind == "string":
        words = [one["const"]] if "const" in one else one.get("enum") or one.get("x-specgen-words", ())
        return rng.choice(words) if words and rng.random() < 0.99 else _text(rng, one)
    if kind in ("integer", "number"):
        least = one.get("minimum", -3)
        most = one.get("maximum", least + 10)
        edges = [least, most, least - 1, most + 1]
        some: Any = rng.choice(edges) if rng.random() < 0.03 else rng.randint(least, min(most, least + 8))
        return some + 0.5 if kind == "number" and rng.random() < 0.3 else some
    return rng.choice((True, False)) if kind == "boolean" else None if kind == "null" else rng.choice(JUNK)


def _text(rng: Random, schema: dict[str, Any]) -> str:
    for _ in range(60 if rng.random() < 0.993 else 1):
        text = rng.choice(TEXTS)
        if fits(schema, text):
            break
    return text


def fits(schema: dict[str, Any], text: str) -> bool:
    """Whether a text has the form that a schema of texts asks for."""
    return "pattern" not in schema or compiled(schema["pattern"]).search(text) is not None


def _mapping(rng: Random, walk: Walk, schema: dict[str, Any], depth: int) -> dict[str, Any]:
    out = {}
    properties, required = schema.get("properties", {}), schema.get("required", ())
    known = list(properties) if "x-specgen-variables" not in schema else []
    chance = 0.35 if depth < 2 else 0.2 if depth < 5 else 0.05
    for name in known:
        if (name in required and rng.random() < 0.995) or rng.random() < chance:
            out[name] = value(rng, walk, properties[name], depth + 1)
    others = schema.get("additionalProperties", {})
    if isinstance(others, dict):
        for _ in range(rng.randrange(3)):
            any_name = known or rng.random() < 0.5
            name = _text(rng, schema.get("propertyNames", {})) if any_name else rng.choice(NAMES)
            out[name] = value(rng, walk, properties.get(name, others), depth + 1)
    elif rng.random() < 0.003:
        out[rng.choice((*TEXTS, "procs_per_pod", "name", "image"))] = rng.choice(JUNK)
    return out


def mutated(rng: Random, document: Any) -> Any:
    """A deep copy with one to three changes at random places."""
    changed = copy.deepcopy(document)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        places = list(_places(changed))
        if places:
            _change(rng, places, *rng.choice(places))
    return changed


def _places(node: Any) -> Any:
    entries = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in entries:
        yield node, key
        yield from _places(child)


def _change(rng: Random, places: list[Any], holder: Any, key: Any) -> None:
    if isinstance(holder, dict) and key not in holder:
        return  # an earlier change of this round took it away
    old = holder[key]
    what = rng.choice(CHANGES)
    if what == "drop":
        del holder[key]
    elif what == "add" and isinstance(holder, dict):
        names = [name for other, name in places if isinstance(other, dict)]
        holder[rng.choice((*names, *NAMES, *TEXTS))] = rng.choice(JUNK)
    elif what == "misspell" and isinstance(holder, dict) and key:
        at = rng.randrange(len(key))
        holder[rng.choice((key[:at] + key[at + 1 :], key[:at] + key[at:].swapcase(), f"{key}s"))] = holder.pop(key)
    elif what == "null":
        holder[key] = None
    elif what == "quote" and not isinstance(old, (dict, list)):
        holder[key] = str(old)
    elif what == "unquote" and isinstance(old, str) and old.isascii() and old.isdigit():
        holder[key] = int(old)
    elif what == "swap":
        other, name = rng.choice(places)
        # Never into itself: a document is a tree.
        if (not isinstance(other, dict) or name in other) and not isinstance(old, (dict, list)):
            moved = other[name] if not isinstance(other, list) or name < len(other) else old
            if not isinstance(moved, (dict, list)):
                holder[key] = moved
    elif what == "text":
        holder[key] = rng.choice(TEXTS)
    elif what == "duplicate" and isinstance(holder, dict):
        holder[f"{key}-2"] = copy.deepcopy(old)
    elif what == "float" and type(old) is int:
        holder[key] = float(old)
    else:
        holder[key] = copy.deepcopy(rng.choice(JUNK))
