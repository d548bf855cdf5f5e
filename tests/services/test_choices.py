"""Who writes a name in small letters is told the one that was meant."""

import pytest

from services.choices import no_such
from services.errors import BadArgumentError


@pytest.mark.parametrize(
    ("value", "meant"), [("rt-01", "RT-01"), ("RT-1", "RT-01"), ("overPaid", "overpaid")]
)
def test_letters_do_not_matter_for_what_was_meant(value: str, meant: str) -> None:
    with pytest.raises(BadArgumentError) as refused:
        no_such("--table", value, ["TS-01", "RT-01", "overpaid"], what="table")
    assert f"did you mean {meant}?" in str(refused.value.next_step)
