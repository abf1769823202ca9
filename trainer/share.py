"""One scan of the data directory for all ranks: sixteen walks over a network file system are fifteen too many."""

from __future__ import annotations

import base64
import os
import zlib

from trainer import files
from trainer.agree import Board

CHUNK = 1 << 20


def shared_index(board: Board, root: str, kind: str, limit: float, name: str) -> files.Index:
    """The index file beside the data, else rank 0's scan, handed on through the store in pieces."""
    path = os.path.join(root, files.INDEX)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            return files.read_index(file.read(), path)
    key = f"{board.prefix}piece-{name}"
    if board.place.rank == 0:
        board.say(f"no index in `{root}`: rank 0 scans it (make one with `trainer index`)")
        packed = base64.b64encode(zlib.compress(files.scan(root, kind).text().encode()))
        for part in range(0, len(packed), CHUNK):
            board.store.set(f"{key}/{part // CHUNK}", packed[part : part + CHUNK].decode())
        parts = -(-len(packed) // CHUNK)
    else:
        parts = 0
    parts = board.round(f"index-{name}", parts, lambda got: got[0], limit)
    packed = b"".join(board.store.get(f"{key}/{part}") for part in range(parts))
    return files.read_index(zlib.decompress(base64.b64decode(packed)).decode(), root)
