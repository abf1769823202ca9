"""Does a document have the shape of its schema, and if not, what is wrong where.

Lives here: ``accept`` (walks a table of ``specgen.tables``, says "valid" or "not sure"), ``checks`` (what those tables
call), ``formats`` (grammars of texts), ``record`` (accepted data in the models' shape, without pydantic), ``judge``
(the ``jsonschema`` library's errors as findings), ``library`` (that library, told what our schemas mean), ``walk``
(from a path in a document to its part of the schema), ``wording`` (how errors are said), ``topics`` (what people want
who know no word, and the words that say it), ``remedies`` (the line to write), ``habits`` (what is said otherwise),
``elsewhere`` (keys of other tools' files),
``samples`` (values that a field takes), ``foreign`` (fields of Kubernetes as lines of profiles), ``translated``
(mappings of operators as words of profiles), ``files`` (finds ``schemas/``), ``crd`` (schemas of a cluster's own
kinds), ``codes`` (SG101 to SG104).
May import ``diagnostics``, ``source``.
To add a schema: let a generator write it under ``schemas/``, name it in ``generate/tables.py``, and run
``python -m specgen.generate``. A keyword that the tables do not know stops the generator.
"""
