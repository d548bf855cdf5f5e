"""Chance from a seed and nothing else: no clock, no hash order, no system entropy."""

import random
from typing import Final

Chance = random.Random

ID_VERSION: Final = 0x4000_8000_0000_0000_0000  # version 4, variant 1: what uuid4 would have set
ID_KEPT: Final = ~0xF000_C000_0000_0000_0000


def seeded(*names: str | int) -> Chance:
    """A generator of its own for each list of names, e.g. a seed and a table.

    Seeding with text goes through SHA-512, so that it is the same on every machine and run.
    """
    return random.Random("/".join(map(str, names)))


def event_id(rng: Chance) -> str:
    """A new event id, in the form of a random uuid."""
    digits = f"{rng.getrandbits(128) & ID_KEPT | ID_VERSION:032x}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
