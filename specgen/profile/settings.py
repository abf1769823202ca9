"""``--set path=value``: one more layer, typed by the schema at that path.

``pods=8``, ``resources.gpu=4``, ``env.NCCL_DEBUG=WARN``, ``mounts[/data].pvc=claim``, ``command=[python, train.py]``.
Names that hold a dot stand in brackets, as specgen prints them. Where the schema takes text only, the value is text as
it stands; elsewhere it is read as YAML.
"""

from __future__ import annotations

from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.suggest import hint
from specgen.document.read import read
from specgen.document.tree import Document, Mapping, Scalar
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.document.tree import Node


class BadSetting(BadQuestion):
    """A ``--set`` that is no setting."""


def steps(text: str) -> list[str]:
    """``a.b[c.d].e`` → names; raises BadSetting on empty names and unclosed brackets."""
    names: list[str] = []
    rest = text
    while rest:
        if rest[0] == "[":
            name, closed, rest = rest[1:].partition("]")
            if not closed:
                raise BadSetting(f"the bracket in `{text}` is not closed")
            rest = rest.removeprefix(".") if rest[:1] != "[" else rest
        else:
            cut = min((at for at in (rest.find("."), rest.find("[")) if at >= 0), default=len(rest))
            name, rest = rest[:cut], rest[cut:]
            rest = rest.removeprefix(".") if rest[:1] == "." else rest
        if not name:
            raise BadSetting(f"the path `{text}` has an empty name")
        names.append(name)
    if not names:
        raise BadSetting("a setting is `path=value`")
    return names


def layer(setting: str, table: dict[Any, Any]) -> Document:
    """One setting as a document that holds nothing else. ``table`` is the acceptor's node of a layer.

    Raises BadSetting where the path does not exist or the value is not YAML; ``meant`` knows what was.
    """
    if not _is_text(setting):
        raise BadSetting(f"`{setting}` is no text in UTF-8")
    path, equals, text = setting.partition("=")
    if not equals:
        raise BadSetting(f"`{setting}` is no setting: write `path=value`")
    names = steps(path)
    node: Any = table
    for depth, name in enumerate(names):
        below = node.get(dict) if node else None
        if below is None:
            above = ".".join(names[:depth])
            raise BadSetting(f"nothing stands below `{above}`", _of_list(above) if name.isdigit() else None)
        properties, _, extra = below[:3]
        if name in properties:
            node = properties[name]
        elif extra is not None:
            node = extra if type(extra) is dict else {}
        else:
            help = _known_elsewhere(name, names[:depth], properties) or hint(name, properties)
            if names[0] in ("variant", "variants"):
                help = f"`--variant {names[1] if len(names) > 1 else text}` builds one variant alone"
            if help is None and len(names) == 1 and name.isidentifier():
                help = _of_program(name, text)
            raise BadSetting(f"`{path}` is no field of a job profile: there is no `{name}`", help)
    source = Source(f"--set {setting}", setting)
    start = len(path) + 1
    leaf: Node = _value(text, node, source, start)
    root = Mapping(0)
    at: Mapping = root
    position = 0
    for name in names[:-1]:
        below_node = Mapping(0)
        _add(at, name, below_node, setting, position)
        at = below_node
    _add(at, names[-1], leaf, setting, position)
    _link(root)
    return Document(source, root, 0)


def _is_text(setting: str) -> bool:
    """Whether bytes of the command line were text."""
    try:
        setting.encode()
    except UnicodeEncodeError:
        return False
    return True


def _of_list(name: str) -> str:
    """The help for one item of a list."""
    return (
        f"a list is set whole: `--set '{name}=[…]'`; for one word of it write `$<NAME>` there and `vars: {{NAME: …}}`, "
        "which `--set vars.NAME=…` sets"
    )


def _of_program(name: str, text: str) -> str:
    """The help for a name that may be an option of the program."""
    value = text if text.isascii() and text.replace(".", "").replace("-", "").isalnum() and len(text) < 20 else "…"
    return (
        f"for an option of the program write `$<{name}>` there and `vars: {{{name}: …}}`: `--set vars.{name}={value}`"
    )


def _known_elsewhere(name: str, above: list[str], properties: dict[str, Any]) -> str | None:
    """The help for a name that the field has in other languages."""
    from specgen.schema.wording import PROFILE
    from specgen.source import dotted

    steps = PROFILE.alias(name).split(".")
    for field in (steps, steps[-1:]):
        if field[0] in properties:
            return f"the field for this is `{dotted((*above, *field))}`"
    return None


def _add(mapping: Mapping, name: str, node: Node, setting: str, position: int) -> None:
    start = max(setting.find(name, position), 0)
    mapping.keys[name] = Scalar(name, start, start + len(name), None, "")
    mapping.items[name] = node


def _link(mapping: Mapping) -> None:
    for name, node in mapping.items.items():
        if isinstance(node, Mapping) and not node.value:
            _link(node)
        mapping.value[name] = node.value


def _value(text: str, node: Any, source: Source, start: int) -> Node:
    only_text = bool(node) and str in node and not any(kind in node for kind in (int, float, bool, list, dict))
    if only_text and text not in ("null", "~"):
        return Scalar(text, start, start + len(text), text, "")
    documents, findings = read(Source(source.name, text))
    if findings or len(documents) > 1:
        why = findings[0].message if findings else "it is several documents"
        raise BadSetting(f"the value in `{source.text}` cannot be used: {why}")
    if not documents or not text.strip():
        raise BadSetting(f"`{source.text}` has no value", "`null` removes what a weaker layer says")
    root = documents[0].root
    if isinstance(root, Scalar):
        if (
            type(node) is dict
            and isinstance(root.value, (int, float, bool))
            and str in node
            and type(root.value) not in node
        ):
            return Scalar(text, start, start + len(text), text, "")
        _doubted(documents[0], source)
        return Scalar(root.value, start, start + len(text), root.plain, root.style)
    _doubted(documents[0], source)
    _shift(root, start)
    return root


def _doubted(document: Document, source: Source) -> None:
    """Raises BadSetting for a number that readers disagree on, such as ``010``."""
    for scalar, _ in document.ambiguous:
        if isinstance(scalar.value, (int, float)) and not isinstance(scalar.value, bool):
            from specgen.document.one import wary  # most settings are clear

            finding = wary(document)[0]
            raise BadSetting(f"`{source.text}`: {finding.message}", next(iter(finding.helps), None))


def _shift(node: Any, by: int) -> None:
    node.start += by
    node.end += by
    if not isinstance(node, Scalar):
        children = node.items.values() if isinstance(node, Mapping) else node.items
        for child in children:
            _shift(child, by)
        if isinstance(node, Mapping):
            for key in node.keys.values():
                _shift(key, by)
