"""The index of computer records: what a history holds, of which days, and the digest of each."""
