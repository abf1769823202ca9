"""What changed of jobs, as lines for people, as JSON, and as Markdown for a comment."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.diagnostics.safe import log_line, printable, width
from specgen.operators.disagreement import disagreement
from specgen.operators.updates import IN_PLACE, LATER, NEVER, REFUSED, REMEDY, RESTARTS, UNKNOWN, WORDS
from specgen.operators.worded import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from specgen.manifest.model import Key
    from specgen.operators.difference import Difference
    from specgen.operators.updates import Effect
    from specgen.operators.worded import Row
    from specgen.session.companions import Companion
    from specgen.session.compare import Pair, Told
    from specgen.session.jobs import Job

_GONE = "-"


def rendered(pairs: Sequence[Pair], beside: Sequence[Companion], form: str, names: tuple[str, str]) -> str:
    """The jobs that changed, and objects beside them, in one of three forms; ``names``: of the two sides."""
    forms: dict[str, Callable[[Sequence[Pair], Sequence[Companion], tuple[str, str]], str]] = {
        "text": _text,
        "json": _json,
        "markdown": _markdown,
    }
    return forms[form](pairs, beside, names)


def _title(one: Pair | Companion) -> str:
    _, kind, namespace, name = one.key
    return f"{kind} {namespace}/{name}" if namespace else f"{kind} {name}"


def _named(key: Key) -> str:
    return f"{key[2]}/{key[3]}" if key[2] else key[3]


def _how(pair: Pair) -> str:
    if pair.broken:
        return "not compared"
    return "added" if pair.old is None else "removed" if pair.new is None else "recreated" if pair.was else "changed"


def _alone(pair: Pair) -> str:
    """What is known of a job that is on one side alone."""
    job = pair.new or pair.old
    assert job is not None
    said = f"{_how(pair)} ({job.file})"
    if pair.broken:
        return f"{said}: {pair.broken}"
    if pair.also is not None:
        word = "was called" if pair.old is None else "is called"
        said += f": the same job {word} `{_named(pair.also)}`"
        return said + (", and is another one to the cluster" if pair.old is None else " now")
    if pair.old is None:
        return said
    return said + ": whoever prunes deletes it, with its pods"


def _what(row: Row, found: Difference) -> str:
    """The thing that changed, with its roles where it is not all of them."""
    # of several roles each has so many pods
    each = row.what != "pods"
    if not row.roles or (each and len(row.roles) > 1 and set(row.roles) >= set(found.roles)):
        return row.what
    return f"{', '.join(row.roles)} {row.what}" if len(found.roles) > 1 else row.what


def _effect(row: Row, found: Difference) -> str:
    """What becomes of a change: of an update that is refused, nothing becomes of the others."""
    return "" if found.verdict == REFUSED and row.effect.how != REFUSED else WORDS[row.effect.how]


def _place(row: Row) -> str:
    """The line that a change follows from, where it is known."""
    return "" if row.place is None else f"{row.place[0]}:{row.place[1]}"


def _lines(found: Difference, was: str = "") -> list[str]:
    """Sentences about the update as a whole; ``was``: the job's name, where it is created anew under another one."""
    if was:
        lines = [f"refused: {'; '.join(found.refused)}"] if found.refused else []
        return [*lines, f"recreated under a new name, was `{was}`: whoever prunes deletes that one, with its pods"]
    lines = [f"update: {_verdict(found)}"]
    for how in (RESTARTS, IN_PLACE, LATER, NEVER, UNKNOWN):
        reasons: dict[str, list[str]] = {}
        for row in found.of(how) if found.verdict != REFUSED else ():
            reasons.setdefault(row.effect.why, []).append(_what(row, found))
        for why, things in reasons.items():
            lines.append(f"{WORDS[how]}: {_some(things)}" + (f": {why}" if why else ""))
    if found.verdict != REFUSED and (kept := disagreement(found)):
        lines.append(kept)
    if found.verdict == REFUSED:
        lines.append("restarts a running job: no, it stays as it is")
    else:
        known = "yes" if found.restarts else "not known" if found.of(UNKNOWN) else "no"
        lines.append(f"restarts a running job: {known}")
    if found.generated:
        lines.append("its name is made by the server: `kubectl create` makes another job, and changes none")
    elif found.needs_new:
        lines.append(f"to have all of it: {REMEDY}")
    return lines


def _some(things: list[str]) -> str:
    rest = len(things) - 6
    return ", ".join(things if rest < 2 else [*things[:6], f"and {rest} more"])


def _verdict(found: Difference) -> str:
    """Whether it is taken, by which release."""
    by = f"{found.operator} {found.versions[1]}"
    if found.versions[0] != found.versions[1]:
        by = f"{found.operator} {found.versions[0]} before, {found.versions[1]} now"
    if found.refused:
        return f"refused ({by}), as the new job would be: {'; '.join(found.refused)}"
    reasons = {f"{row.effect.by}: {row.effect.why}": None for row in found.of(REFUSED)}
    if reasons:
        return f"refused ({by}): {'; '.join(reasons)}"
    return f"taken, as far as is known ({by})" if found.of(UNKNOWN) else f"taken ({by})"


def _told(pair: Pair) -> list[tuple[str, Told]]:
    return [*(("new", one) for one in pair.found), *(("gone", one) for one in pair.mended)]


def _companion(one: Companion) -> list[str]:
    """An object beside jobs: that it changed, and what that does."""
    if one.gone:
        # a claim
        kept = "one of a tree (`build --out`) stays; others who prune delete it, with what it holds"
        return [f"{_title(one)}: removed ({one.file}): {kept}"]
    reasons: dict[tuple[str, str, str], list[str]] = {}
    for path, effect in one.changes:
        reasons.setdefault((effect.how, effect.by, effect.why), []).append(path)
    lines = [f"{_title(one)}: changed ({one.file})"]
    for (how, by, why), paths in reasons.items():
        said = f"{WORDS[how]} by {by}" if by else WORDS[how]
        lines.append(f"  {said}: {_some(paths)}" + (f": {why}" if why else ""))
    return lines


def _text(pairs: Sequence[Pair], beside: Sequence[Companion], names: tuple[str, str]) -> str:
    parts = []
    for pair in pairs:
        if not pair.is_changed:
            continue
        if pair.difference is None:
            parts.append([f"{_title(pair)}: {_alone(pair)}"])
            continue
        parts.append(
            [f"{_title(pair)}: {_how(pair)} ({_files(pair)})", *("  " + one for one in _body(pair.difference))]
        )
        parts[-1] += [f"  {when} {one.severity}[{one.code}]: {one.message}" for when, one in _told(pair)]
        parts[-1] += ["  " + one for one in _lines(pair.difference, pair.was)]
    parts += [_companion(one) for one in beside]
    if len(parts) > 1:
        parts.append([_summary(pairs, beside)])
    return "\n".join("".join(log_line(line) + "\n" for line in part) for part in parts)


def _files(pair: Pair) -> str:
    files = [job.file for job in (pair.old, pair.new) if job is not None]
    return " → ".join(dict.fromkeys(files))


def _body(found: Difference) -> list[str]:
    """The facts and the rows, aligned, then what is slower."""
    table = [(what, f"{old or _GONE} → {new or _GONE}", "", "") for what, old, new in found.facts]
    table += [
        (_what(row, found), f"{row.old or _GONE} → {row.new or _GONE}", _effect(row, found), _place(row))
        for row in found.rows
    ]
    safe = [tuple(printable(cell) for cell in row) for row in table]
    first = max((width(row[0]) for row in safe), default=0)
    second = max((width(row[1]) for row in safe if width(row[1]) <= 60), default=0)
    third = max((width(row[2]) for row in safe), default=0)
    lines = []
    for what, change, effect, place in safe:
        padded = change + " " * max(second - width(change), 0)
        line = f"{what}{' ' * (first - width(what))}  {padded}  {effect}{' ' * (third - width(effect))}  {place}"
        lines.append(line.rstrip())
    return lines + [f"slower: {one}" for one in found.slower]


def _summary(pairs: Sequence[Pair], beside: Sequence[Companion]) -> str:
    """How many jobs changed, and how."""
    counts: dict[str, int] = {}
    for pair in pairs:
        if pair.is_changed:
            counts[_how(pair)] = counts.get(_how(pair), 0) + 1
    words = [word for word in ("changed", "recreated", "added", "removed", "not compared") if word in counts]
    parts = [f"{plural(counts[word], 'job')} {word}" for word in words]
    said = ", ".join([*parts, *([plural(len(beside), "object") + " beside them"] if beside else [])])
    found = [pair.difference for pair in pairs if pair.difference is not None]
    refused = sum(one.verdict == REFUSED for one in found)
    restarted = sum(one.restarts for one in found)
    said += f"; {plural(refused, 'update')} refused" if refused else ""
    return said + (f"; {plural(restarted, 'job')} restarted" if restarted else "")


def _markdown(pairs: Sequence[Pair], beside: Sequence[Companion], names: tuple[str, str]) -> str:
    changed = [pair for pair in pairs if pair.is_changed]
    if not changed and not beside:
        return f"No job changes ({_code(names[0])} → {_code(names[1])}).\n"
    parts = [f"**{_cell(_summary(pairs, beside))}** ({_code(names[0])} → {_code(names[1])})"]
    for pair in changed:
        if pair.difference is None:
            parts.append(f"### {_cell(_title(pair))}\n\n{_cell(_alone(pair))}")
            continue
        found = pair.difference
        placed = any(row.place is not None for row in found.rows)
        rows = ["| | before | after | update |", "|---|---|---|---|"]
        rows += [f"| {_cell(what)} | {_code(old)} | {_code(new)} | |" for what, old, new in found.facts]
        rows += [
            f"| {_cell(_what(row, found))} | {_code(row.old)} | {_code(row.new)} | {_effect(row, found)} |"
            + (f" {_cell(_place(row))} |" if placed else "")
            for row in found.rows
        ]
        if placed:
            rows[0], rows[1] = f"{rows[0]} line |", f"{rows[1]}---|"
        notes = [f"- slower: {_cell(one)}" for one in found.slower]
        notes += [f"- {when} {one.severity} {one.code}: {_cell(one.message)}" for when, one in _told(pair)]
        notes += [f"- {_cell(one)}" for one in _lines(found, pair.was)]
        parts.append("\n".join([f"### {_cell(_title(pair))}", "", *rows, "", *notes]))
    for one in beside:
        title, *lines = _companion(one)
        parts.append(
            "\n".join(
                [f"### {_cell(title)}", *(["", *(f"- {_cell(line.strip())}" for line in lines)] if lines else [])]
            )
        )
    return "\n\n".join(parts) + "\n"


def _cell(text: str) -> str:
    """A text in a table: no bar, tag, link or line of its own in it, and nobody is called by it."""
    parts = printable(text).split("`")
    if len(parts) % 2 == 0:  # a fence that is not closed is none
        parts = ["\\`".join(map(_escaped, parts))]
        return parts[0]
    return "`".join(part.replace("|", "\\|") if number % 2 else _escaped(part) for number, part in enumerate(parts))


def _escaped(text: str) -> str:
    for sign in "\\|[*_":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("<", "&lt;").replace("@", "@\u200b")


def _code(text: str) -> str:
    """A value in a table; the fence is longer than any in it."""
    text = printable(text).replace("|", "\\|")
    if not text:
        return ""
    longest = max((len(run) for run in "".join(sign if sign == "`" else " " for sign in text).split()), default=0)
    fence = "`" * (longest + 1)
    pad = " " if longest else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _json(pairs: Sequence[Pair], beside: Sequence[Companion], names: tuple[str, str]) -> str:
    from specgen.document.write import write_json

    jobs = [_tree(pair) for pair in pairs if pair.is_changed]
    objects = [_companion_tree(one) for one in beside]
    return write_json({"version": 1, "old": names[0], "new": names[1], "jobs": jobs, "objects": objects})


def _companion_tree(one: Companion) -> dict[str, Any]:
    group, kind, namespace, name = one.key
    said: dict[str, Any] = {"group": group, "kind": kind, "name": name}
    said |= {"namespace": namespace} if namespace else {}
    changed = [{"path": path, "effect": _effect_tree(effect)} for path, effect in one.changes]
    return said | {"change": "removed" if one.gone else "changed", "file": one.file, "changes": changed}


def _effect_tree(effect: Effect) -> dict[str, str]:
    return {"how": effect.how, "why": effect.why} | ({"by": effect.by} if effect.by else {})


def _tree(pair: Pair) -> dict[str, Any]:
    group, kind, namespace, name = pair.key
    said: dict[str, Any] = {"group": group, "kind": kind, "name": name}
    said |= {"namespace": namespace} if namespace else {}
    said |= {"change": _how(pair), "files": {"old": _file(pair.old), "new": _file(pair.new)}}
    said |= {"why": pair.broken} if pair.broken else {}
    if pair.was:
        said["was"] = pair.was
    if pair.also is not None:
        said["same"] = _named(pair.also)
    found = pair.difference
    if found is None:
        return said
    said["operator"] = {"name": found.operator, "old": found.versions[0], "new": found.versions[1]}
    said["facts"] = [{"what": what, "old": old or None, "new": new or None} for what, old, new in found.facts]
    said["changes"] = [_change(row) for row in found.rows]
    said["slower"] = found.slower
    said["kept"] = [{"variable": name, "running": old, "created": new} for name, old, new in found.kept]
    # what nobody has read of one change is not known of the whole
    unknown = bool(found.of(UNKNOWN)) and found.verdict != REFUSED
    said["update"] = {
        "taken": None if unknown else found.verdict != REFUSED,
        "restarts": None if unknown and not found.restarts else found.restarts,
        "createAnew": found.needs_new,
        "refused": [*found.refused, *dict.fromkeys(f"{one.effect.by}: {one.effect.why}" for one in found.of(REFUSED))],
    }
    findings = {"new": pair.found, "gone": pair.mended}
    said["findings"] = {
        when: [{"code": one.code, "severity": one.severity, "message": one.message} for one in told]
        for when, told in findings.items()
    }
    return said


def _file(job: Job | None) -> str | None:
    return None if job is None else job.file


def _change(row: Row) -> dict[str, Any]:
    effect = _effect_tree(row.effect)
    sides = {"old": row.old or None, "new": row.new or None}
    said: dict[str, Any] = {"roles": row.roles, "what": row.what, **sides}
    said |= {"path": spelled(row.path), "effect": effect}
    if row.place is not None:
        file, line, column = row.place
        said["place"] = {"file": file, "line": line, "column": column}
    return said
