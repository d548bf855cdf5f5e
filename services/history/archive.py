"""Schemas that records were written with, kept so that their bytes can always be read again."""

from __future__ import annotations

from services.history.store import History


def writer_schemas(history: History) -> dict[str, str]:
    """Every schema that was met, by its CRC-64-AVRO fingerprint (16 hexadecimal digits)."""
    return dict(history.rows("SELECT fingerprint, schema FROM writer_schemas"))


def registry_schemas(history: History) -> dict[int, str]:
    """Every schema that a registry gave, by its number there."""
    return dict(history.rows("SELECT registry_id, schema FROM registry_schemas"))


def keep_writer_schema(history: History, fingerprint: str, schema: str) -> bool:
    """Within a transaction: keep a schema; whether it is new."""
    assert history.transaction_no is not None, "a schema is kept within a transaction"
    return bool(
        history.run(
            "INSERT INTO writer_schemas SELECT ?, ?, ? WHERE NOT EXISTS "
            "(FROM writer_schemas WHERE fingerprint = ?)",
            [fingerprint, schema, history.transaction_no, fingerprint],
        )
    )


def keep_registry_schema(history: History, registry_id: int, schema: str) -> bool:
    """Within a transaction: keep what a registry gave for a number; whether it is new."""
    assert history.transaction_no is not None, "a schema is kept within a transaction"
    return bool(
        history.run(
            "INSERT INTO registry_schemas SELECT ?, ?, ? WHERE NOT EXISTS "
            "(FROM registry_schemas WHERE registry_id = ?)",
            [registry_id, schema, history.transaction_no, registry_id],
        )
    )
