"""Event files that are Avro object containers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from services.decode.batch import DecodedBatch
from services.errors import NotBuiltInError


def read_avro(path: Path, source: str) -> Iterator[DecodedBatch]:
    """The events of an `.avro` file. `source` is its name as given."""
    raise NotBuiltInError(f"{source}: Avro files cannot be read yet ({path.name})")
