"""Every numbered clause of a rule is settled by a registered function, or excused by name."""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from replay.games.rule import Rule
from replay.resettle import GAMES, rules_of
from replay.rulebook.loader import load_rulebook

TESTS = Path(__file__).parent / "games"


def rule_of(name: str) -> Rule:
    for game in GAMES:
        rules_of(game)  # imports all that settles its clauses
    rule = importlib.import_module(f"replay.games.{name}").RULE
    assert isinstance(rule, Rule)
    return rule


NAMES = [game.name.lower() for game in GAMES]


@pytest.mark.parametrize("name", NAMES)
def test_clauses_are_settled_or_excused(name: str) -> None:
    game = next(each for each in GAMES if each.name.lower() == name)
    rule = rule_of(name)
    clauses = {clause.number for clause in load_rulebook().clauses(game)}
    settled, excused = set(rule.settled), set(rule.not_settled)
    assert settled | excused == clauses
    assert not settled & excused
    assert all(rule.not_settled.values())


@pytest.mark.parametrize("name", NAMES)
def test_every_settled_clause_has_a_test_named_by_it(name: str) -> None:
    files = sorted(TESTS.glob(f"test_{name}*.py"))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files]
    tested = {
        f"({int(number)})"
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
        for number in re.findall(r"_c(\d\d)(?=_)", node.name)
    }
    assert set(rule_of(name).settled) <= tested
