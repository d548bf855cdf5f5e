"""The process that decodes pieces of event files: one after the other, as long as some come."""

from __future__ import annotations

import gc
import os
import pickle
import sys
from typing import Final

GARBAGE_OBJECTS: Final = 100_000  # events are not cyclic: to look through them costs a tenth


def main() -> None:
    """Read pieces from standard input, write what each holds to standard output."""
    gc.set_threshold(GARBAGE_OBJECTS)
    asked, told = sys.stdin.buffer, sys.stdout.buffer
    try:
        while True:
            piece = pickle.load(asked)  # noqa: S301 (of the process that started this one)
            pickle.dump(piece.decode(), told, pickle.HIGHEST_PROTOCOL)
            told.flush()
    except (EOFError, BrokenPipeError):
        os._exit(0)  # nobody has anything more to decode


if __name__ == "__main__":
    main()
