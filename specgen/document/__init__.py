"""Text ⇄ trees: YAML is read into documents with a span for every key and value, changed in place, and written.

Lives here: ``decode`` (bytes → text), ``libyaml`` (the event parser), ``read`` (text → documents and findings, within
limits), ``faults`` (what its parser refuses, and where reading goes on), ``moves`` (other columns for its lines),
``boundary`` (objects without a marker between them), ``one`` (exactly one profile), ``scalars`` (what a plain scalar
means to kubectl), ``tree`` (nodes, documents, paths → spans), ``secrets`` (texts as they are printed), ``hidden``
(characters that nobody sees), ``lookalikes`` (those that look like others), ``write`` (plain data → deterministic YAML
or JSON), ``printed`` (what kubectl prints as JSON), ``codes`` (SG0xx).
A patch, operations on paths, becomes edits of the text in ``patch``, by ``layout`` (entries, comments, what is borrowed
by aliases and merge keys) which ``scan`` makes of a text. Nothing of these three is loaded before a patch is asked for:
``Document.edits`` is the door. An edit is offered only once the edited text was read again and means what was asked;
``second`` asks another reader. ``unread`` knows remedies of texts that cannot be read at all.
May import ``source`` and ``diagnostics``, and libyaml's parser from PyYAML.
To add a check of the text itself: a code in ``codes.py``, a yield in ``read.py``, a row in the table of bad inputs.
To change what a patch writes: a case in ``tests/document/patches`` first; the rest of the text must stay as it is.
"""
