"""A day sealed by hand through a service is in its history when that is answered."""

import shutil
from pathlib import Path

from services.history.sealed.anchors import remembered
from tests.services.api.standing import standing


def test_what_was_sealed_is_remembered_at_once(kept: Path) -> None:
    with standing(kept) as stands:
        sealed = stands.post("/api/seal", b"{}").said["sealed"]
        assert [each["manifest"] for each in sealed] == sorted(remembered(stands.history)) != []
        assert stands.asked("/api/verify").said["problems"] == []
        shutil.rmtree(kept.with_name(f"{kept.name}.sealed"))
        problems = stands.asked("/api/verify").said["problems"]
        assert "manifest" in {each["what"] for each in problems}
