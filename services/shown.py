"""Text from outside, fit for people: no control character of it reaches a terminal."""

from __future__ import annotations


def shown(text: str) -> str:
    r"""The text with everything that does not print spelled out, line breaks too.

    >>> shown("DD-07\x1b[2J")
    'DD-07\\x1b[2J'
    """
    return "".join(
        c if c.isprintable() or c == " " else c.encode("unicode_escape").decode() for c in text
    )
