"""Every code of specgen; nothing outside the standard library is loaded."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Code


def codes() -> dict[str, Code]:
    """Number → code, in order."""
    from specgen import rules
    from specgen.answers import codes as answers
    from specgen.diagnostics.catalog import BUG, catalog
    from specgen.diagnostics.ignores import MALFORMED
    from specgen.diagnostics.suppress import UNUSED
    from specgen.document import codes as document
    from specgen.emit import codes as emit
    from specgen.local import codes as local
    from specgen.manifest import codes as manifest
    from specgen.plan import codes as plan
    from specgen.profile import codes as profile
    from specgen.recognise import codes as recognise
    from specgen.schema import codes as schema
    from specgen.session.baseline import STALE

    ours = [rules.load(name).CODE for name in rules.names()]
    stages = [document.ALL, recognise.ALL, schema.ALL, manifest.ALL, manifest.OF_KINDS, profile.ALL, plan.ALL]
    stages += [emit.ALL, local.ALL, answers.ALL]
    return catalog([*stages, ours, [UNUSED, MALFORMED, STALE, BUG]])
