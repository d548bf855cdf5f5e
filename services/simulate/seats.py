"""Who sits at a table, what they like to bet, and how their chips come down."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.simulate.chance import Chance

UNITS_CENTS: Final = (2_50, 5_00, 5_00, 7_50, 10_00, 10_00, 12_50, 15_00, 25_00, 25_00, 50_00)
SIDE_CENTS: Final = (1_00, 1_00, 2_00, 2_50, 5_00, 5_00, 10_00, 15_00)
TIP_CENTS: Final = (50, 1_00, 1_00, 2_00, 5_00)

Chips = tuple[str, int]
"""`WagerPlaced` or `WagerRemoved`, and the amount in cents."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One betting position with a player; a player may hold several."""

    spot: int
    player_id: str | None
    unit_cents: int
    side_chance: float
    tip_chance: float
    patience: float
    """How likely the player is to give up a weak hand."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Posted limits of each bet, in cents; the maximum already within the law."""

    minimum_cents: int
    maximum_cents: int

    def capped(self, cents: int) -> int:
        """The amount, but no more than the maximum."""
        return min(cents, self.maximum_cents)


class Seats:
    """The positions of a table and their players, coming and going."""

    def __init__(self, spots: int, limits: Limits, rng: Chance) -> None:
        self._spots = spots
        self._limits = limits
        self._rng = rng
        self._taken: dict[int, Seat] = {}
        for _ in range(rng.randint(2, max(2, spots - 2))):
            self._sit_down()

    def __iter__(self) -> Iterator[Seat]:
        """In the order of spots, the dealer's immediate left first."""
        return iter([self._taken[spot] for spot in sorted(self._taken)])

    def __len__(self) -> int:
        return len(self._taken)

    def move(self) -> int | None:
        """Between rounds someone may leave or sit down; what a newcomer bought in for, in cents."""
        throw = self._rng.random()
        if throw < 0.03 and len(self._taken) > 1:
            del self._taken[self._rng.choice(sorted(self._taken))]
        elif throw > 0.96 and len(self._taken) < self._spots:
            return self._sit_down()
        return None

    def _sit_down(self) -> int:
        """A player takes a free spot, or a regular a second one; the buy-in in cents."""
        rng = self._rng
        free = [spot for spot in range(1, self._spots + 1) if spot not in self._taken]
        spot = rng.choice(free)
        known = [seat for seat in self._taken.values() if seat.player_id]
        if known and rng.random() < 0.15:
            other = rng.choice(known)
            player_id, unit = other.player_id, other.unit_cents
        else:
            player_id = f"P-{rng.randrange(10_000, 100_000)}" if rng.random() < 0.6 else None
            unit = rng.choice(self._units())
        self._taken[spot] = Seat(
            spot, player_id, unit, rng.random(), rng.random() * 0.3, 0.3 + rng.random() * 0.6
        )
        return unit * 40

    def _units(self) -> list[int]:
        low, high = self._limits.minimum_cents, self._limits.maximum_cents
        return [unit for unit in UNITS_CENTS if low <= unit <= high // 3] or [low]


def as_chips(cents: int, limits: Limits, rng: Chance, *, locked: bool = False) -> list[Chips]:
    """How a bet of that amount comes down: mostly at once, at times in parts or partly taken back.

    Parts are never alike, since the same bet twice within a second is suspicious. A locked bet is
    never taken back.
    """
    throw = rng.random()
    if throw < 0.04:
        part = rng.choice((1_00, 2_00, 5_00))
        if part < cents and part * 2 != cents:
            return [("WagerPlaced", cents - part), ("WagerPlaced", part)]
    elif throw < 0.07 and not locked and cents + 5_00 <= limits.maximum_cents:
        return [("WagerPlaced", cents + 5_00), ("WagerRemoved", 5_00)]
    return [("WagerPlaced", cents)]
