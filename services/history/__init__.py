"""Every event once, in DuckDB, and what was concluded. Nothing else imports duckdb."""
