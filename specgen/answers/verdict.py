"""The answer of an API server to one object → findings in the object.

Forms of refusal, all recorded (kube-apiserver 1.36 with the webhooks of the operators): ``details.causes`` of a Status;
a strict decoder's list of unknown fields; server-side apply's lines (``.spec.x: field not declared in schema``); the
sentence of a webhook with one field or a list of them; any other sentence.
"""

from __future__ import annotations

import re

from specgen.answers.codes import REFUSED, UNDECIDED, WARNED
from specgen.answers.fields import path_of
from specgen.diagnostics.model import KEY, Place, shown
from specgen.diagnostics.secrets import masked, values
from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping, sequence
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest

_WEBHOOK = re.compile(r'admission webhook "([^"]+)" denied the request(?: without explanation)?:? ?', re.DOTALL)
_UNKNOWN = re.compile(r'(unknown|duplicate) field "((?:[^"\\]|\\.)+)"')
_TYPED = re.compile(r"(?:^|[\s:(])(\.(?:metadata|spec)\S*): ([^\n]+)")
_FIELD = re.compile(
    r"(?:^|(?<=[\[\s,]))((?:metadata|spec)(?:[.\[][^\s:]*)?|<nil>): (?=Invalid value|Required value|Forbidden|Not found"
    r"|Unsupported value|Duplicate value|Too long|Too many|Too few|Internal error|TypeInvalid)"
)
_LEADING = re.compile(r"\.?((?:metadata|spec)[.\[]\S*): (.+)", re.DOTALL)
# What the server says of rules that it did not come to.
_UNCHECKED = "some validation rules were not checked"
_NOWHERE = "<nil>"
_LONGEST = 300


class Refusal:
    """One thing that is refused: the field as it is spelled, empty for the whole object, and why."""

    __slots__ = ("field", "why")

    def __init__(self, field: str, why: str) -> None:
        self.field = "" if field == _NOWHERE else field
        self.why = why


def judged(
    manifest: Manifest, status: int, body: dict[str, Any], warnings: Iterable[str], beside: Sequence[Manifest] = ()
) -> list[Finding]:
    """Findings in a manifest, from the status and body of the answer; ``warnings``: texts of its headers.

    ``beside``: objects of the same dry run that are not in the cluster yet.
    """
    secrets = values(manifest.tree)
    found = [_warned(manifest, text, secrets) for text in warnings]
    if status >= 400:
        message = str(body.get("message") or f"it answers {status}")
        missing = next((one for one in beside if one is not manifest and _misses(message, one)), None)
        if missing is not None:
            found.append(_undecided(manifest, missing))
        else:
            found += _refused(manifest, body, message, secrets)
    for finding in found:
        finding.where = manifest.where
        finding.subject = manifest.ref.as_dict()
    return found


def refusals(body: dict[str, Any], message: str) -> list[Refusal]:
    """What is refused, one by one, without what was not looked at."""
    told = [mapping(one) for one in sequence(mapping(body.get("details")).get("causes"))]
    said = [(str(one.get("field") or ""), str(one.get("message") or "")) for one in told]
    found = [Refusal(field, why) for field, why in said if why and _UNCHECKED not in why]
    if not found and message.startswith('namespaces "') and message.endswith(" not found"):
        found = [Refusal("metadata.namespace", message)]
    if not found:
        found = [Refusal(field, f"{what} field") for what, field in _UNKNOWN.findall(message)]
    if not found:
        found = [Refusal(field, why.strip()) for field, why in _TYPED.findall(message)]
    if not found:
        found = [one for one in _listed(message) if _UNCHECKED not in one.why]
    return found


def _listed(message: str) -> Iterator[Refusal]:
    """The refusals of a sentence that names fields: one, or several in brackets with commas between them."""
    matches = list(_FIELD.finditer(message))
    for number, match in enumerate(matches):
        last = number + 1 == len(matches)
        why = message[match.end() : None if last else matches[number + 1].start()].strip()
        bracket = message[: matches[0].start()].endswith("[")
        yield Refusal(match[1], why.removesuffix("]") if last and bracket else why.removesuffix(","))


def _refused(manifest: Manifest, body: dict[str, Any], message: str, secrets: list[str]) -> Iterator[Finding]:
    webhook = _WEBHOOK.search(message)
    who = f"the webhook `{shown(webhook[1])}`" if webhook else "the API server"
    said = message[webhook.end() :] if webhook else message
    # what the server puts in front of a refusal: `PyTorchJob.kubeflow.org "train" is invalid: `
    said = re.sub(r'^\S+ "[^"]*" is (?:invalid|forbidden): ', "", said)
    met = set()
    for one in refusals(body, said) or [Refusal("", said)]:
        place, field = _placed(manifest, one.field)
        why = _text(one.why, secrets)
        if (field, why) in met:
            continue
        met.add((field, why))
        what = f"`{field}`" if field else f"the {manifest.ref.kind}"
        yield REFUSED.at(place, f"{who} refuses {what}: {why}", notes=_derived(manifest, place) if field else [])


def _derived(manifest: Manifest, place: Place) -> list[str]:
    """Why a field is there that nobody wrote."""
    if not isinstance(manifest.where, Origins):
        return []
    origin = manifest.where.of(place.path)
    return [f"it is there because: {origin[2]}"] if origin is not None and origin[1] is None else []


def _placed(manifest: Manifest, field: str) -> tuple[Place, str]:
    """Where a field stands, and the field as messages spell it; the whole object where it stands nowhere."""
    if not field:
        return Place(("metadata", "name"), KEY), ""
    path, rest = path_of(field, manifest.tree)
    if not path:
        return Place(("metadata", "name"), KEY), field.removeprefix(".")
    if not rest:
        return Place(path), dotted(path)
    gap = "" if rest.startswith(("[", ".")) else "."
    return Place(path, KEY), f"{dotted(path)}{gap}{rest}"


def _text(why: str, secrets: list[str]) -> str:
    """A reason on one line, in small letters at its beginning, without secrets, and cut where it is long."""
    line = masked(" ".join(why.split()), secrets).replace("`", "'").rstrip(";. ")
    line = line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
    return line[:1].lower() + line[1:] if line[1:2].islower() else line


def _warned(manifest: Manifest, text: str, secrets: list[str]) -> Finding:
    unknown, leading = _UNKNOWN.search(text), _LEADING.match(text)
    field = unknown[2] if unknown else leading[1] if leading else ""
    place, spelled = _placed(manifest, field)
    why = _text(leading[2] if leading else text, secrets)
    return WARNED.at(
        place, f"the API server warns of `{spelled}`: {why}" if leading else f"the API server warns: {why}"
    )


def _misses(message: str, other: Manifest) -> bool:
    """Whether a refusal is about an object that is not there yet."""
    named = f'"{other.ref.name}"' in message and "not found" in message
    kind = other.ref.kind.lower()
    return named and (f"{kind} " in message.lower() or f"{kind}." in message.lower() or f"{kind}s " in message.lower())


def _undecided(manifest: Manifest, missing: Manifest) -> Finding:
    kind, name = missing.ref.kind, missing.ref.name
    message = f"the dry run cannot judge the {manifest.ref.kind}: its {kind} `{shown(name)}` is not in the cluster yet"
    place = (
        Place(("spec", "runtimeRef")) if "runtimeRef" in mapping(manifest.tree.get("spec")) else Place(("metadata",))
    )
    helps = [f"apply the {kind} first, and ask again"]
    return UNDECIDED.at(place, message, helps=helps)
