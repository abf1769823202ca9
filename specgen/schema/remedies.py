"""The line to write in place of a value of a wrong shape: what people mean who know YAML from elsewhere.

Kubernetes' lists with names, `docker run`'s colons, Slurm's times, amounts with a `B`. A remedy is a value that the
schema takes: what it does not take is nobody's remedy, however well it was meant.
"""

from __future__ import annotations

import re
import shlex

from specgen.diagnostics.model import spelt
from specgen.document.write import inline, is_plain
from specgen.schema.wording import secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schema.walk import Schema, Walk
    from specgen.source import Path

# A line that is cut is none to write, and what is longer than this nobody reads.
_LONGEST = 400
# Fields whose list is a command line.
_COMMANDS = ("command", "args", "preStop")
# What only a shell does.
_SHELL = re.compile(r"&&|\|\||[|;<>`]|\$\(|\$[A-Za-z_{]")
# Fields that a bare word is the value of, in the order in which they are tried.
_FIRST = ("hostPath", "path", "from", "version", "name", "by", "kind", "secret", "text")
# The same of a bare number.
_COUNTED = ("gpu", "count", "perNode", "min", "cpu", "pods")
_OF_CLAIM = re.compile(r"([a-z0-9.-]+):/?([A-Za-z0-9_./-]+)")
_PAIR = re.compile(r"([A-Za-z0-9_./-]+)\s*[=:]\s*(.*)")
_RANGE = re.compile(r"\s*([0-9]{1,6})\s*[-:]\s*([0-9]{1,6})\s*")
# French counts octets: `64Go`, `64Gio`.
_AMOUNT = re.compile(r"([0-9][0-9,]*(?:[.,][0-9]+)?)\s*([KMGTPkmgtp])?(?:([iI])?[bBo]?|[bB]ytes)")
_CLOCK = re.compile(r"(?:([0-9]{1,3})-)?([0-9]{1,4}):([0-9]{2})(?::([0-9]{2}))?")
_PART = re.compile(r"\s*([0-9]{1,6})[.,]([0-9]{1,3})\s*([A-Za-z]+)\s*")
_TIMES = re.compile(
    r"\s*([0-9]+)\s*([A-Za-z]+|[\u4e00-\u9fff]+)\s*(?:,?\s*(?:and\s+|und\s+)?([0-9]+)\s*([A-Za-z]+|[\u4e00-\u9fff]+))?\s*"
)
# Numbers as they are spoken, each where its own number is.
_SPOKEN = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_COUNT = re.compile(
    r"\s*([0-9]{1,6})\s*(?:[x×].*|[;,]|c|cores?|cpus?|gpus?|pods?|nodes?|workers?|kerne?|knoten|stück|[个個卡张張块塊核台]|节点)?\s*"
    r"|.*[A-Za-z].*:([0-9]{1,6})",
    re.I,
)
# Digits that no reader takes for a number.
_CLEAR = re.compile(r"[0-9]+[smhd]|[0-9]+(?:\.[0-9]+){2,}|[0-9]+\.[0-9]+[kMGTPE]i?")
# Networks, whose name says that there is one: `rdma: infiniband`.
_THERE = ("infiniband", "ib", "roce", "efa")
_TRUE, _FALSE = ("yes", "on", "true", "enabled", "enable", "1", "y"), ("no", "off", "false", "disabled", "0", "n")
_UNITS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hr": 3600, "hour": 3600}
_UNITS |= {"d": 86400, "day": 86400, "w": 604800, "week": 604800}
_UNITS |= {"sek": 1, "sekunden": 1, "sekunde": 1, "minuten": 60, "std": 3600, "stunde": 3600, "stunden": 3600}
_UNITS |= {"tag": 86400, "tage": 86400, "woche": 604800, "wochen": 604800}
_UNITS |= {"seconde": 1, "heure": 3600, "jour": 86400, "semaine": 604800}
_UNITS |= {"秒": 1, "秒钟": 1, "分": 60, "分钟": 60, "时": 3600, "小时": 3600, "天": 86400, "日": 86400, "周": 604800}
# Options of starters that follow from other words.
_FOLLOWING = ("--nproc", "--nnodes", "--master", "--rdzv", "--node", "--num_processes", "--num_machines", "-np")
# Hosts as Slurm writes them: `node[01-04,7]`.
_HOSTS = re.compile(r"([A-Za-z0-9.-]*)\[([0-9,-]{1,200})\]([A-Za-z0-9.-]*)")
_MOST_HOSTS = 64
# Where Kubernetes has a list of names and values, or a mapping around one word.
_NAMED = ("name", "key", "mountPath", "ip")


def line(data: Any, path: Path, value: Any, alternatives: list[Schema], walk: Walk) -> tuple[str, Path, Any] | None:
    """(the line to write, path and value of the edit) for a value that a field does not take; None: nothing is known.

    The line begins with the nearest key; secrets in it are dots.
    """
    meant = value
    if isinstance(value, str) and not value.isascii():
        from specgen.document.lookalikes import plain

        meant = plain(value)
    first = [meant, int(meant)] if meant != value and meant.isdecimal() else [meant] if meant != value else []
    for candidate in (*first, *candidates(path, meant, alternatives, walk)):
        if walk.fits(candidate, alternatives):
            return _line(data, path, candidate)
    return None


def _line(data: Any, path: Path, candidate: Any) -> tuple[str, Path, Any] | None:
    """The line of a candidate; that of the whole list where it is an item."""
    while path and isinstance(path[-1], int):
        holder: Any = data
        for step in path[:-1]:
            holder = holder[step]
        own = [candidate]
        if len(path) > 1 and path[-2] in _COMMANDS:
            if any(isinstance(item, float) for item in holder):
                return None  # of which nobody knows here how it is written
            if isinstance(holder[path[-1]], dict):
                own = [str(word) for pair in holder[path[-1]].items() for word in pair if word is not None]
            holder = [str(item) if type(item) is int else item for item in holder]
        candidate = [one for at, item in enumerate(holder) for one in (own if at == path[-1] else [item])]
        path = path[:-1]
    if not path:
        return None
    return said(str(path[-1]), candidate), path, candidate


def said(key: str, value: Any) -> str:
    """``key: value`` on one line, cut where it is long."""
    text = f"{inline(key)}: {flow(value, hide=secret(key))}"
    if len(text) <= _LONGEST:
        return text
    if isinstance(value, dict) and len(value) > 1:
        first = next(iter(value))
        return f"{inline(key)}: {{{flow(first)}: {flow(value[first], hide=secret(first))}, …}}"
    return f"{text[: _LONGEST - 1]}…"


def flow(value: Any, *, hide: bool = False) -> str:
    """A value in YAML's short form. ``hide``: texts in it are secrets."""
    if isinstance(value, dict):
        # what names a secret is none
        hide = hide and not ("key" in value and ("secret" in value or "configMap" in value))
        if not hide and "key" in value:
            return "{" + ", ".join(f"{flow(key)}: {flow(item)}" for key, item in value.items()) + "}"
        return (
            "{" + ", ".join(f"{flow(key)}: {flow(item, hide=hide or secret(key))}" for key, item in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(flow(item, hide=hide) for item in value) + "]"
    if isinstance(value, str):
        if hide and value:
            return "…"
        plain = is_plain(value) and not any(sign in value for sign in ",[]{}")
        return (
            value
            if plain or _is_option(value) or _CLEAR.fullmatch(value)
            else inline(value)
            if not is_plain(value)
            else f'"{value}"'
        )
    return spelt(value)


def _is_option(text: str) -> bool:
    return re.fullmatch(r"--?[A-Za-z][\w./=-]*", text) is not None


def candidates(path: Path, value: Any, alternatives: list[Schema], walk: Walk) -> Iterator[Any]:
    """Values that may have been meant, the likeliest first; most of them fit nowhere."""
    key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
    for schema in alternatives:
        kind = schema.get("type")
        if kind == "array":
            yield from _lists(key, value, schema, walk)
        elif kind == "object":
            must = schema.get("x-specgen-required", ())
            yield from (one for one in _mappings(key, value, schema, walk) if all(name in one for name in must))
        elif kind in ("integer", "number", "boolean"):
            yield from _numbers(value, kind)
        elif kind == "string":
            yield from _texts(key, value, schema)


def _lists(key: str, value: Any, schema: Schema, walk: Walk) -> Iterator[Any]:
    if isinstance(value, str):
        if key in _COMMANDS:
            yield from command_lines(value)
        elif key in ("hosts", "avoidHosts") and (found := hosts(value)):
            yield found
        elif "," in value:
            yield [part.strip() for part in value.split(",") if part.strip()]
        elif " " in value.strip():
            yield value.split()
        yield [value]
        for item in walk.alternatives(schema.get("items", {})):
            if item.get("type") == "object":
                for below in _mappings(key, value, item, walk):
                    yield [below]
    elif isinstance(value, dict):
        for word, meant in (("secretRef", "secret"), ("configMapRef", "configMap")):
            if isinstance(value.get(word), dict) and "name" in value[word]:
                yield [{meant: value[word]["name"]}]
        yield [value]
        if all(not isinstance(item, (dict, list)) for item in value.values()):
            yield [str(part) for pair in value.items() for part in pair if part is not None]
    elif isinstance(value, list):
        for index in ("name", "secretRef", "configMapRef"):
            if all(isinstance(item, dict) and len(item) == 1 and index in item for item in value):
                yield [item[index] for item in value]
    else:
        yield [value]
        yield [str(value)]


def hosts(text: str) -> list[str]:
    """The hosts of Slurm's short form; none: it is another text."""
    match = _HOSTS.fullmatch(text)
    if match is None:
        return []
    before, ranges, after = match.groups()
    found: list[str] = []
    for part in ranges.split(","):
        first, dash, last = part.partition("-")
        last = last if dash else first
        if not (first.isdecimal() and last.isdecimal()) or not 0 <= int(last) - int(first) < _MOST_HOSTS:
            return []
        found += [f"{before}{one:0{len(first)}d}{after}" for one in range(int(first), int(last) + 1)]
    return found if len(found) <= _MOST_HOSTS else []


def command_lines(text: str) -> Iterator[list[str]]:
    """The words of a command line, or a shell that reads it where only one can."""
    if not _SHELL.search(text):
        try:
            yield shlex.split(text)
            return
        except ValueError:
            pass
    yield ["bash", "-c", text]


def _mappings(key: str, value: Any, schema: Schema, walk: Walk) -> Iterator[Any]:
    fields = schema.get("properties", {})
    is_map = isinstance(schema.get("additionalProperties"), dict)
    if isinstance(value, list):
        yield from _united(key, value, schema)
        if len(value) == 1 and isinstance(value[0], dict):
            yield value[0]
        if all(isinstance(item, dict) for item in value):
            yield {name: below for item in value for name, below in item.items()}
    if isinstance(value, str):
        pair = _PAIR.fullmatch(value)
        span = _RANGE.fullmatch(value)
        if span is not None and "min" in fields:
            yield {"min": int(span[1]), "max": int(span[2])}
        if "by" in fields and len(words := value.split()) > 1 and not all(map(_follows, words[1:])):
            yield {"by": words[0], "options": words[1:]}
        if {"kind", "version"} <= fields.keys() and len(parts := re.split(r"[/ ]", value)) == 2:
            yield {"kind": parts[0], "version": parts[1]}
        pairs = [_PAIR.fullmatch(part) for part in re.split(r"[,;\s]+", value.strip())]
        if is_map and len(pairs) > 1 and all(pairs):
            yield {one[1]: one[2] for one in pairs if one is not None}
        if is_map and pair is not None:
            yield {pair[1]: pair[2]}
        count = _COUNT.fullmatch(value.strip())
        named = pair[1].lower() if pair is not None else re.sub(r"[^a-z]", "", value.lower()).removesuffix("s")
        if named in _COUNTED and named in fields and (pair is None or pair[2].isdecimal()):
            yield {named: int(pair[2] if pair is not None else (count and (count[1] or count[2])) or 0)}
        if {"command", "image"} <= fields.keys():
            yield from ({"command": words} for words in command_lines(value))
        if {"server", "path"} <= fields.keys() and ":/" in value:
            server, _, path = value.partition(":/")
            yield {"server": server, "path": f"/{path}"}
        if key == "tolerations":
            yield {"*" if value.lower() in ("all", "any", "true") else value: {}}
        if "version" in fields and (version := re.fullmatch(r"v?([0-9]+(?:\.[0-9]+)+)", value)) is not None:
            yield {"version": version[1]}
        if "pvc" in fields:
            if value.startswith(("pvc/", "pvc:")):
                yield {"pvc": value[4:].lstrip("/")}
            if "://" in value:
                yield from _shares(value, fields)
                return
            if "subPath" in fields and (part := _OF_CLAIM.fullmatch(value)) is not None:
                yield {"pvc": part[1], "subPath": part[2]}
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        if is_map and isinstance(value, int):
            yield {f"port-{value}": value}
        for name, below in fields.items():
            if any(value in one.get("enum", ()) or value == one.get("const") for one in walk.alternatives(below)):
                yield {name: value}
            if value == name:
                yield {name: True}
        # a bare name may be a claim's, or that of a file system of the cluster profile
        unclear = "pvc" in fields and not str(value).startswith("/")
        for name in () if unclear else _FIRST if isinstance(value, str) else _COUNTED:
            if name in fields and (name not in ("hostPath", "path") or str(value).startswith("/")):
                yield {name: value}
    if value is True and key == "tolerations":
        yield {"*": {}}
    if isinstance(value, list) and "min" in fields and len(value) == 2:
        yield {"min": value[0], "max": value[1]}


def _follows(word: str) -> bool:
    """Whether an option of a starter follows from other words, or is the number of one."""
    return word.startswith(_FOLLOWING) or word.isdecimal()


def _shares(value: str, fields: dict[str, Any]) -> Iterator[Any]:
    """The share of a server that a URL names."""
    server, slash, path = value.removeprefix("nfs://").partition("/")
    if value.startswith("nfs://") and slash and "nfs" in fields:
        yield {"nfs": {"server": server, "path": f"/{path}"}}


def _united(key: str, value: list[Any], schema: Schema) -> Iterator[Any]:
    """A list of Kubernetes, whose items have names, as a mapping by these names."""
    found: dict[str, Any] = {}
    for item in value:
        if isinstance(item, str):
            pair = _PAIR.fullmatch(item)
            if key == "mounts" and ":" in item:
                host, _, rest = item.partition(":")
                inside = rest.partition(":")[0]
                found[inside] = {"hostPath": host} if host.startswith("/") else {"pvc": host}
                if rest.endswith(":ro"):
                    found[inside]["readOnly"] = True
            elif key == "ports" and pair is not None and pair[2].isdecimal():
                # as Docker has it, the port of the container behind that of the host
                found[f"port-{pair[2]}"] = int(pair[2][:6])
            elif pair is not None:
                found[pair[1]] = pair[2]
            elif key == "tolerations":
                found[item] = {}
            elif key == "ports" and item.isdecimal() and len(item) < 6:
                found[f"port-{item}"] = int(item)
            else:
                return
        elif isinstance(item, int):
            found[f"port-{item}"] = item
        elif isinstance(item, dict):
            name, below = _entry(key, item)
            if name is None:
                return
            found[name] = below
        else:
            return
    yield found


def _entry(key: str, item: dict[str, Any]) -> tuple[str | None, Any]:
    """(name, what stands under it) of an item of a list of Kubernetes."""
    if key == "mounts" and "mountPath" in item and "name" not in item:
        return str(item["mountPath"]), {name: below for name, below in item.items() if name != "mountPath"}
    if key == "mounts" and "mountPath" in item:
        below = {"pvc": item.get("name", "CLAIM")}
        return str(item["mountPath"]), below | {name: item[name] for name in ("readOnly", "subPath") if name in item}
    if key == "mounts" and str(item.get("path", "")).startswith("/"):
        return item["path"], {name: below for name, below in item.items() if name != "path"}
    if key == "ports" and "containerPort" in item:
        return str(item.get("name", f"port-{item['containerPort']}")), item["containerPort"]
    name = next((word for word in _NAMED if isinstance(item.get(word), str)), None)
    if name is None:
        if len(item) == 1:  # `- A: b`
            (only,) = item.items()
            if key == "mounts" and isinstance(only[1], str) and str(only[0]).startswith("/"):
                return only[0], {"hostPath" if only[1].startswith("/") else "pvc": only[1]}
            return str(only[0]), only[1]
        return None, None
    rest = {word: below for word, below in item.items() if word != name}
    if key == "tolerations":
        rest.pop("operator", None)
    if set(rest) == {"value"} and key != "tolerations":
        scalar = rest["value"]
        return item[name], scalar if isinstance(scalar, str) else str(scalar).lower() if scalar is not None else ""
    if set(rest) == {"valueFrom"}:
        return item[name], source(rest["valueFrom"]) or rest
    return item[name], rest


def source(node: Any) -> dict[str, Any] | None:
    """What Kubernetes says in ``valueFrom``, in this language; None: it says something else."""
    if not isinstance(node, dict) or len(node) != 1:
        return None
    ((word, below),) = node.items()
    below = below if isinstance(below, dict) else {}
    if word == "valueFrom":
        return source(below)
    if word in ("secretKeyRef", "configMapKeyRef") and {"name", "key"} <= below.keys():
        return {"secret" if word == "secretKeyRef" else "configMap": below["name"], "key": below["key"]}
    if word == "fieldRef" and "fieldPath" in below:
        return {"field": below["fieldPath"]}
    return {"resource": below["resource"]} if word == "resourceFieldRef" and "resource" in below else None


def _numbers(value: Any, kind: str) -> Iterator[Any]:
    if kind == "boolean":
        word = str(value).lower()
        if word in _TRUE + _FALSE + _THERE:
            yield word not in _FALSE
    if isinstance(value, str):
        if value.lower() in _SPOKEN and kind == "integer":
            yield _SPOKEN.index(value.lower())
        found = _COUNT.fullmatch(value)
        if found is not None and kind != "boolean":
            yield int(found[1] or found[2])
        if kind == "number" and re.fullmatch(r"[0-9]+[.,][0-9]+", value):
            yield float(value.replace(",", "."))
    elif isinstance(value, dict) and len(value) == 1:
        yield next(iter(value.values()))
    elif isinstance(value, list) and len(value) == 1:
        yield value[0]


def _texts(key: str, value: Any, schema: Schema) -> Iterator[Any]:
    title = str(schema.get("title", ""))
    choices = [*schema.get("enum", ()), *schema.get("x-specgen-words", ()), schema.get("const")]
    if isinstance(value, bool) and {"All", "None"} <= {*choices}:
        yield "All" if value else "None"
    if isinstance(value, str) and [one for one in choices if one] == [value.removesuffix("s")]:
        yield value.removesuffix("s")
    if value is True and "OnFailure" in choices:
        yield "OnFailure"
    if value is False and "Never" in choices:
        yield "Never"
    if value is True and [one for one in choices if one] == ["host"]:
        yield "host"
    if "auto" in choices and (value is True or str(value).lower() in ("all", "max", "true", "yes")):
        yield "auto"
    if isinstance(value, str) and len(words := value.split()) > 1 and words[0] in choices:
        first, *rest = words
        if all(map(_follows, rest)):
            yield first
    if title.startswith("an amount"):
        yield from _amounts(value)
    elif title.startswith("a time"):
        yield from _durations(value)
    elif title.startswith("a version") and isinstance(value, str):
        yield value.removeprefix("v")
    elif title.startswith("a minor version") and isinstance(value, dict) and len(value) == 1:
        yield str(next(iter(value.values())))
    elif title.startswith("a minor version") and isinstance(value, str):
        yield ".".join(re.split(r"[.+-]", value.removeprefix("v"))[:2])
    elif title.startswith("a name of lower-case") and isinstance(value, str):
        yield re.sub(r"[^a-z0-9-]+", "-", value.lower()).strip("-")
    elif title.startswith("an absolute path") and isinstance(value, dict) and len(value) == 1:
        yield next(iter(value.values()))
    if isinstance(value, dict):
        for name in ("repository", "name"):
            if {name, "tag"} <= value.keys():
                yield f"{value[name]}:{value['tag']}"
        if len(value) == 1 and isinstance(next(iter(value.values())), str):
            yield next(iter(value.values()))
    elif isinstance(value, list) and value and all(isinstance(item, (str, int)) for item in value):
        if len(value) == 1:
            yield str(value[0])
        elif key == "prepare":
            whole = any(" " in str(item) for item in value)
            yield " && ".join(map(str, value)) if whole else shlex.join(map(str, value))
        elif key.isupper():
            # a list in a variable is one text; elsewhere two names are not one
            yield ",".join(map(str, value))


def _amounts(value: Any) -> Iterator[str]:
    """Amounts of memory: a unit of 1,024s, which is what nodes and people count in."""
    if type(value) is int and value >= 2**30:
        # bytes, as `docker inspect` and cgroups have them
        yield from (f"{value // 2**power}{unit}" for power, unit in ((30, "Gi"), (20, "Mi")) if value % 2**power == 0)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and value:
        yield f"{value}Gi" if value < 100_000 else str(value)
    found = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        number = found[1]
        if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", number):
            number = number.replace(",", "")
        unit = (found[2] or "G").upper()
        if unit in ("T", "P") and decimal(value):
            # a binary unit of this size is more by a tenth than what is there
            yield f"{number.replace(',', '.')}{unit}"
        yield f"{number.replace(',', '.')}{unit}i"


def decimal(value: Any) -> bool:
    """Whether an amount is written with the `B` of bytes and a unit of 1,000s, as disks are sold: ``64GB``."""
    found = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    return found is not None and bool(found[2]) and not found[3] and str(value)[-1:] in "bBo"


def _durations(value: Any) -> Iterator[str]:
    """Times: seconds, Slurm's and clocks' colons, words for units."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield _time(value)
    if not isinstance(value, str):
        return
    clock, times, part = _CLOCK.fullmatch(value.strip()), _TIMES.fullmatch(value), _PART.fullmatch(value)
    if value.strip().isdecimal():
        yield _time(int(value))
    elif clock is not None:
        hours, minutes, seconds = int(clock[2]), int(clock[3]), int(clock[4] or 0)
        yield _time(int(clock[1] or 0) * 86400 + hours * 3600 + minutes * 60 + seconds)
    elif part is not None and (unit := _unit(part[3])) is not None:
        yield _time(round(float(f"{part[1]}.{part[2]}") * _UNITS[unit]))
    elif times is not None:
        parts = [(int(number), unit) for number, unit in ((times[1], times[2]), (times[3], times[4])) if number]
        known = [number * _UNITS[unit] for number, word in parts if (unit := _unit(word)) is not None]
        if len(known) == len(parts):
            yield _time(sum(known))


def _unit(word: str) -> str | None:
    word = word.lower()
    return next((unit for unit in (word, word.removesuffix("s"), word.removesuffix("utes")) if unit in _UNITS), None)


def _time(seconds: int) -> str:
    """In the largest unit that leaves no rest; days only where they were meant, as a round number."""
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"
