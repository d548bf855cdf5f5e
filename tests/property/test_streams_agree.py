"""The whole audit and the oracle agree on files in which the stream itself went wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.property.compare import differences_of_audit
from tests.property.weird_streams import stream


@pytest.mark.parametrize("seed", range(40))
def test_audit_and_oracle_agree(seed: int, tmp_path: Path) -> None:
    assert differences_of_audit(stream(seed, 5), tmp_path / "events.jsonl") == []
