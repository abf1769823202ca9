"""One file a format: ``human``, ``concise``, and ``json``; ``summary`` counts, ``safe`` keeps control characters out.

Each has ``render(diagnostics, …) -> str`` over the serialised diagnostics and looks at nothing else; ``human`` also
gets the source lines that it quotes. To add one: the file, its word in ``cli/terminal.FORMATS``, and a case in
``tests/diagnostics``.
"""
