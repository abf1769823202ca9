"""The grid-operator: GridJob.

``facts`` (its releases, names), ``gridjob`` (the kind), ``pods`` (what it creates), ``refusals``, ``lifecycle``,
``updates``.
"""
