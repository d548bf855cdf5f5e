"""Who may ask, what a refusal looks like, and the file that holds the token."""

import os
import stat
from pathlib import Path

import pytest

from services.api.address import address_path, read_address
from services.api.errors import STATUSES, said, status_of
from services.api.server import ListenError
from services.errors import BadArgumentError, PitproofError
from tests.services.api.standing import Standing, standing


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_anyone_may_see_how_it_is(shared: Standing, path: str) -> None:
    assert shared.get(path).status in (200, 503)


def test_not_ready_is_503_and_says_why(stands: Standing) -> None:
    answer = stands.get("/readyz")
    assert (answer.status, answer.said["ready"]) == (503, False)
    [joining] = answer.said["problems"]
    assert (joining["code"], joining["stopping"]) == ("joining", True)
    assert "silent for its session timeout" in joining["message"]
    stands.state.settled(True)
    answer = stands.get("/readyz")
    assert (answer.status, answer.said) == (200, {"ready": True, "partitions": [], "problems": []})


@pytest.mark.parametrize("token", [None, "", "x", "é"])
@pytest.mark.parametrize("path", ["/api/findings", "/api/nothing", "/api", "/api/"])
def test_the_rest_needs_the_token(shared: Standing, path: str, token: str | None) -> None:
    answer = shared.get(path, token)
    assert (answer.status, answer.said["code"]) == (401, "no_token")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert shared.serving.address.token not in answer.body.decode()


def test_another_start_has_another_token(kept: Path) -> None:
    with standing(kept) as one:
        first = one.serving.address
    with standing(kept) as two:
        second = two.serving.address
        assert two.get("/api/findings", first.token).status == 401
    assert first.instance != second.instance


def test_the_file_is_for_its_user_only_and_goes_with_the_service(kept: Path) -> None:
    before = os.umask(0)
    try:
        with standing(kept) as one:
            path = address_path(kept)
            assert path == kept.with_name("kept.db.api")
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            assert read_address(kept) == one.serving.address
    finally:
        os.umask(before)
    assert sorted(one.name for one in kept.parent.iterdir()) == ["kept.db"]


def test_what_there_is_not(shared: Standing) -> None:
    answer = shared.asked("/api/nothing")
    assert (answer.status, answer.said["code"]) == (404, "no_such_question")
    assert "findings" in answer.said["next_step"]
    assert shared.get("/docs").status == shared.get("/openapi.json").status == 404
    answer = shared.ask("DELETE", "/api/findings", None, shared.serving.address.token, {})
    assert (answer.status, answer.said["code"]) == (405, "bad_argument")


@pytest.mark.parametrize("listen", ["8642", "127.0.0.1:", ":8642", "127.0.0.1:99999", "a:b"])
def test_no_address(kept: Path, listen: str) -> None:
    with pytest.raises(BadArgumentError, match="HOST:PORT"):
        refused(kept, listen)


def test_an_address_that_is_taken(stands: Standing, tmp_path: Path) -> None:
    taken = f"127.0.0.1:{stands.serving.address.port}"
    with pytest.raises(ListenError, match=taken):
        refused(tmp_path / "other.db", taken)
    assert not address_path(tmp_path / "other.db").exists()


def refused(path: Path, listen: str) -> None:
    from services.api.server import serving
    from services.history.store import History
    from services.live.state import ServiceState
    from services.settings import Settings

    with (
        History.open(path) as history,
        serving(history, ServiceState(), Settings(), listen=listen),
    ):
        pass


def test_every_failure_has_a_status_and_a_form() -> None:
    assert all(400 <= status < 600 for status in STATUSES.values())
    other = PitproofError("what", next_step="then")
    assert status_of(other) == 422
    assert said(other) == {"code": "operating_error", "message": "what", "next_step": "then"}
