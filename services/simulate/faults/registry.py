"""Every fault there is, by name."""

from typing import Final

from services.simulate.faults import (
    bets,
    cards,
    chips,
    decisions,
    misdeals,
    money,
    openings,
    stream,
)
from services.simulate.faults.fault import Fault

FAULTS: Final[tuple[type[Fault], ...]] = (
    # pays
    money.PaysWrongRow,
    money.TakesPush,
    money.PaysLoser,
    money.TakesWinner,
    money.ForgetsWager,
    money.ForgetsBonus,
    money.PaysUnplaced,
    money.SettlesTwice,
    money.CorrectsMispay,
    openings.PaysOtherPaytable,
    misdeals.MisdealPlayed,
    misdeals.VoidsExposed,
    misdeals.CutsDealShort,
    cards.UnreadCard,
    # bets
    bets.MissingAnte,
    bets.UnbackedPlay,
    bets.UnequalBets,
    bets.RunOutOfRange,
    bets.BonusOverFirst,
    bets.OverLimit,
    bets.UnderMinimum,
    chips.LateBet,
    chips.ChipsTakenBack,
    chips.NotOffered,
    chips.TipNotTaken,
    chips.LoneTip,
    chips.NegativeAmount,
    # decisions
    decisions.NoDecision,
    decisions.EarlyDecision,
    decisions.ChangesLate,
    decisions.ActsAfterFold,
    decisions.IllegalSplit,
    decisions.KeepsUndealt,
    decisions.HouseWayMisset,
    openings.NoHouseWay,
    # cards and procedure
    cards.DuplicateCard,
    cards.BadCard,
    cards.DealOrder,
    cards.SettlementOrder,
    cards.DeckRepeated,
    cards.TwoDecks,
    cards.PastCut,
    # rules in force
    openings.NoEdition,
    openings.EditionNotHeld,
    openings.UnknownPaytable,
    # stream
    stream.Gap,
    stream.Conflict,
    chips.TwinBet,
    stream.AfterTheEnd,
    stream.NotClosed,
    stream.OrphanCorrection,
    stream.ClockSkew,
    stream.Redelivery,
)
"""In the order of the finding codes that they raise."""

FAULT_BY_NAME: Final = {fault.name: fault for fault in FAULTS}
