"""Benchmarks: ratios measured side by side, in turns, with the goal beside each.

``python -m tests.bench`` measures a cold start (``cold``) and a batch of a thousand profiles (``batch``). Milliseconds
say something about one machine at one hour; a ratio to the empty interpreter or to a peer that ran in the same rounds
carries over. A peer that is not installed is skipped with a line. Nothing here is a test, and no test asserts a time.
"""
