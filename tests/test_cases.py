"""Rounds, streams and disputes that are known to go wrong, each audited by itself.

`cases/` holds one question a file, `samples/` whole evenings; both say what an audit must answer.
"""

import json
from pathlib import Path
from typing import Final

import pytest

from services.audit import audit
from services.errors import PitproofError
from services.report.model import json_chunks
from tests.checks import Answer, Case, cases_in, differences, failures

HERE: Final = Path(__file__).parent

GAMES: Final = frozenset({"RUN_EM_TWICE", "DAKOTA_DUEL_DRAW", "TEXAS_SHOOTOUT"})
"""The games whose cases are run; a file of several games needs all of them."""


def answer_of(path: Path) -> Answer:
    try:
        report = audit([str(path)])
    except PitproofError as error:
        return Answer(status=2, error=str(error))
    return Answer(status=report.exit_status, report=json.loads(b"".join(json_chunks(report))))


def switched_on(folder: str) -> list[object]:
    return [
        pytest.param(
            case,
            id=case.name,
            marks=[] if case.games <= GAMES else pytest.mark.skip(reason="game not settled yet"),
        )
        for case in cases_in(HERE / folder)
    ]


@pytest.mark.parametrize("case", switched_on("cases"))
def test_case(case: Case) -> None:
    expected = case.expected()
    failed = failures(expected["checks"], answer_of(case.path))
    assert not failed, "\n".join([expected["title"], *failed])


@pytest.mark.parametrize("sample", switched_on("samples"))
def test_sample(sample: Case) -> None:
    told = differences(sample.expected(), answer_of(sample.path))
    assert not told, "\n".join(told)
