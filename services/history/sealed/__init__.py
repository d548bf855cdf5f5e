"""Sealed days: gaming days that are over, as Parquet files under a chain of manifests."""
