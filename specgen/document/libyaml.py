"""libyaml's event parser, with as little of PyYAML around it as it needs.

``import yaml`` compiles regular expressions and loads loaders and dumpers that nothing here uses: 19 ms of 28. The C
parser needs only the classes of events and tokens, and a few exception names. After ``lean()``, which the command line
calls since the process is its own, the first ``parser()`` loads it beside empty stand-ins for the rest and takes the
stand-ins away again. Everywhere else PyYAML is imported as usual; where it has no C part, its pure parser gives the
same events.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_STAND_INS = {
    "reader": "ReaderError",
    "scanner": "ScannerError",
    "parser": "ParserError",
    "composer": "ComposerError",
    "constructor": "ConstructorError",
    "emitter": "EmitterError",
    "serializer": "SerializerError",
    "representer": "RepresenterError",
}

_loaded: Any = None
_lean = False


def lean() -> None:
    """Lets ``parser`` load the C parser alone; nothing is loaded yet."""
    global _lean
    _lean = True


def _alone() -> Any:
    """What ``parser`` answers, without the rest of PyYAML; None where that is loaded already or has no C part."""
    if "yaml" in sys.modules:
        return None
    # `importlib` would look for it, and is not loaded yet
    specs = (finder.find_spec("yaml", None) for finder in sys.meta_path)
    spec = next((spec for spec in specs if spec is not None), None)
    if spec is None or not spec.submodule_search_locations:
        return None
    module = type(sys)
    package: Any = module("yaml")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["yaml"] = package
    try:
        import yaml.error

        package.error = sys.modules["yaml.error"]

        class ReaderError(yaml.error.YAMLError):
            """The real one formats its arguments; specgen reads only what the parser put in."""

        # nobody here asks for nodes, of which loaders make their values
        unmade: Any = module("yaml.nodes")
        unmade.__getattr__ = lambda _: None
        sys.modules["yaml.nodes"] = package.nodes = unmade
        import yaml.tokens

        package.tokens = sys.modules["yaml.tokens"]
        for name, error in _STAND_INS.items():
            stand_in: Any = module(f"yaml.{name}")
            setattr(
                stand_in, error, ReaderError if name == "reader" else type(error, (yaml.error.MarkedYAMLError,), {})
            )
            sys.modules[f"yaml.{name}"] = stand_in
            setattr(package, name, stand_in)
        import yaml.events

        package.events = sys.modules["yaml.events"]
        from yaml._yaml import CParser

        return CParser, package.events, package.error.YAMLError
    except ImportError:
        return None
    finally:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]


def parser() -> Any:
    """(parser class, module of event classes, base class of errors)."""
    global _loaded
    if _loaded is None and _lean:
        _loaded = _alone()
    if _loaded is None:
        import yaml
        import yaml.events

        fast: Any = getattr(yaml, "cyaml", None)
        _loaded = (fast.CParser if fast is not None else _pure(), yaml.events, yaml.YAMLError)
    return _loaded


def _pure() -> Any:
    import re

    from yaml.error import Mark, MarkedYAMLError
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner, ScannerError

    def _no_character(start: Any, at: Any) -> Any:
        return ScannerError("while parsing a quoted scalar", start, "found invalid Unicode character escape code", at)

    class PureParser(Reader, Scanner, Parser):
        """PyYAML's own parser without composer and constructor; its errors are those of libyaml."""

        def __init__(self, stream: str) -> None:
            self._whole = stream
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)

        def get_event(self) -> Any:
            try:
                return super().get_event()  # type: ignore[no-untyped-call]
            except MarkedYAMLError as error:
                _as_libyaml(error)
                raise

        def scan_flow_scalar(self, style: str) -> Any:
            """Libyaml refuses the escape of half a character, and no half can be written out again."""
            start = self.get_mark()
            try:
                token: Any = super().scan_flow_scalar(style)
            except (ValueError, OverflowError):
                raise _no_character(start, self.get_mark()) from None
            if not token.value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in token.value):
                half = start.index + re.search(_HALF, self._whole[start.index :]).end()  # type: ignore[union-attr]
                raise _no_character(start, Mark(start.name, half, 0, 0, None, 0))
            return token

        def scan_plain(self) -> Any:
            """To libyaml `?` ends no text between brackets, and a colon in front of one of their signs is an error."""
            peek = self.peek
            self.peek = lambda index=0: "_" if (sign := peek(index)) == "?" else sign  # type: ignore[method-assign]
            try:
                token: Any = super().scan_plain()
            finally:
                del self.peek
            if self.flow_level and self.prefix(2) in (":,", ":?", ":[", ":]", ":{", ":}"):
                context = "while scanning a plain scalar"
                raise ScannerError(context, token.start_mark, "found unexpected ':'", self.get_mark())
            return token

        def dispose(self) -> None:
            Parser.dispose(self)

    return PureParser


# As far as the digits of the first escape of half a character, past escapes of other ones.
_HALF = r"(?s)(?:[^\\]|\\(?!u[dD][89a-fA-F]|U0000[dD][89a-fA-F]).)*\\[uU]"
# What PyYAML's parser says, up to what it found, as libyaml says it (6.0.3 and 0.2.5).
_SAID = {
    "could not find expected ':'": "could not find expected ':'",
    "expected ' '": "did not find expected whitespace or line break",
    "expected '!'": "did not find expected whitespace or line break",
    "expected ',' or ']'": "did not find expected ',' or ']'",
    "expected ',' or '}'": "did not find expected ',' or '}'",
    "expected '<document start>'": "did not find expected <document start>",
    "expected '>'": "did not find the expected '>'",
    "expected <block end>": "did not find expected key",
    "expected URI": "did not find expected tag URI",
    "expected a comment or a line break": "did not find expected comment or line break",
    "expected alphabetic or numeric character": "did not find expected alphabetic or numeric character",
    "expected chomping or indentation indicators": "did not find expected comment or line break",
    "expected escape sequence of": "did not find expected hexdecimal number",
    "expected indentation indicator in the range": "found an indentation indicator equal to 0",
    "expected the node content": "did not find expected node content",
    "found undefined tag handle": "found undefined tag handle",
    "found unexpected document separator": "found unexpected document indicator",
    "found unknown escape character": "found unknown escape character",
    "found character": "found character that cannot start any token",
    "mapping keys are not allowed here": "mapping keys are not allowed in this context",
    "mapping values are not allowed here": "mapping values are not allowed in this context",
    "sequence entries are not allowed here": "block sequence entries are not allowed in this context",
}
_LIST = "while parsing a block collection"


def _as_libyaml(error: Any) -> None:
    """Gives an error of PyYAML's parser the words and places of libyaml."""
    problem = str(error.problem)
    said = next((own for start, own in _SAID.items() if problem.startswith(start)), problem)
    if said == "did not find expected key" and error.context == _LIST:
        said = "did not find expected '-' indicator"
    if said == "found character that cannot start any token":
        error.context_mark = error.problem_mark
    if said == "found unknown escape character":
        error.problem_mark.index -= 1
    error.context = {
        "while scanning a double-quoted scalar": "while parsing a quoted scalar",
        "while parsing a tag": "while scanning a tag",
    }.get(error.context, error.context)
    error.problem = said
