"""A script without torch whose ranks meet in sockets; its first argument says what goes wrong on rank 1."""

from __future__ import annotations

import os
import socket
import sys
import time

from trainer.guard import committed, phase, should_stop

fault, port = sys.argv[1], int(os.environ["MASTER_PORT"])
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
if rank == 0:
    server = socket.create_server(("127.0.0.1", port))
    links = [server.accept()[0] for _ in range(world - 1)]
else:
    while True:
        try:
            links = [socket.create_connection(("127.0.0.1", port))]
            break
        except OSError:
            time.sleep(0.02)
for step in range(3 if fault == "none" else 100000):
    if "calls" in fault:
        phase("compute", step)
    if step == 2:
        print("running", flush=True)
        if rank == 1 and fault == "raise":
            raise ValueError("bad label 17")
        if rank == 1 and fault == "hang calls":
            time.sleep(1000)
    time.sleep(0.01)
    if "calls" in fault:
        phase("sync", step)
    for link in links:  # a sum over all ranks, as far as the network is concerned
        link.sendall(b"x")
    for link in links:
        if not link.recv(1):
            raise RuntimeError("Connection closed by peer")
    if "calls" in fault and should_stop():
        committed(step)
        print(f"saved {step}", flush=True)
        break
