"""Each way to write the data wrong gives an error that names file, key, fault and next step."""

import shutil
from importlib.resources import as_file, files
from pathlib import Path

import pytest

from replay.rulebook.loader import Rulebook, RulebookError, load_folder

RT, DD, TS = "run_em_twice.toml", "dakota_duel_draw.toml", "texas_shootout.toml"
READINGS, LIMITS = "readings.toml", "limits.toml"
ROYAL = '{ id = "royal_flush", words = "Royal Flush", pays = [[100, 1]] }'


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A copy of the packaged data that may be broken."""
    with as_file(files("replay.rulebook")) as folder:
        shutil.copytree(folder, tmp_path / "rulebook", ignore=shutil.ignore_patterns("*.py*"))
    return tmp_path / "rulebook"


def load_broken(data: Path, file: str, old: str, new: str) -> Rulebook:
    text = (data / file).read_text(encoding="utf-8")
    assert old in text
    (data / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    return load_folder(data)


def test_the_copy_itself_is_whole(data: Path) -> None:
    assert load_broken(data, RT, "decks = 1", "decks = 1").readings()


# file, what stands there, what is put there; key, fault and next step as the error tells them
BROKEN = [
    (RT, "decks = 1", "decks = ", "whole file", "no TOML", "mend"),
    (RT, "decks = 1", "decks = 0", "decks", "no whole number above 0", "write one"),
    (RT, "decks = 1", "decks = true", "decks", "no whole number", "write one"),
    (RT, "decks = 1", "decks = 1.0", "decks", "no whole number", "write one"),
    (RT, "decks = 1", "deck = 1", "decks", "missing", "write it"),
    (RT, "decks = 1", "decks = 1\ndeckz = 2", "deckz", "no such key", "decks, edition"),
    (RT, '"RUN_EM_TWICE"', '"UNKNOWN"', "game", "not known", "RUN_EM_TWICE, DAKOTA_DUEL_DRAW"),
    (DD, '"DAKOTA_DUEL_DRAW"', '"RUN_EM_TWICE"', "game", "a file already", "keep one"),
    (RT, '"51 SDR 111"', '" 51 SDR 111"', "edition[0].register", "blank", "in quotes"),
    (RT, "= 2025-05-06", '= "2025-05-06"', "edition[0].in_force_from", "no date", "bare"),
    (RT, "= 2025-05-06", "= 2025-05-06T00:00:00", "edition[0].in_force_from", "no date", "bare"),
    (RT, "held = true", 'held = "yes"', "edition[0].held", "neither true nor false", "one of"),
    (RT, "held = true", "held = false", "edition", "it alone, is held", "last edition only"),
    (DD, "held = false", "held = true", "edition", "it alone, is held", "last edition only"),
    (DD, "2021-12-08", "2021-04-26", "edition[1].in_force_from", "does not come after", "order"),
    (RT, 'number = "(2)"', 'number = "2"', "clause[1].number", "no clause", "(7)(d)"),
    (RT, 'number = "(2)"', 'number = "(3)"', "clause[1].number", "where (2) should", "leaving"),
    (RT, 'clause = "(9)"', 'clause = "(11)"', "wager[5].clause", "no clause (11)", "cite one of"),
    (DD, 'clause = "(6)"', 'clause = "(13)"', "settlement.clause", "no clause (13)", "cite"),
    (DD, '"any"', '"left"', "settlement.spots", "'left' is not known", "any, highest-first"),
    (DD, '["POCKET_PAIR", "H', '["BIG_8", "H', "settlement.wagers", "a word twice", "each once"),
    (RT, '= "SECOND_RUN"', '= "FIRST_RUN"', "wager", "'FIRST_RUN' stands 2 times", "keep one"),
    (RT, '= "SECOND_RUN"', '= "BIG_8"', "wager", "SECOND_RUN is used but not listed", "list it"),
    (DD, '"big_8"', '"pocket_pair"', "wager", "'pocket_pair' stands 2 times", "keep one"),
    (DD, '"big_8"', '"Big 8"', "wager[3].posted_as", "no id", "full_house"),
    (DD, 'posted_as = "big_8"', "", "wager[3].posted_as", "BIG_8 has the paytables", "only"),
    (TS, 'clause = "(4)"', 'clause = "(4)"\nposted_as = "x"', "wager[0].posted_as", "no", "take"),
    (TS, '{ id = "B",', '{ id = "A",', "paytable", "'SHOOTOUT_BONUS A' stands 2", "keep one"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "[[100, 2]]"), "lines[0].pays[0]", "no pay", "[x, 1]"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "[100]"), "lines[0].pays[0]", "100 is no", "[x, 1]"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "[[1.5, 1]]"), "lines[0].pays[0]", "no pay", "push"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", '["N/A"]'), "lines[0].pays[0]", "no pay", "na"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "[[0, 1]]"), "lines[0].pays[0]", "no pay", "[x, 1]"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "[]"), "lines[0].pays", "0 pays for 1", "each column"),
    (DD, ROYAL, ROYAL.replace("[[100, 1]]", "100"), "lines[0].pays", "no list", "brackets"),
    (DD, ROYAL, ROYAL.replace("royal", "straight"), "lines", "'straight_flush' stands 2", "keep"),
    (DD, ROYAL, ROYAL.replace(" }", ', clause = "(1)" }'), "lines[0].clause", "not within", "cite"),
    (DD, '"DD-NINES"', '"DD-TENS"', "line two_pair", "'DD-TENS' is no reading", "readings.toml"),
    (DD, '"DD-NINES"', '"RT-SIXES"', "line two_pair", "no reading of this game", "readings.toml"),
    (DD, "odds = [4, 1],", "", "lines[2].pays[0].odds", "missing", "write it"),
    (TS, "cents = 10_00", "cents = -1", "lines[3].pays[0].cents", "no whole number", "write"),
    (READINGS, 'id = "ALL-PUSH"', 'id = "ALL-ACE"', "reading", "'ALL-ACE' stands 2", "keep one"),
    (READINGS, 'value = "any-amount"', 'value = "any"', "reading[12].value", "not in", "one of"),
    (READINGS, 'value = "any-amount"', "", "reading[12].value", "None is not in", "one of them"),
    (READINGS, 'values = ["any-amount", "whole-multiples"]', "", "value", "no `values`", "as well"),
    (READINGS, '["any-amount", "wh', '["wh', "reading[12].value", "is not in `values`", "one of"),
    (READINGS, 'games = ["RUN_EM_TWICE"]', "games = []", "games", "empty", "name each once"),
    (LIMITS, "maximum_cents = 100_00", "maximum_cents = 100.0", "limit[0].maximum_cents", "no", ""),
    (LIMITS, "2012-07-01", "2001-01-30", "limit[1].in_force_from", "does not come after", "order"),
    (LIMITS, "[[limit]]", "[limits]\n[[limit]]", "limits", "no such key", "one of: limit"),
    (LIMITS, "[[limit]]", "[[limit.x]]", "whole file", "no TOML", "mend that line"),
]


@pytest.mark.parametrize(("file", "old", "new", "key", "problem", "next_step"), BROKEN)
def test_one_fault_each(
    data: Path, file: str, old: str, new: str, key: str, problem: str, next_step: str
) -> None:
    with pytest.raises(RulebookError) as raised:
        load_broken(data, file, old, new)
    error = raised.value
    assert error.file == file
    assert key in error.key, error
    assert problem in error.problem, error
    assert next_step in error.next_step, error
    assert str(error).startswith(f"{file}, {error.key}: ")


def test_a_list_that_is_none_or_empty(data: Path) -> None:
    (data / LIMITS).write_text("limit = 3\n", encoding="utf-8")
    with pytest.raises(RulebookError, match=r"limits\.toml, limit: 3 is no list"):
        load_folder(data)
    (data / LIMITS).write_text("limit = [3]\n", encoding="utf-8")
    with pytest.raises(RulebookError, match=r"limits\.toml, limit\[0\]: 3 is no table"):
        load_folder(data)
    (data / LIMITS).write_text("limit = []\n", encoding="utf-8")
    with pytest.raises(RulebookError, match=r"limits\.toml, limit: empty"):
        load_folder(data)


def test_a_table_that_is_none(data: Path) -> None:
    text = (data / RT).read_text(encoding="utf-8")
    (data / RT).write_text("settlement = 3\n" + text, encoding="utf-8")
    with pytest.raises(RulebookError, match=r"run_em_twice\.toml, settlement: 3 is no table"):
        load_folder(data)


def test_a_file_that_is_missing_or_no_text(data: Path) -> None:
    (data / LIMITS).write_bytes(b"\xff")
    with pytest.raises(RulebookError, match=r"limits\.toml, whole file: cannot be read.*UTF-8"):
        load_folder(data)
    (data / LIMITS).unlink()
    with pytest.raises(RulebookError, match=r"limits\.toml, whole file: cannot be read"):
        load_folder(data)
