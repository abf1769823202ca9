"""One file a format. Each has ``render(diagnostics, …) -> str`` over the serialised diagnostics and looks at nothing
else; ``human`` also gets the source lines that it quotes. To add one: the file, its word in ``cli/terminal.FORMATS``,
and a case in ``tests/diagnostics``.
"""
