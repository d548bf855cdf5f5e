"""What can go wrong with sealed days: place, cause and next step."""

from __future__ import annotations

from services.errors import UnusableHistoryError


class SealedDamagedError(UnusableHistoryError):
    """Sealed days that are not what was sealed: nothing is added to them or taken out of them."""

    code = "sealed_damaged"


class SealedOtherwiseError(UnusableHistoryError):
    """Sealed days of another history, or of one that lost what was sealed of it."""

    code = "sealed_otherwise"


class UnwritableSealedError(UnusableHistoryError):
    """The folder of sealed days cannot be written to."""

    code = "unwritable_sealed"
