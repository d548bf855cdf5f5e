"""Where the stored tables lie that a question in SQL is put to.

The seam between the sandbox and whatever holds a history: a database file that no process owns, or
Parquet files, of an export and of sealed days alike. Each row lies in one place only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from services.history.views import STORED


@dataclass(frozen=True, slots=True)
class SqlSource:
    """A database file, or Parquet files for each stored table."""

    database: Path | None = None
    """Attached read-only."""
    parquet: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """Stored table -> its files, with the columns of the stored table: all that views stand on."""

    def __post_init__(self) -> None:
        assert (self.database is None) == (set(self.parquet) >= set(STORED))

    def to_json(self) -> str:
        """For the process that answers."""
        files = {name: [str(path) for path in paths] for name, paths in self.parquet.items()}
        return json.dumps(
            {"database": self.database and str(self.database.absolute()), "parquet": files}
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        said = json.loads(text)
        return cls(
            database=None if said["database"] is None else Path(said["database"]),
            parquet={
                name: tuple(Path(path) for path in paths) for name, paths in said["parquet"].items()
            },
        )
