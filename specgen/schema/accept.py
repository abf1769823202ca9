"""The acceptor: says of a document "valid", or that it is not sure.

It walks a node of ``specgen.tables`` and is exact on what the tables hold; whatever it does not accept is judged by the
``jsonschema`` library in ``judge``, so that one library stands behind every rejection.
"""

from __future__ import annotations

from specgen.schema.checks import ANYTHING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def accepts(
    node: dict[Any, Any], value: Any, lists: list[tuple[str, list[Any]]] | None = None, free: list[Any] | None = None
) -> bool:
    """True: the value is valid. False: ask ``judge``. Values are plain data; keys are text; NaN is not expected.

    Of what is valid, ``lists`` takes the lists under a key, with that key, and ``free`` what may hold anything. Of
    twins, one is enough.
    """
    pending = [(node, value)]
    specs: dict[int, Any] = {}
    lists = [] if lists is None else lists
    for node, value in pending:  # grows while it is walked: no recursion, so depth costs no stack
        check = node.get(type(value))
        if check is True or check is ANYTHING:
            if free is not None:
                free.append(value)
            continue
        if check is None:
            return False
        if type(value) is dict:
            properties, required, others, names = check
            for key in required:
                if key not in value:
                    return False
            for key, child in value.items():
                below = properties.get(key)
                if below is None:
                    if others is None or (names is not None and not names(key)):
                        return False
                    below = others
                kind = type(child)
                check = below.get(kind)
                if check is True:
                    continue
                if check is None:
                    return False
                if kind is dict or kind is list:
                    if key == "spec":
                        # the pods of twin roles of a compiled job are one tree
                        if specs.get(id(child)) is below:
                            continue
                        specs[id(child)] = below
                    elif kind is list:
                        lists.append((key, child))
                    pending.append((below, child))
                elif not check(child):
                    return False
        elif type(value) is list:
            for child in value:
                kind = type(child)
                below = check.get(kind)
                if below is True:
                    continue
                if below is None:
                    return False
                if kind is dict or kind is list:
                    pending.append((check, child))
                elif not below(child):
                    return False
        elif not check(value):
            return False
    return True
