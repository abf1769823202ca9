"""Writes small images of ten kinds of strokes in MNIST's file format, the same on every machine.

    python digits.py FOLDER

It stands in for data that a cluster has on a file system: 2,000 images to train with and 500 to check with, of 28 x 28
pixels, in the four files that readers of MNIST expect.
"""

import os
import random
import struct
import sys

SIDE = 28
# Strokes on a grid of 7 x 7, by which the ten classes differ.
STROKES = (
    "0111110010001001000100100010010001001000100111110",
    "0001000001100000010000001000000100000010000011100",
    "0111110000001000000100011100010000001000000111111",
    "1111110000001000000100111100000001000000101111110",
    "1000010100001010000101111110000001000000100000010",
    "1111111100000010000001111100000000100000101111100",
    "0011110010000010000001111110100000110000010111110",
    "1111111000001000001000001000001000001000000100000",
    "0111110100000110000010111110100000110000010111110",
    "0111110100000110000010111111000000100000100111100",
)


def image(label: int, chance: random.Random) -> bytes:
    """One image: the strokes of a class, moved by a pixel or two, with noise."""
    right, down = chance.randint(-2, 2), chance.randint(-2, 2)
    pixels = bytearray()
    for row in range(SIDE):
        for column in range(SIDE):
            at = ((row - down) // 4 % 7) * 7 + (column - right) // 4 % 7
            pixels.append(chance.randint(0, 60) + (180 if STROKES[label][at] == "1" else 0))
    return bytes(pixels)


def write(folder: str, name: str, count: int, seed: int) -> None:
    """A file of images and a file of labels."""
    chance = random.Random(seed)
    labels = bytes(chance.randrange(10) for _ in range(count))
    with open(os.path.join(folder, f"{name}-images-idx3-ubyte"), "wb") as file:
        file.write(struct.pack(">IIII", 0x803, count, SIDE, SIDE))
        file.writelines(image(label, chance) for label in labels)
    with open(os.path.join(folder, f"{name}-labels-idx1-ubyte"), "wb") as file:
        file.write(struct.pack(">II", 0x801, count) + labels)


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    write(sys.argv[1], "train", 2000, seed=1)
    write(sys.argv[1], "t10k", 500, seed=2)
