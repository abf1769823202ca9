"""libyaml's event parser, with as little of PyYAML around it as it needs.

``import yaml`` compiles regular expressions and loads loaders and dumpers that nothing here uses: 19 ms of 28. The C
parser needs only the classes of events and tokens, and a few exception names. After ``lean()``, which the command line calls since the
process is its own, the first ``parser()`` loads it beside empty stand-ins for the rest and takes the stand-ins away
again. Everywhere else PyYAML is imported as usual; where it has no C part, its pure parser gives the same events.
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
    from yaml.parser import Parser, ParserError
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PureParser(Reader, Scanner, Parser):
        """PyYAML's own parser without composer and constructor."""

        def __init__(self, stream: str) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)

        def get_event(self) -> Any:
            event: Any = super().get_event()  # type: ignore[no-untyped-call]
            value = getattr(event, "value", None)
            if value is not None and not value.isascii() and any("\ud800" <= sign <= "\udfff" for sign in value):
                # libyaml refuses the escape of half a character, and no half can be written out again
                problem = "found invalid Unicode character escape code"
                raise ParserError(None, None, problem, event.start_mark)
            return event

        def dispose(self) -> None:
            Parser.dispose(self)

    return PureParser
