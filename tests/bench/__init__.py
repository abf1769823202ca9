"""Benchmarks: ratios measured side by side, in turns, with the goal beside each.

``python -m tests.bench`` measures a cold start (``cold``), a batch of a thousand profiles (``batch``), and what inputs
of one shape cost by their size (``growth``). Milliseconds say something about one machine at one hour; a ratio to the
empty interpreter, to a peer that ran in the same rounds, or to half of the input carries over. A peer that is not
installed is skipped with a line. Nothing here is a test, and no test asserts a time.
"""
