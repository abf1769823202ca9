"""Volcano: its own ``job``, whose tasks are scheduled as one gang.

``facts`` (its releases, defaults, what its plugins are called and add), ``job`` (reads a manifest), ``plugins`` (what
they do to pods, and what they make beside them), ``pods`` (what is created), ``refusals`` (what its webhook refuses),
``lifecycle`` (what its policies make of failures), ``updates``.
"""
