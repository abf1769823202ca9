"""libyaml's event parser, with as little of PyYAML around it as it needs.

``import yaml`` compiles regular expressions and loads loaders and dumpers that nothing here uses: 19 ms of 28. The C
parser needs only the event classes and a few exception names. ``lean()``, called by the command line before anything
else could have imported PyYAML, loads the parser beside empty stand-ins for the rest and takes the stand-ins away
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


def lean() -> None:
    """Load the C parser alone; does nothing where PyYAML is loaded already or has no C part."""
    global _loaded
    if _loaded is not None or "yaml" in sys.modules:
        return
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("yaml")
    if spec is None or not spec.submodule_search_locations:
        return
    module = type(sys)
    package: Any = module("yaml")
    package.__path__ = list(spec.submodule_search_locations)
    sys.modules["yaml"] = package
    try:
        import yaml.error

        package.error = sys.modules["yaml.error"]

        class ReaderError(yaml.error.YAMLError):
            """The real one formats its arguments; specgen reads only what the parser put in."""

        for name, error in _STAND_INS.items():
            stand_in: Any = module(f"yaml.{name}")
            setattr(stand_in, error, ReaderError if name == "reader" else type(error, (yaml.error.MarkedYAMLError,), {}))
            sys.modules[f"yaml.{name}"] = stand_in
            setattr(package, name, stand_in)
        import yaml.events
        import yaml.nodes
        import yaml.tokens

        for name in ("events", "nodes", "tokens"):
            setattr(package, name, sys.modules[f"yaml.{name}"])
        from yaml._yaml import CParser

        _loaded = (CParser, package.events, package.error.YAMLError)
    except ImportError:
        _loaded = None
    finally:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]


def parser() -> Any:
    """(parser class, module of event classes, base class of errors)."""
    global _loaded
    if _loaded is None:
        import yaml
        import yaml.events

        if hasattr(yaml, "cyaml"):
            from yaml.cyaml import CParser as Parser
        else:
            Parser = _pure()
        _loaded = (Parser, yaml.events, yaml.YAMLError)
    return _loaded


def _pure() -> Any:
    from yaml.parser import Parser
    from yaml.reader import Reader
    from yaml.scanner import Scanner

    class PureParser(Reader, Scanner, Parser):
        """PyYAML's own parser without composer and constructor."""

        def __init__(self, stream: str) -> None:
            Reader.__init__(self, stream)
            Scanner.__init__(self)
            Parser.__init__(self)

        def dispose(self) -> None:
            Parser.dispose(self)

    return PureParser
