"""What Argo CD must be told of jobs: whether they are well, and which differences are none.

Keys and words: docs/operator-manual/health.md and docs/user-guide/diffing.md of argo-cd 3. A script has `obj` and
returns a status and a message; it runs in gopher-lua, Lua 5.1, with the table library and no others (util/lua/lua.go).
A path of jq is deleted from both sides, `del(PATH)` (util/argo/normalizers/diff_normalizer.go).
"""

from __future__ import annotations

from specgen.document.write import write_yaml
from specgen.operators.outcome import FAILED, SUCCEEDED, SUSPENDED, outcome
from specgen.operators.written import ALIKE, EVERY, LITERAL, defaults, queued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.operators.outcome import Outcome
    from specgen.operators.reader import Reader
    from specgen.operators.written import Steps

# The word of Argo CD for each state. Suspended is one of its own: such a job is neither well nor broken.
STATES = {SUCCEEDED: "Healthy", FAILED: "Degraded", SUSPENDED: "Suspended"}
_KEY = "resource.customizations"

_CONDITIONS = """\
local found = {{}}
local message = "waiting for the operator"
if obj.status ~= nil and obj.status.conditions ~= nil then
  for _, condition in ipairs(obj.status.conditions) do
    if condition.status == "True" then
      found[condition.type] = condition
      message = condition.message
    end
  end
end
local states = {{
{rows}}}
for _, state in ipairs(states) do
  local condition = found[state[1]]
  if condition ~= nil then
    return {{status = state[2], message = condition.message}}
  end
end
return {{status = "Progressing", message = message}}
"""
_PHASES = """\
local states = {{
{rows}}}
local state = {{phase = "Pending"}}
if obj.status ~= nil and obj.status.state ~= nil and obj.status.state.phase ~= nil then
  state = obj.status.state
end
return {{status = states[state.phase] or "Progressing", message = state.message or state.phase}}
"""


def settings(readers: Sequence[Reader], *, kueue: bool) -> dict[str, Any]:
    """A patch of the ConfigMap argocd-cm. ``kueue``: what Kueue writes is no difference either.

    Its keys name group and kind without a version: versions of a kind are one entry. What is not known of a kind is
    left out.
    """
    health: dict[str, str] = {}
    ignored: dict[str, list[Steps]] = {}
    for reader in readers:
        name = f"{reader.api_version.partition('/')[0]}_{reader.kind}"
        said = outcome(reader)
        if said is not None:
            health[f"{_KEY}.health.{name}"] = lua(said)
            paths = ignored.setdefault(f"{_KEY}.ignoreDifferences.{name}", [])
            paths += [one for one in (*defaults(reader), *(queued(reader) if kueue else ())) if one not in paths]
    labels = {"app.kubernetes.io/part-of": "argocd"}
    data = {**health, **{key: write_yaml(_differences(paths)) for key, paths in ignored.items()}}
    metadata = {"name": "argocd-cm", "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def lua(said: Outcome) -> str:
    """The script that tells how a job is."""
    row = '  {word} = "{state}",\n' if said.phase else '  {{"{word}", "{state}"}},\n'
    rows = "".join(row.format(word=word, state=STATES[state]) for word, state in said.words.items())
    return (_PHASES if said.phase else _CONDITIONS).format(rows=rows)


def _differences(paths: list[Steps]) -> dict[str, list[str]]:
    plain = [one for one in paths if all(isinstance(step, str) and step != EVERY for step in one)]
    found = {"jsonPointers": ["".join(f"/{step}" for step in one) for one in plain]} if plain else {}
    return found | {"jqPathExpressions": [jq(one) for one in paths if one not in plain]}


def jq(path: Steps) -> str:
    """A path as jq spells it; what is absent on the way is no error."""
    text = ""
    for step in path:
        if step == EVERY:
            text += "[]?"
        elif isinstance(step, tuple):
            how = step[2] if len(step) > 2 else ""
            other = f".{step[1]}" if how == ALIKE else step[1] if how == LITERAL else f'"{step[1]}"'
            text += f"[]? | select(.{step[0]} == {other})"
        else:
            text += f".{step}" if step.isalnum() else f'["{step}"]'
    return text
