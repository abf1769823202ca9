"""Text ⇄ trees: YAML is read into documents with a span for every key and value, and plain data is written.

Lives here: ``decode`` (bytes → text), ``libyaml`` (the event parser), ``read`` (text → documents and findings, within
limits), ``one`` (exactly one profile), ``scalars`` (what a plain scalar means to kubectl), ``tree`` (nodes, documents,
paths → spans), ``write`` (plain data → deterministic YAML or JSON), ``codes`` (SG0xx).
May import ``source`` and ``diagnostics``, and libyaml's parser from PyYAML.
To add a check of the text itself: a code in ``codes.py``, a yield in ``read.py``, a row in the table of bad inputs.
"""
