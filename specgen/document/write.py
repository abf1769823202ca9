"""Write YAML and JSON that every reader of a Kubernetes tool chain takes the same way.

A plain scalar means different things to YAML 1.1 (PyYAML), YAML 1.2 (ruamel.yaml) and kubectl, whose reader mixes both.
Text is therefore written plain only if it begins like a word, a path, an argument or a quantity and is no reserved word
of any of the three. All other text goes into double quotes, or into a block literal if it has several lines.
"""

from __future__ import annotations

__all__ = ["write_json", "write_yaml", "write_yaml_stream"]

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DIGITS = "0123456789"
_LETTER = frozenset(_LETTERS)
_PLAIN = _LETTERS + _DIGITS + " _-./:@=+,%$()"

# YAML 1.1 type repository (bool, null), go.yaml.in/yaml/v2 resolve.go (`y`, `n`). Readers older than go-yaml 2.2 also
# took every spelling that Go's strconv.ParseFloat knows.
_RESERVED = frozenset(
    [
        *("y", "yes", "n", "no", "true", "false", "on", "off", "null"),
        *("inf", "infinity", "nan", "-inf", "-infinity", "-nan"),
    ]
)
# Digits with one of these suffixes are a number to no reader. `E` is left out: it is also an exponent.
_QUANTITY_SUFFIXES = frozenset(["Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "m", "k", "M", "G", "T", "P"])

# A key before `: ` may have 1,024 characters (YAML 1.1 and 1.2, implicit keys); a longer one needs `? `.
_IMPLICIT_KEY = 1000
# Columns of indentation: twice the depth of 100 that the reader accepts, so only data that contains itself gets here.
_DEEPEST = 400

# First and last code points of what has no shape of its own: C1, soft hyphen, fillers, zero-width and bidi controls,
# separators, byte order mark, noncharacters, tags. Listed, not asked of `str.isprintable`, whose answer depends on the
# Unicode version of the interpreter. U+FE0E and U+FE0F stay raw: they are part of common emoji.
_INVISIBLE = (
    *((0x7F, 0x9F), (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5)),
    *((0x180B, 0x180F), (0x200B, 0x200F), (0x2028, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0D)),
    *((0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFFB), (0xFFFE, 0xFFFF), (0x1BCA0, 0x1BCA3)),
    *((0x1D173, 0x1D17A), (0xE0000, 0xE007F), (0xE0100, 0xE01EF)),
)

# (identity, indentation) of a mapping under a key `spec` -> its lines in the output: pods of twin roles are one tree.
_Specs = dict[tuple[int, str], slice]

# Text of one line -> its scalar. Text with a line break is never kept: it differs between key and value.
_known: dict[str, str] = {}
_KNOWN_ENTRIES = 4096
_KNOWN_LENGTH = 256

_yaml_escapes: dict[int, str] = {}


class Unwritable(Exception):
    """A value that cannot be written; `path` collects the keys from the value up to the root."""

    def __init__(self, error: type[TypeError | ValueError], reason: str) -> None:
        self.error = error
        self.reason = reason
        self.path: list[object] = []


def write_yaml(data: object) -> str:
    """Return `data` as one YAML document that ends with one line break.

    `data` is built of dict (str keys, written in their order), list, str, int, float, bool and None. TypeError names
    the path of anything else, ValueError that of a lone surrogate, an infinity, a NaN, or data that contains itself.
    """
    return _document(data, None)


def write_yaml_stream(documents: list[object]) -> str:
    """Return the documents as one YAML stream, with a line `---` between two of them; no document gives no text.

    Values and errors are those of `write_yaml`; the path begins with the index of the document.
    """
    return "---\n".join([_document(data, position) for position, data in enumerate(documents)])


def write_json(data: object) -> str:
    """Return `data` as JSON, indented by two spaces, in insertion order, with one final line break.

    Non-ASCII text is written raw; lone surrogates and what a terminal would act on or not show are escaped.
    TypeError for what JSON cannot hold, ValueError for an infinity, a NaN, or data that contains itself.
    """
    import json

    text = json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False)
    if not text.isascii() or "\x7f" in text:
        codes = [code for first, last in _INVISIBLE for code in range(first, last + 1)]
        escapes = {code: json.dumps(chr(code))[1:-1] for code in codes} | {0x7F: "\\u007f"}
        # `backslashreplace` spells a lone surrogate `\udXXX`, which is its JSON escape too.
        text = text.translate(escapes).encode("utf-8", "backslashreplace").decode("utf-8")
    return text + "\n"


def _document(data: object, position: int | None) -> str:
    out: list[str] = []
    try:
        if isinstance(data, dict) and data:
            _mapping(out, data, "", "", {})
        elif isinstance(data, list) and data:
            _sequence(out, data, "", "", {})
        elif isinstance(data, str):
            out.append(inline(data) + "\n")
        else:
            out.append(scalar(data, "") + "\n")
        if out[-1].endswith("\n\n"):
            _quote_last(out, data)
    except Unwritable as fault:
        path = fault.path if position is None else [*fault.path, position]
        raise fault.error(f"{_location(path)} {fault.reason}") from None
    return "".join(out)


def _mapping(out: list[str], mapping: dict[object, object], lead: str, indent: str, specs: _Specs) -> None:
    """Append the lines of a mapping: the first begins with `lead` (indentation or `- `), the others with `indent`."""
    if len(indent) > _DEEPEST:
        raise Unwritable(ValueError, "contains itself or is nested too deeply for the YAML writer")
    key: object = None
    try:
        for key, value in mapping.items():
            name = _known.get(key)  # type: ignore[call-overload]
            if name is None:
                name = inline(key)
                if len(name) > _IMPLICIT_KEY:
                    name = f"? {name}\n{indent}"
            if type(value) is str:
                out.append(f"{lead}{name}: {_known.get(value) or _text(value, indent)}\n")
            elif isinstance(value, dict) and value:
                out.append(f"{lead}{name}:\n")
                deeper = indent + "  "
                start, same = len(out), specs.get((id(value), deeper)) if key == "spec" else None
                if same is not None:
                    out += out[same]
                else:
                    _mapping(out, value, deeper, deeper, specs)
                if key == "spec":
                    specs[id(value), deeper] = slice(start, len(out))
            elif isinstance(value, list) and value:
                out.append(f"{lead}{name}:\n")
                _sequence(out, value, indent, indent, specs)
            else:
                out.append(f"{lead}{name}: {scalar(value, indent)}\n")
            lead = indent
    except Unwritable as fault:
        fault.path.append(key)
        raise


def _sequence(out: list[str], items: list[object], lead: str, indent: str, specs: _Specs) -> None:
    """Append the lines of a sequence; `lead`, `indent` and `specs` as in `_mapping`."""
    if len(indent) > _DEEPEST:
        raise Unwritable(ValueError, "contains itself or is nested too deeply for the YAML writer")
    position = 0
    try:
        for position, item in enumerate(items):  # noqa: B007 -- read where a fault leaves the loop
            if type(item) is str:
                out.append(f"{lead}- {_known.get(item) or _text(item, indent)}\n")
            elif isinstance(item, dict) and item:
                _mapping(out, item, lead + "- ", indent + "  ", specs)
            elif isinstance(item, list) and item:
                _sequence(out, item, lead + "- ", indent + "  ", specs)
            else:
                out.append(f"{lead}- {scalar(item, indent)}\n")
            lead = indent
    except Unwritable as fault:
        fault.path.append(position)
        raise


def scalar(value: object, indent: str) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        try:
            return int.__repr__(value)
        except ValueError:
            # CPython converts at most 4,300 digits (sys.set_int_max_str_digits), and no reader takes more.
            raise Unwritable(ValueError, "holds an integer with too many digits to be written") from None
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _text(str.__str__(value), indent)
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    kinds = "dict, list, str, int, float, bool and None"
    raise Unwritable(TypeError, f"holds `{type(value).__name__}`, the YAML writer takes only {kinds}")


def _float(value: float) -> str:
    text = float.__repr__(value)
    if text in ("inf", "-inf", "nan"):
        raise Unwritable(ValueError, f"holds the float `{text}`, which JSON and so Kubernetes refuses")
    mantissa, exponent_mark, exponent = text.partition("e")
    # `1e+21` is a string to YAML 1.1, which asks for a dot in the mantissa.
    if exponent_mark and "." not in mantissa:
        return f"{mantissa}.0e{exponent}"
    return text


def _text(text: str, indent: str) -> str:
    if "\n" in text and _fits_literal(text):
        return _literal(text, indent)
    return inline(text)


def inline(text: object) -> str:
    """Return text as a scalar of one line: plain where all readers agree, else in double quotes."""
    if not isinstance(text, str):
        raise Unwritable(TypeError, f"is a key of type `{type(text).__name__}`, the YAML writer takes only `str`")
    written = text = str.__str__(text)
    if not is_plain(text):
        written = quoted(text)
    if len(written) <= _KNOWN_LENGTH and "\n" not in text:
        if len(_known) >= _KNOWN_ENTRIES:
            _known.clear()
        _known[text] = written
    return written


def is_plain(text: str) -> bool:
    # `strip` leaves nothing exactly where every character is one of the set.
    if not text or text.strip(_PLAIN):
        return False
    if text[0] in _DIGITS:
        return text.lstrip(_DIGITS) in _QUANTITY_SUFFIXES
    # `-u` and `--epochs` are neither a number nor the `- ` of a list nor the line `---` between documents.
    word = text.removeprefix("-").removeprefix("-")
    if word[:1] not in _LETTER and not text.startswith(("/", "./", "../")):
        return False
    return text[-1] not in ": " and ": " not in text and text.lower() not in _RESERVED


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    if not text.isascii():
        if _has_lone_surrogate(text):
            raise Unwritable(ValueError, "holds a lone surrogate, which UTF-8 refuses")
        escaped = escaped.translate(_escapes())
    elif not text.isprintable():
        escaped = escaped.translate(_escapes())
    return f'"{escaped}"'


def _fits_literal(text: str) -> bool:
    """Tell whether text survives as a block literal, whose blanks at line ends editors and hooks strip."""
    if text[0] in " \n" or text[-1] == " " or " \n" in text:
        return False
    characters = text.replace("\n", "")
    if characters.isascii():
        return characters.isprintable()
    return not _has_lone_surrogate(characters) and characters.translate(_escapes()) == characters


def _literal(text: str, indent: str) -> str:
    """Return a block literal without the line break that ends it."""
    header, body = "|-", text
    if text[-1] == "\n":
        header, body = ("|+" if text[-2] == "\n" else "|"), text[:-1]
    lines = [f"{indent}  {line}" if line else "" for line in body.split("\n")]
    return header + "\n" + "\n".join(lines)


def _quote_last(out: list[str], data: object) -> None:
    """Turn a `|+` literal at the end into double quotes, as the document itself ends with one line break."""
    while isinstance(data, dict | list):
        data = data[-1] if isinstance(data, list) else data[next(reversed(data))]
    # No key holds a raw line break behind `|+`, so the first match is the literal's header.
    before, _, _ = out[-1].partition("|+\n")
    out[-1] = f"{before}{inline(data)}\n"


def _has_lone_surrogate(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return True
    return False


def _escapes() -> dict[int, str]:
    global _yaml_escapes
    if not _yaml_escapes:
        table: dict[int, str] = {}
        for first, last in ((0, 0x1F), *_INVISIBLE):
            letter, width = ("x", 2) if last < 0x100 else ("u", 4) if last < 0x10000 else ("U", 8)
            for code in range(first, last + 1):
                table[code] = f"\\{letter}{code:0{width}X}"
        table.update({0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"})
        _yaml_escapes = table
    return _yaml_escapes


def _location(path: list[object]) -> str:
    """Return the path as the API server prints one; `path` runs from the value to the root."""
    text = ""
    for step in reversed(path[-24:]):
        if isinstance(step, str) and step and not step.strip(_LETTERS + _DIGITS + "-_"):
            text += f".{step}" if text else step
        elif isinstance(step, str) and is_plain(step):
            text += f"[{step}]"
        else:
            text += f"[{step!a}]"
    return f"`{text}`" if text else "the document"
