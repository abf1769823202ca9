"""The schemas as Python data, one module for each; written by ``python -m specgen.generate``, never by hand.

A node says what a value may be, by its Python type: ``{str: True, int: check, dict: shape, list: node}``. True takes
any value of the type, a check is called with the value, a list's entry is the node of its items. A shape is
(properties, required, others, names, pairs): nodes by name; names that must be there; the node of all other values, or
None where there are no others; the check of their names, or None; the check of each (name, value), or None.
``ROOT`` is the top level of a foreign kind; the shapes that many of them hold stand in ``metadata``, ``claims``,
``pods``, ``replicas``, ``metrics`` and ``jobsets``. ``DEFINITIONS`` holds the models of a profile, and ``RECORDS`` says
how ``specgen.schema.record`` reads accepted data: model → attribute → (key, default, kind, model below).
``trainer_contract`` is no schema: it holds what the trainer says of itself.
"""
