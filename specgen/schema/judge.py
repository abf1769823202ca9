"""The judge: the ``jsonschema`` library says where a document leaves its schema, this module says it in our words.

The library's messages are never shown. Its errors at a mapping (unknown and missing fields) are recomputed from the
mapping and its schema, so that each key gets its own place.
"""

from __future__ import annotations

import re

from specgen.diagnostics.model import KEY, SAFE, UNSAFE, Fix, Place, article, listed, spelt
from specgen.diagnostics.operations import Remove, Rename, Set
from specgen.diagnostics.suggest import hint, similar
from specgen.quantity import fault
from specgen.schema import codes
from specgen.schema.walk import Walk
from specgen.schema.wording import UNLIKE, field, folded, found, secret, shown, takes, without_range
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.schema.walk import Schema
    from specgen.schema.wording import Wording
    from specgen.source import Path

    Text = Callable[[Path], str | None]


def judge(
    schema: Schema, definition: str | None, data: Any, *, wording: Wording, text: Text | None = None
) -> list[Finding]:
    """The findings of a document; none: it is valid.

    definition: the name of one of the schema's definitions, or None for its top level. text: the plain text of the
    scalar at a path as the document has it (`1.10` where the data have 1.1), None where it is quoted or unknown.
    Every error of the library is in one finding; the order is the schema's.
    """
    from specgen.schema.library import errors

    walk = Walk(schema, definition)
    judged = _Judged(walk, data, wording, text or (lambda path: None))
    mappings: dict[Path, list[str]] = {}
    others = []
    for kind, path, instance in errors(schema, definition, data):
        if kind in ("unknown", "missing"):
            mappings.setdefault(path, [])
        else:
            others.append((kind, path, instance))
    findings = [finding for path in mappings for finding in judged.mapping(path)]
    mistyped = {path for kind, path, _ in others if kind == "type"}
    # of an entry under a wrong name, its name is told
    misnamed = {(*path, instance) for kind, path, instance in others if kind == "name"} if wording.patched else set()
    for kind, path, instance in others:
        if path in misnamed and kind == "type" and not isinstance(path[-1], int):
            continue
        if path in mistyped and kind not in ("type", "name"):
            continue  # what has another type is none of the words, either
        findings.append(judged.name(path, instance) if kind == "name" else judged.value(kind, path, instance))
    return _together(findings, data) if wording.patched else findings


def _together(findings: list[Finding], data: Any) -> list[Finding]:
    """The same of the findings with those that are one habit as one: a number without quotes at each value of an axis.

    The first of the document bears the others as related places and mends them all.
    """
    alike: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.fix is not None and finding.message.endswith(_QUOTE):
            alike.setdefault(finding.message, []).append(finding)
    gone: list[Finding] = []
    for several in alike.values():
        first, *others = sorted(several, key=lambda one: _position(data, one.place.path))
        if not others or first.fix is None:
            continue
        first.related += [(one.place, "here as well") for one in others]
        title = f"{first.fix.title}, and so in {len(others)} more {'place' if len(others) == 1 else 'places'}"
        first.fix = Fix(title, SAFE, [step for one in (first, *others) if one.fix for step in one.fix.patch])
        gone += others
    return [finding for finding in findings if finding not in gone]


def _position(data: Any, path: Path) -> list[int]:
    """Where a path stands in a document, to be compared."""
    found = []
    for step in path:
        found.append(list(data).index(step) if isinstance(data, dict) else int(step))
        data = data[step]
    return found


_QUOTE = "takes text: quote the number"


# A word, and what is a comment elsewhere.
_SLASHES = re.compile(r"(\S+)[ \t]+//(?:[ \t].*|\w.*)?")
# An amount that no other one can be meant by: `g` alone is a billion to some and 2^30 to others.
_AMOUNT = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([KMGTPkmgtp])(?:([iI])[bB]?|[bB])")

# Values that are longer are not repeated in a line of a patch.
_LONGEST = 300
# Findings past this many get no help and no fix: nobody reads them, and looking for similar names takes time.
MOST_HELPED = 200


# Of a role that no kind has.
_OTHER_PROGRAM = (
    "the roles of a job are {}, and train together: pods of another program are a job of their own, in a profile "
    "beside this one"
)


class _Judged:
    __slots__ = ("data", "helped", "text", "walk", "wording")

    def __init__(self, walk: Walk, data: Any, wording: Wording, text: Text) -> None:
        self.walk = walk
        self.data = data
        self.helped = 0
        self.wording = wording
        self.text = text

    def mapping(self, path: Path) -> list[Finding]:
        """Unknown keys, each by itself, then all that is missing, less what an unknown key was meant to be."""
        chain = self.walk.chain(self.data, path)
        schema, instance = chain[-1]
        properties = schema.get("properties", {})
        noun = self.noun(path)
        findings: list[Finding] = []
        meant: set[str | None] = set()
        if schema.get("additionalProperties") is False:
            for key in instance:
                if key not in properties:
                    target, help = self.remedy(key, path, chain) if self.has_help() else (None, None)
                    if target is not None and not self._holds(properties.get(target), instance[key]):
                        target, help = None, f"there is a field with a similar name: `{target}`"
                    findings.append(self.unknown(key, path, noun, None if target in meant else target, help))
                    meant.add(target)
        missing = [key for key in schema.get("required", ()) if key not in instance and key not in meant]
        if missing:
            message = f"{noun} lacks {listed(missing, most=8)}"
            findings.append(codes.MISSING_FIELD.at(path, message, part=KEY, notes=self.wording.refused))
        return findings

    def _holds(self, field: Schema | None, value: Any) -> bool:
        """Whether a field takes a value of this sort: a mapping is no text, whatever its key is called.

        A scalar of a wrong type is a finding of its own, with a remedy of its own.
        """
        if field is None or value is None or isinstance(value, bool):
            return True
        types = set()
        for one in self.walk.alternatives(field):
            named = one.get("type")
            types |= set(named) if isinstance(named, list) else {named}
        if None in types:
            return True
        kind = "object" if isinstance(value, dict) else "array" if isinstance(value, list) else ""
        if self.wording.patched:  # a profile's words are mended by their values as well
            return True
        return kind in types if kind else bool(types - {"object", "array", "null"})

    def has_help(self) -> bool:
        """Whether the next finding still gets a help."""
        self.helped += 1
        return self.helped <= MOST_HELPED

    def unknown(self, key: str, path: Path, noun: str, target: str | None, help: str | None) -> Finding:
        place = Place((*path, key), KEY)
        fix = self._fix(place.path, target)
        return codes.UNKNOWN_FIELD.at(
            place,
            f"`{shown(key)}` is not a field of {noun}",
            helps=[help] if help and fix is None else [],
            notes=self.wording.unknown,
            fix=fix,
        )

    def _fix(self, path: Path, target: str | None) -> Fix | None:
        key = path[-1]
        if target:
            return Fix(f"rename `{shown(key)}` to `{target}`", UNSAFE, [Rename(path, target)])
        if key in self.wording.idle.get(str(path[-2]) if len(path) > 1 else "", ()):
            return Fix("remove it", SAFE, [Remove(path)])
        return None

    def remedy(self, key: str, path: Path, chain: list[tuple[Schema, Any]]) -> tuple[str | None, str | None]:
        """The one field here that was meant, if that is clear, and the help: exact knowledge before distance."""
        schema, instance = chain[-1]
        properties = schema.get("properties", {})
        alias = self.walk.resolve(schema, self.wording.alias(key)) or self._spelt(key, schema)
        if self.wording.patched and (help := self._line_for(key, path, instance)) is not None:
            return None, help
        if self.wording.patched and (help := self._in_words(key, path, chain[-1], alias)) is not None:
            return None, help
        if alias is None and self.wording.patched and (empty := self._empty_above(key, schema, instance)) is not None:
            return None, f"indent it to stand under `{empty}`, which is empty"
        if alias is not None:
            rename = alias if alias in properties and alias not in instance else None
            if rename is not None and key.replace("-", "_") in self.wording.each and type(instance[key]) is int:
                from specgen.schema.remedies import said  # it counts for one of several

                value, why = self._whole(key, instance)
                return None, f"write `{said(rename, value)}`{why}"
            if rename is not None and self.wording.patched:
                share = self._share(key, instance)
                line = share or self._mended(key, rename, schema, instance[key])
                if line is not None:
                    return None, line
            value, why = self._whole(key, instance)
            line = self._line_below(key, alias, chain[-1], value) if rename is None else None
            return rename, f"write {line}{why}" if line is not None else f"the field for this is `{alias}`"
        if self.wording.patched and (sentence := self._habit(key, path, instance)) is not None:
            return None, sentence
        one = key.removesuffix("s")
        if self.wording.patched and one != key and one in properties and one not in instance:
            return one, f"there is a field with a similar name: `{one}`"
        if (sentence := self._looked_for(key, instance[key])) is not None:
            return None, sentence
        near = similar(key, properties)
        if not near and path == ("roles",) and self.wording.patched and isinstance(instance[key], dict):
            return None, _OTHER_PROGRAM.format(listed(properties, most=8))
        if near and near[0].lower() == key.replace("_", "").replace("-", "").lower():
            near = near[:1]
        else:
            below = [name for name, inner in self.walk.mappings(schema) if key in inner.get("properties", {})]
            if 0 < len(below) <= 4:
                alone = f"{below[0]}.{key}" if len(below) == 1 else ""
                line = self._line_below(key, alone, chain[-1], instance[key])
                return None, f"write {line}" if line is not None else f"`{shown(key)}` is a field of {listed(below)}"
            for depth in range(len(path) - 1, -1, -1):
                above = chain[depth][0]
                if key in above.get("properties", {}):
                    return None, f"`{shown(key)}` is a field of {self._above(path, depth)}"
        target = near[0] if len(near) == 1 and near[0] not in instance else None
        return target, hint(key, properties)

    def _above(self, path: Path, depth: int) -> str:
        """A mapping so far up a path, in words that tell it from the one at its end."""
        noun = self.noun(path[:depth])
        if noun != self.noun(path):
            return noun
        # a template of pods has a `spec` as well as the Job around it
        return f"`{dotted(path[:depth])}`, where it stands beside `{path[depth]}`"

    def _in_words(self, key: str, path: Path, at: tuple[Schema, Any], alias: str | None) -> str | None:
        """The help for a mapping of an operator, or for a role, whose entries are said by words of a profile."""
        schema, instance = at
        value = instance[key]
        from specgen.schema.translated import counted, gang_of, left_out, of_pods, translated

        if (line := gang_of(key, instance)) is not None:
            return line
        if not path:
            for line in (
                left_out(key, value, instance),
                counted(key, instance),
                translated(key, value, self.walk, self.wording),
                of_pods(key, value),
            ):
                if line is not None:
                    return line
        if not isinstance(value, (dict, list)):
            return None
        below = schema.get("properties", {}).get(alias) if alias is not None else None
        inside = self.walk.alternatives(below) if below is not None else []
        kind = "object" if isinstance(value, dict) else "array"
        line = self._mended(key, alias, schema, value) if alias is not None else None
        if line is not None:
            return line
        if inside and all(one.get("type") != kind for one in inside):
            return f"the field for this is `{alias}`, which takes {takes([*map(without_range, inside)], '')}"
        return None

    def _habit(self, key: str, path: Path, instance: dict[str, Any]) -> str | None:
        """The help for a key that something else is meant by than a field."""
        from specgen.schema.habits import chosen, no_operator, of_beside, parted, said_otherwise, unparted

        schema = self.walk.chain(self.data, path)[-1][0]
        if (line := unparted(key, instance[key], schema.get("properties", ()))) is not None:
            return line
        if path == ("operators",) and (line := no_operator(key, self.walk)) is not None:
            return line
        if key == "ports" and len(path) == 2 and path[0] in ("init", "sidecars"):
            return of_beside(path, instance[key])
        if key == "extends" and path[:1] in (("matrix",), ("variants",)):
            return (
                "a choice extends nothing: make this profile a `kind: Base`, and write a job file for each choice, "
                "with `extends: [TEAM.yaml, THIS.yaml]`"
            )
        keys = list(instance)
        before = keys[keys.index(key) - 1] if keys[0] != key else None
        if instance[key] is None and before is not None:
            fields = self.walk.alternatives(self.walk.field(self.data, (*path, before)))
            if (line := parted(instance, before, fields, self.walk)) is not None:
                return line
        if path and isinstance(path[-1], str):
            around = self.walk.alternatives(self.walk.field(self.data, path))
            if (line := chosen(key, instance[key], path[-1], around, self.walk)) is not None:
                return line
        return said_otherwise(key, instance[key])

    def _spelt(self, key: str, schema: Schema) -> str | None:
        """The path of the one field further down that differs from a name in its spelling alone."""
        if not self.wording.patched or (key.isalpha() and key.islower()):
            return None
        plain = folded(key)
        found = [
            f"{name}.{field}"
            for name, inner in self.walk.mappings(schema)
            for field in inner.get("properties", {})
            if field != key and folded(field) == plain
        ]
        return found[0] if len(found) == 1 else None

    def _looked_for(self, key: str, value: Any) -> str | None:
        """The help for what is no field's other name: the words that say it, or a variable of a program."""
        if not self.wording.patched or not isinstance(self.data, dict):
            return None
        from specgen.schema.topics import program_variable, topic

        if key.startswith("nccl_"):
            key = key.upper()
        if program_variable(key) and not isinstance(value, (dict, list)):
            from specgen.schema.remedies import said

            source = {"secret": "NAME", "key": "KEY"}
            return f"write `{said('env', {key: source if secret(key) else str(value)})}`"
        cluster = self.data.get("kind") == "Cluster"
        words = [word for word in topic(key) if word.startswith("cluster.") == cluster]
        if not words:
            return None
        names = listed([word.removeprefix("cluster.") for word in words])
        return f"{names} {'say' if len(words) > 1 else 'says'} this, see `specgen explain {key}`"

    def _whole(self, key: str, instance: dict[str, Any]) -> tuple[Any, str]:
        """The value for all, and why, of a name that counts for one of several; of any other name its own value."""
        value, of = instance[key], self.wording.each.get(key.replace("-", "_"))
        if of is None:
            return value, ""
        names = (of, *(name for name, field in self.wording.aliases.items() if field == of))
        said = {name.replace("-", "_"): count for name, count in instance.items()}
        count = next((said[name] for name in names if type(said.get(name)) is int), None)
        if type(value) is not int or count is None:
            return value, f", times the `{of}`"
        return value * count, f", {value} for each of {count} processes"

    def _mended(self, key: str, alias: str, schema: Schema, value: Any) -> str | None:
        """The line for a field here that has another name, and does not take the value as it stands."""
        below = schema.get("properties", {}).get(alias)
        if below is None or value is None or secret(key):
            return None
        from specgen.schema.habits import needs_more, no_unit
        from specgen.schema.remedies import candidates, said

        taken = self.walk.alternatives(below)
        if self.walk.fits(value, taken):
            return None
        if (units := no_unit(alias, value)) is not None:
            return units
        for candidate in candidates((alias,), value, taken, self.walk):
            if self.walk.fits(candidate, taken):
                return f"write `{said(alias, candidate)}`"
        return needs_more((alias,), value, self.walk, self.data)

    def _share(self, key: str, instance: dict[str, Any]) -> str | None:
        """The line for a number of all processes, of which the pods have a part each."""
        value = instance[key]
        if key.replace("-", "_") not in UNLIKE or type(value) is not int:
            return None
        names = ("procsPerPod", *(name for name, field in self.wording.aliases.items() if field == "procsPerPod"))
        known = {name.replace("-", "_"): count for name, count in instance.items()}
        each = next((known[name] for name in names if name not in UNLIKE and type(known.get(name)) is int), None)
        if each is None or each < 1 or value % each:
            return f"write `pods: …` with the number of pods: all {value} processes by those of one pod"
        return f"write `pods: {value // each}`: {value} processes, {each} in each pod"

    def _line_below(self, key: str, alias: str, at: tuple[Schema, Any], value: Any) -> str | None:
        """The line for a field that stands further down, mostly under another name, where its value is taken there."""
        from specgen.schema.remedies import candidates, said

        schema, instance = at
        steps = alias.split(".")
        if not self.wording.patched or key in UNLIKE or len(steps) < 2 or secret(key):
            return None
        for step in steps:
            below = schema.get("properties", {}).get(step, {})
            inside = self.walk.alternatives(below)
            schema = next((one for one in inside if one.get("type") == "object"), {})
        # under another name, a bare number may count minutes or megabytes, unless that name says what
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        certain = key == steps[-1] or not number or "Seconds" in key
        mended = candidates((steps[-1],), value, inside, self.walk) if certain else ()
        for candidate in (value, *mended):
            if self.walk.fits(candidate, inside):
                around = instance.get(steps[0])
                there = isinstance(around, dict)
                instead = ", in place of what it says there" if there and steps[1] in around else ""
                for step in reversed(steps[1 + there :]):
                    candidate = {step: candidate}
                return f"`{said(steps[there], candidate)}`" + (f" under `{steps[0]}`{instead}" if there else "")
        return None

    def _empty_above(self, key: str, schema: Schema, instance: dict[str, Any]) -> str | None:
        """The field before this one that holds nothing, and would take it."""
        keys = list(instance)
        for name in reversed(keys[: keys.index(key)]):
            if name in schema.get("properties", {}):
                inside = self.walk.alternatives(schema["properties"][name])
                empty = instance[name] is None and self.walk.fits({key: instance[key]}, inside)
                return name if empty else None
        return None

    def _line_for(self, key: str, path: Path, instance: dict[str, Any]) -> str | None:
        """The help that holds the line to write for a field of Kubernetes that profiles have in another form."""
        if key in self.wording.patched and len(path) < 3:
            from specgen.schema.remedies import flow

            value = flow(instance[key])
            line = self.wording.patched[key][1]
            return f"write `{line.replace('…', value) if len(value) < _LONGEST else line}`"
        from specgen.schema.foreign import foreign

        return foreign(key, path, instance)

    def noun(self, path: Path) -> str:
        """A mapping as messages name it: by its key where the schema gives it one, else by what it is."""
        chain = self.walk.chain(self.data, path)
        schema = chain[-1][0]
        if path and isinstance(path[-1], str) and path[-1] in chain[-2][0].get("properties", {}):
            return f"`{path[-1]}`"
        if path and isinstance(path[-1], str) and not schema.get("title"):
            return f"`{shown(path[-1])}`"
        return article(schema.get("title") or "mapping")

    def name(self, path: Path, key: str) -> Finding:
        """A key of a map that has not the form of its names."""
        schema = self.walk.chain(self.data, path)[-1][0]
        form = schema["propertyNames"].get("title", "a name that is taken here")
        message = f"the key `{shown(key)}` is not {form}"
        line = self._misnamed((*path, key))
        helps = [line] if line is not None else []
        return codes.WRONG_VALUE.at((*path, key), message, part=KEY, helps=helps, notes=self.wording.refused)

    def _misnamed(self, path: Path) -> str | None:
        """The help for an entry of a map whose key is no name there."""
        if not self.wording.patched:
            return None
        from specgen.schema.habits import misnamed

        value: Any = self.data
        for step in path:
            value = value[step]
        empty = self._empty_beside(path)
        if empty is not None:
            return f"indent it to stand under `{empty}`, which is empty"
        workdir = self.data.get("workdir") if isinstance(self.data, dict) else None
        return misnamed(path[:-1], str(path[-1]), value, workdir)

    def _empty_beside(self, path: Path) -> str | None:
        """The entry before this one that holds nothing, and would take it."""
        holder: Any = self.data
        for step in path[:-1]:
            holder = holder[step]
        if not isinstance(holder, dict):
            return None
        keys = list(holder)
        for name in reversed(keys[: keys.index(path[-1])]):
            inside = self.walk.alternatives(self.walk.field(self.data, (*path[:-1], name)))
            if holder[name] is None and self.walk.fits({path[-1]: holder[path[-1]]}, inside):
                return str(name)
        return None

    def value(self, kind: str, path: Path, value: Any) -> Finding:
        """A value of a wrong type (``type``), or of the right type and outside what the field takes."""
        alternatives = self.walk.alternatives(self.walk.field(self.data, path))
        name = field(path, "the document")
        helps: list[str] = []
        fix: Fix | None = None
        helped = self.has_help()
        word = before_slashes(value) if self.text(path) is not None else None
        if word is not None:
            message = f"`//` begins no comment in YAML: it is a part of {name}"
            fix = None if self._is_secret(path) else self._uncommented(path, word, alternatives)
            return codes.WRONG_VALUE.at(path, message, fix=fix, notes=self.wording.refused)
        number = _quoted_number(value, alternatives, self.walk) if helped else None
        quoted = self._unquoted(path, value, alternatives) if helped and number is None else None
        whole = self._parted(path, value, alternatives) if helped and quoted is not None else None
        if number is not None:
            fix = Fix(
                "remove the quotes", SAFE, [Set(path, value == "true" if value in ("true", "false") else int(number))]
            )
            message = f"{name} takes {takes([*map(without_range, alternatives)], value)}, not {found(value)}"
            kind = "type"
        elif quoted is not None and {schema.get("type") for schema in alternatives} <= {"string", "object", "null"}:
            message = f"{name} {_QUOTE}" if not isinstance(value, bool) else f"{name} takes text: quote the word"
            if whole is not None:
                helps = [whole]
            elif not self._is_secret(path):
                fix = Fix(f"write `{quoted}`", SAFE, [Set(path, quoted[1:-1])])
        elif kind == "type":
            message = f"{name} takes {takes([*map(without_range, alternatives)], value)}, not {found(value)}"
            if quoted is not None and isinstance(value, float) and path and "/" in str(path[-1]):
                # as text it would be refused for the amount
                helps = ["write a whole number: devices cannot be shared out in parts"]
            elif quoted is not None:
                fix = Fix(f"write `{quoted}`", SAFE, [Set(path, quoted[1:-1])])
            elif helped and value is not None and self.wording.patched:
                helps, fix = self._written(path, value, alternatives)
            elif helped and value is not None and (meant := self._in_kubernetes(path, value, alternatives)) is not None:
                helps, fix = meant
            elif helped and value is not None and self.walk.fits([value], alternatives):
                fix = Fix("make it the only item of a list", UNSAFE, [Set(path, [value])])
        else:
            message, helps, fix = self._not_allowed(path, name, value, alternatives)
        if self._is_word(path, value):
            helps, fix = [self.wording.values[str(path[-1])][value]], None
        code = codes.WRONG_TYPE if kind == "type" else codes.WRONG_VALUE
        return code.at(path, message, helps=helps, fix=fix, notes=self.wording.refused)

    def _parted(self, path: Path, value: Any, alternatives: list[Schema]) -> str | None:
        """The line for a number that a comma in braces cut off from others."""
        if not self.wording.patched or type(value) is not int or not path or self._is_secret(path):
            return None
        from specgen.schema.habits import parted

        holder: Any = self.data
        for step in path[:-1]:
            holder = holder[step]
        return parted(holder, str(path[-1]), alternatives, self.walk)

    def _written(self, path: Path, value: Any, alternatives: list[Schema]) -> tuple[list[str], Fix | None]:
        """The help or the fix that says which line of a profile was meant, where that is known."""
        from specgen.schema.habits import needs_more, no_unit, parted
        from specgen.schema.remedies import decimal, line

        holder: Any = self.data
        for step in path[:-1]:
            holder = holder[step]
        if path and (whole := parted(holder, str(path[-1]), alternatives, self.walk)) is not None:
            return [whole], None
        if path and (self._misnamed(path) is not None or not str(path[-1]).isascii()):
            return [], None  # what is said of its name holds for all of it
        if path and (units := no_unit(str(path[-1]), value)) is not None:
            return [units], None
        found = line(self.data, path, value, alternatives, self.walk)
        if found is None:
            otherwise = needs_more(path, value, self.walk, self.data) if path else None
            otherwise = otherwise or self._beside(path, value)
            return ([otherwise] if otherwise is not None else []), None
        text, at, meant = found
        # a comment in what is written anew would be lost, and part of it is a guess
        if isinstance(value, (dict, list)) or at != path or "…" in text or self._is_secret(path):
            return [f"write `{text}`"], None
        equal = f", or `{meant[:-1]}` for powers of 1000" if decimal(value) and str(meant).endswith("i") else ""
        return [], Fix(f"write `{text}`{equal}", UNSAFE, [Set(at, meant)])

    def _beside(self, path: Path, value: Any) -> str | None:
        """The line for a value of another word, whose name is nearly that of the one that it was given to."""
        if not path or not isinstance(path[-1], str) or isinstance(value, (dict, list)) or self._is_secret(path):
            return None
        from specgen.schema.remedies import said

        schema, holder = self.walk.chain(self.data, path[:-1])[-1]
        names = [name for name in schema.get("properties", {}) if name not in holder]
        near = [
            name
            for name in similar(path[-1], names)
            if self.walk.fits(value, self.walk.alternatives(schema["properties"][name]))
        ]
        return f"write `{said(near[0], value)}`" if len(near) == 1 else None

    def _in_kubernetes(self, path: Path, value: Any, alternatives: list[Schema]) -> tuple[list[str], Fix | None] | None:
        """The help or the fix of a value that Kubernetes writes in another form; None: none is known."""
        from specgen.schema.foreign import as_kubernetes
        from specgen.schema.remedies import said

        key = next((str(step) for step in reversed(path) if isinstance(step, str)), "")
        for meant in as_kubernetes(key, value) if path else ():
            if not self.walk.fits(meant, alternatives):
                continue
            text = said(key, meant if isinstance(path[-1], str) else [meant])
            # a comment in what is written anew would be lost
            if isinstance(value, (dict, list)) or "…" in text or self._is_secret(path):
                return [f"write `{text}`"], None
            return [], Fix(f"write `{text}`", UNSAFE, [Set(path, meant)])
        return None

    def _uncommented(self, path: Path, word: str, alternatives: list[Schema]) -> Fix | None:
        """A value without the comment of another language behind it, where the field takes it."""
        number = _quoted_number(word, alternatives, self.walk)
        plain: Any = word if number is None else word == "true" if word in ("true", "false") else int(word)
        if not self.walk.fits(plain, alternatives):
            return None
        return Fix("leave the comment out", UNSAFE, [Set(path, plain)])

    def _not_allowed(
        self, path: Path, name: str, value: Any, alternatives: list[Schema]
    ) -> tuple[str, list[str], Fix | None]:
        choices = [
            word for schema in alternatives for word in schema.get("enum") or schema.get("x-specgen-words") or ()
        ]
        near = similar(value, choices) if isinstance(value, str) else []
        if isinstance(value, str) and len(near) != 1 and self.wording.patched:
            near = _begun(value, choices) or near
        helps: list[str] = []
        fix: Fix | None = None
        if near and "/" in value and self.wording.patched and not self._is_secret(path):
            # a word and its version: the word alone would leave out half of what was said
            helps, fix = self._written(path, value, alternatives)
        if not helps and fix is None and len(near) == 1:
            same = isinstance(value, str) and near[0].lower() == value.lower()
            fix = Fix(f"write `{near[0]}`", SAFE if same else UNSAFE, [Set(path, near[0])])
        amount = _amount(value)
        if not near and self.wording.patched and not self._is_secret(path) and not self._is_word(path, value):
            helps, fix = self._written(path, value, alternatives)
        elif amount is not None and self.walk.fits(amount, alternatives):
            fix = Fix(f"write `{amount}`", SAFE, [Set(path, amount)])
        if not helps and fix is None and isinstance(value, str) and fault(value) and self._of_unit(value, alternatives):
            helps = ["an amount is below 8Ei: 64 bits hold no more"]
        shown_value = f"`{shown(value)}`" if isinstance(value, str) else f"`{value}`"
        if value == "":
            shown_value = "an empty text"
        elif self._is_secret(path):
            shown_value = "the value that stands there"
        return f"{name} takes {takes(alternatives, value)}, not {shown_value}", helps, fix

    def _of_unit(self, value: str, alternatives: list[Schema]) -> bool:
        """Whether one of the unit of an amount would do."""
        unit = value.lstrip(".0123456789")
        return bool(unit) and self.walk.fits(f"1{unit}", alternatives)

    def _is_word(self, path: Path, value: Any) -> bool:
        """Whether a value is one of those of which it is known what to write instead."""
        return bool(path) and isinstance(value, str) and value in self.wording.values.get(str(path[-1]), {})

    def _unquoted(self, path: Path, value: Any, alternatives: list[Schema]) -> str | None:
        """A number or boolean in quotes, where the field takes text of that form and no value of that type."""
        kinds = {schema.get("type") for schema in alternatives}
        if not isinstance(value, (int, float)) or "string" not in kinds or kinds & {"number", "boolean"}:
            return None
        if type(value) is int and "integer" in kinds:
            return None
        plain = self.text(path)
        if plain is None:
            plain = spelt(value)
        return f'"{plain}"' if self.walk.fits(plain, alternatives) else None

    def _is_secret(self, path: Path) -> bool:
        """Whether a path leads below a variable whose value is never shown, in a map or in a list of name and value."""
        node: Any = self.data
        for step in path:
            if secret(step) or (isinstance(node, dict) and step == "value" and secret(node.get("name"))):
                return True
            node = node[step]
        return False


def before_slashes(value: Any) -> str | None:
    """The word before a comment of another language, ``1`` of ``1   // one server``; None: there is none."""
    found = _SLASHES.fullmatch(value) if isinstance(value, str) else None
    return found[1] if found is not None else None


def _begun(value: str, choices: list[str]) -> list[str]:
    """The only word that a value is in other letters, with a group before it, or the beginning of."""
    word = value.rpartition("/")[2].lower()
    same = [choice for choice in choices if choice.lower() == word]
    begun = [choice for choice in choices if len(word) > 2 and choice.lower().startswith(word)]
    return same or (begun if len(begun) == 1 else [])


def _amount(value: Any) -> str | None:
    """An amount as Kubernetes writes it, of one with the `B` of bytes, a blank, or the letters of its unit in small."""
    found = _AMOUNT.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        return None
    number, unit, binary = found[1], found[2].upper(), found[3]
    return number + ("k" if unit == "K" and not binary else unit) + ("i" if binary else "")


def _quoted_number(value: Any, alternatives: list[Schema], walk: Walk) -> str | None:
    """A text that, without its quotes, would be the number, `true` or `false` that the field takes."""
    if not isinstance(value, str) or not value.isascii():
        return None
    if value in ("true", "false"):
        return value if walk.fits(value == "true", alternatives) else None
    digits = value.removeprefix("-")
    if not digits.isdecimal() or len(digits) > 18 or (digits[0] == "0" and digits != "0"):
        return None
    return value if walk.fits(int(value), alternatives) else None
